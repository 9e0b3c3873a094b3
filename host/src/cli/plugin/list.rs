//! The command `linepress plugin list`.
use clap::Args;
use linepress_operator::administration::plugins::{self, ManagedPlugin, PluginState};
use linepress_operator::startup::plugin_settings;
use linepress_platform::config::Config;
use linepress_plugin_host::Plugins;
use linepress_terminal::one_line;
use serde::Serialize;

use crate::cli::Format;

#[derive(Args)]
pub(in crate::cli) struct List {
    #[command(flatten)]
    format: Format,
}

/// A folder in the server's plugins folder.
#[derive(Serialize)]
struct Row {
    folder: String,
    id: Option<String>,
    version: Option<String>,
    world: Option<String>,
    state: PluginState,
    /// The reason why the plugin is refused or not yet approved.
    reason: Option<String>,
    /// The place that the plugin comes from.
    source: String,
    /// The versions that are stored, if it was installed by name.
    stored: Vec<String>,
}

impl Row {
    fn new(plugin: ManagedPlugin) -> Self {
        Self {
            source: plugin.source.in_words(),
            stored: plugin.source.stored,
            folder: plugin.folder,
            id: plugin.id,
            version: plugin.version,
            world: plugin.world,
            state: plugin.state,
            reason: plugin.problem,
        }
    }
}

pub(super) async fn list(config: Config, arguments: &List) -> anyhow::Result<()> {
    let program = std::env::current_exe()?;
    linepress_platform::folders::make_private(&config.data_dir)?;
    let loaded = Plugins::load(plugin_settings(&config, program)).await?;
    let described = plugins::describe(&config, loaded.installed());
    let rows: Vec<Row> = described.into_iter().map(Row::new).collect();
    arguments.format.print(&rows, line)
}

fn line(row: &Row) -> String {
    let unknown = |text: &Option<String>| one_line(text.as_deref().unwrap_or("?"));
    let state = match row.state {
        PluginState::Serving => "serving",
        PluginState::WaitingForApproval => "waiting for approval",
        PluginState::Refused => "refused",
    };
    let state = match &row.reason {
        Some(reason) => format!("{state}: {}", one_line(reason)),
        None => state.to_owned(),
    };
    let name = row.id.as_ref().map_or_else(|| one_line(&row.folder), |id| one_line(id));
    let source = one_line(&row.source);
    let stored = match row.stored.as_slice() {
        [] => String::new(),
        stored => format!("\tstored: {}", stored.join(", ")),
    };
    format!(
        "{name}\t{}\t{}\t{state}\t{source}{stored}",
        unknown(&row.version),
        unknown(&row.world)
    )
}

//! The command `linepress plugin list`.
use clap::Args;
use linepress_core::administration::plugins::{self, ManagedPlugin, PluginState};
use linepress_core::startup::plugin_settings;
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
}

impl From<ManagedPlugin> for Row {
    fn from(plugin: ManagedPlugin) -> Self {
        Self {
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
    let rows: Vec<Row> = described.into_iter().map(Row::from).collect();
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
    format!("{name}\t{}\t{}\t{state}", unknown(&row.version), unknown(&row.world))
}

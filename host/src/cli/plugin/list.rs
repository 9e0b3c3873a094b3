//! The command `linepress plugin list`.
use std::path::{Path, PathBuf};

use clap::Args;
use linepress_operator::administration::plugins::{self, ManagedPlugin, PluginState};
use linepress_operator::startup::plugin_settings;
use linepress_platform::config::Config;
use linepress_plugin_host::Plugins;
use linepress_registry::Store;
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
    fn new(config: &Config, plugin: ManagedPlugin) -> Self {
        Self {
            source: source(config, &plugin),
            stored: stored(config, &plugin),
            folder: plugin.folder,
            id: plugin.id,
            version: plugin.version,
            world: plugin.world,
            state: plugin.state,
            reason: plugin.problem,
        }
    }
}

/// The registry and the publisher of a plugin that was installed by name, the program, or the plugins folder.
fn source(config: &Config, plugin: &ManagedPlugin) -> String {
    let folder = Path::new(&plugin.folder);
    let bundled = config.bundled_plugins.as_deref();
    if bundled.is_some_and(|bundled| absolute(folder).starts_with(absolute(bundled))) {
        return "the program".into();
    }
    let id = plugin.id.as_deref();
    let id = id.filter(|id| is_active_link(config, plugin, id));
    let record = id.and_then(|id| Store::new(&config.plugins_dir).active_record(id).ok()?);
    match record {
        None => "a folder".into(),
        Some(record) if plugin.digest.as_deref() == Some(&*record.digest) => {
            format!("{}, by {}", record.index, record.publisher)
        }
        Some(record) => format!("{}, by {}, and changed since", record.index, record.publisher),
    }
}

/// The stored versions of a plugin that was installed by name, in the order in which they were installed.
fn stored(config: &Config, plugin: &ManagedPlugin) -> Vec<String> {
    let records = plugin.id.as_deref().filter(|id| is_active_link(config, plugin, id));
    let records = records.and_then(|id| Store::new(&config.plugins_dir).records(id).ok());
    let records = records.unwrap_or_default().into_iter();
    records.map(|record| record.version.to_string()).collect()
}

/// Returns true for the folder at which the active version of a plugin is found.
fn is_active_link(config: &Config, plugin: &ManagedPlugin, id: &str) -> bool {
    absolute(Path::new(&plugin.folder)) == absolute(&config.plugins_dir.join(id))
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

pub(super) async fn list(config: Config, arguments: &List) -> anyhow::Result<()> {
    let program = std::env::current_exe()?;
    linepress_platform::folders::make_private(&config.data_dir)?;
    let loaded = Plugins::load(plugin_settings(&config, program)).await?;
    let described = plugins::describe(&config, loaded.installed());
    let rows: Vec<Row> = described.into_iter().map(|plugin| Row::new(&config, plugin)).collect();
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

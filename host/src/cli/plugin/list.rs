//! The command `linepress plugin list`.
use clap::Args;
use linepress_core::startup::plugin_settings;
use linepress_platform::config::Config;
use linepress_plugin_host::{Installed, Plugins};
use linepress_terminal::one_line;
use serde::Serialize;

use super::installed::Found;
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
    state: State,
    /// The reason why the plugin is refused or not yet approved.
    reason: Option<String>,
}

#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    Serving,
    WaitingForApproval,
    Refused,
}

pub(super) async fn list(config: Config, arguments: &List) -> anyhow::Result<()> {
    let program = std::env::current_exe()?;
    linepress_platform::folders::make_private(&config.data_dir)?;
    let plugins = Plugins::load(plugin_settings(&config, program)).await?;
    let rows: Vec<Row> = plugins
        .installed()
        .await
        .into_iter()
        .map(|installed| row(&config, installed))
        .collect();
    arguments.format.print(&rows, line)
}

fn row(config: &Config, installed: Installed) -> Row {
    let found = Found::read(config, &installed.folder).ok();
    let waits = found
        .as_ref()
        .is_some_and(|found| !found.preview.requests.is_empty() && found.grant(config).is_none());
    let preview = found.map(|found| found.preview);
    Row {
        folder: installed.folder.display().to_string(),
        id: installed.id,
        version: preview.as_ref().map(|preview| preview.version.to_string()),
        world: preview.map(|preview| preview.world),
        state: match &installed.refusal {
            None => State::Serving,
            Some(_) if waits => State::WaitingForApproval,
            Some(_) => State::Refused,
        },
        reason: installed.refusal,
    }
}

fn line(row: &Row) -> String {
    let unknown = |text: &Option<String>| one_line(text.as_deref().unwrap_or("?"));
    let state = match row.state {
        State::Serving => "serving".to_owned(),
        State::WaitingForApproval => "waiting for approval".to_owned(),
        State::Refused => "refused".to_owned(),
    };
    let state = match &row.reason {
        Some(reason) => format!("{state}: {}", one_line(reason)),
        None => state,
    };
    let name = row.id.as_ref().map_or_else(|| one_line(&row.folder), |id| one_line(id));
    format!("{name}\t{}\t{}\t{state}", unknown(&row.version), unknown(&row.world))
}

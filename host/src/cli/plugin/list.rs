//! The command `linepress plugin list`.
use clap::Args;
use linepress_operator::administration::plugins::{self, ManagedPlugin, PluginState};
use linepress_operator::loaded_plugins::{self, LoadedPlugin};
use linepress_operator::startup::plugin_settings;
use linepress_platform::config::Config;
use linepress_plugin_host::{Fingerprint, Plugins};
use linepress_terminal::one_line;
use serde::Serialize;

use crate::cli::Format;

#[derive(Args)]
pub(in crate::cli) struct List {
    #[command(flatten)]
    format: Format,
}

/// The state of the files in a plugin's folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    /// The running server has loaded them.
    Serving,
    /// A server is running, and has not loaded them yet.
    WaitingForServer,
    /// A server could load them. No server is running.
    Loadable,
    WaitingForApproval,
    Refused,
}

impl State {
    fn in_words(self) -> &'static str {
        match self {
            Self::Serving => "serving",
            Self::WaitingForServer => "waiting for the server",
            Self::Loadable => "can be loaded",
            Self::WaitingForApproval => "waiting for approval",
            Self::Refused => "refused",
        }
    }
}

/// A folder in the server's plugins folder.
#[derive(Serialize)]
struct Row {
    folder: String,
    id: Option<String>,
    version: Option<String>,
    world: Option<String>,
    state: State,
    /// The reason why the files are not loaded.
    reason: Option<String>,
    /// The version that the running server uses.
    serving_version: Option<String>,
    /// The place that the plugin comes from.
    source: String,
    /// The versions that are stored, if it was installed by name.
    stored: Vec<String>,
}

impl Row {
    /// `present` is the fingerprint of the files that this command has read, and `server` what the running server has
    /// loaded.
    fn new(plugin: ManagedPlugin, present: Fingerprint, server: Option<&[LoadedPlugin]>) -> Self {
        let at_server = server.and_then(|server| server.iter().find(|loaded| loaded.folder == plugin.folder));
        // The server may have secrets in its environment that this command does not see.
        let is_only_refused_here = at_server.is_some_and(|loaded| loaded.has_loaded(present));
        let (state, reason) = match plugin.state {
            PluginState::Serving | PluginState::Loading if server.is_some() => at_running_server(present, at_server),
            PluginState::Refused if is_only_refused_here => (State::Serving, None),
            PluginState::Serving | PluginState::Loading => (State::Loadable, None),
            PluginState::WaitingForApproval => (State::WaitingForApproval, plugin.problem),
            PluginState::Refused => (State::Refused, plugin.problem),
        };
        Self {
            serving_version: at_server.and_then(|loaded| loaded.version.clone()),
            source: plugin.source.in_words(),
            stored: plugin.source.stored,
            folder: plugin.folder,
            id: plugin.id,
            version: plugin.version,
            world: plugin.world,
            state,
            reason,
        }
    }
}

/// The state of files that can be loaded, while a server is running.
fn at_running_server(present: Fingerprint, at_server: Option<&LoadedPlugin>) -> (State, Option<String>) {
    let Some(loaded) = at_server else {
        return (State::WaitingForServer, None);
    };
    match &loaded.refusal {
        None if loaded.has_loaded(present) => (State::Serving, None),
        None => (State::WaitingForServer, None),
        Some(reason) => (
            State::WaitingForServer,
            Some(format!("the server refused the files that it read last: {reason}")),
        ),
    }
}

pub(super) async fn list(config: Config, arguments: &List) -> anyhow::Result<()> {
    let program = std::env::current_exe()?;
    linepress_platform::folders::make_private(&config.data_dir)?;
    let loaded = Plugins::load(plugin_settings(&config, program)).await?;
    let installed = loaded.installed();
    // After the plugins are loaded, which may take minutes.
    let server = loaded_plugins::read(&config.data_dir);
    let described = plugins::describe(&config, installed.clone());
    let present = installed.iter().map(|installed| installed.fingerprint);
    let rows: Vec<Row> = described
        .into_iter()
        .zip(present)
        .map(|(plugin, present)| Row::new(plugin, present, server.as_deref()))
        .collect();
    arguments.format.print(&rows, line)
}

fn line(row: &Row) -> String {
    let unknown = |text: &Option<String>| one_line(text.as_deref().unwrap_or("?"));
    let mut state = row.state.in_words().to_owned();
    if let Some(reason) = &row.reason {
        state = format!("{state}: {}", one_line(reason));
    }
    if let (Some(version), true) = (&row.serving_version, row.state != State::Serving) {
        state = match row.version.as_ref() == Some(version) {
            true => format!("{state}; the server serves its earlier files"),
            false => format!("{state}; the server serves {}", one_line(version)),
        };
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_server_has_loaded_is_serving() {
        let fingerprint = |text: &str| serde_json::from_str::<Fingerprint>(text).unwrap();
        let loaded = |version: Option<&str>, files: &str, refusal: Option<&str>| LoadedPlugin {
            folder: "/plugins.d/acme.flux".into(),
            version: version.map(str::to_owned),
            fingerprint: fingerprint(files),
            refusal: refusal.map(str::to_owned),
        };
        for (at_server, state) in [
            (Some(loaded(Some("1.2.0"), "1", None)), State::Serving),
            (Some(loaded(Some("1.2.0"), "2", None)), State::WaitingForServer),
            (
                Some(loaded(Some("1.2.0"), "1", Some("damaged"))),
                State::WaitingForServer,
            ),
            (Some(loaded(None, "1", Some("damaged"))), State::WaitingForServer),
            (None, State::WaitingForServer),
        ] {
            let (found, reason) = at_running_server(fingerprint("1"), at_server.as_ref());
            assert_eq!(found, state, "{at_server:?}");
            let refusal = at_server.and_then(|loaded| loaded.refusal);
            assert_eq!(reason.is_some(), refusal.is_some());
        }
    }
}

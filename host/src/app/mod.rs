//! What every function is handed: database, storage, plugins, clock, randomness, settings.
/// Plugins that change while the server runs.
pub mod live_plugins;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use linepress_egress::{Dialer, Fetcher};
use linepress_plugin_host::{
    CompileLimits, DialTransport, MaxConcurrentCalls, Network, PluginSettings, Plugins, Refusal,
};
use linepress_print::{RenderSettings, Renderer};
use tokio::sync::{Notify, Semaphore};

use crate::clock::Clock;
use crate::config::Config;
use crate::database::{CursorSeal, Database, LeaseClock};
use crate::fair_share::FairShare;
use crate::folders::{self, FolderError};
use crate::importer::{ImportSettings, Importer};
use crate::oidc::Provider;
use crate::password_hash::Passwords;
use crate::print_jobs::Printing;
use crate::random::Random;
use crate::secrets::RootSecret;
use crate::storage::Storage;

/// The server's parts, handed to every function. Cheap to clone.
#[derive(Clone)]
pub struct App(Arc<Parts>);

/// What an `App` is made of.
pub struct Parts {
    pub config: Config,
    pub database: Database,
    pub storage: Storage,
    pub plugins: Plugins,
    pub renderer: Renderer,
    /// PDFs that are being made.
    pub printing: Printing,
    /// Files that are being sent or received, by account.
    pub transfers: FairShare,
    /// Book plans that are being made, by account.
    pub planning: FairShare,
    /// Those who wait on this node for operations to go on, by account.
    pub followers: FairShare,
    /// Reads pictures that clients import.
    pub importer: Importer,
    /// Fetches pictures that clients name.
    pub fetcher: Fetcher,
    /// Fetches what anybody may name, from public addresses alone: it knows no exceptions.
    pub public_fetcher: Fetcher,
    /// Seals the cursors of lists.
    pub cursors: CursorSeal,
    /// Hashes passwords.
    pub passwords: Passwords,
    /// What the keys of other seals are derived from.
    pub root_secret: RootSecret,
    /// Where people may sign in as well.
    pub provider: Provider,
    pub clock: Clock,
    pub random: Random,
    /// Rung when drawings were queued, so that a worker of this process need not wait for its next look.
    pub queued: Notify,
}

impl App {
    pub fn new(parts: Parts) -> Self {
        Self(Arc::new(parts))
    }
}

impl std::ops::Deref for App {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}

/// A plugin that a setting chooses.
pub struct Chosen<'a> {
    /// The name of the setting.
    pub setting: &'static str,
    pub id: &'a str,
    /// As what the setting needs it.
    pub loaded: bool,
    /// What it is, where it is loaded.
    kind: Option<&'static str>,
}

/// The setting of plugins that stand in for one another.
const IMAGE_PROVIDERS: &str = "image_providers";

impl Chosen<'_> {
    /// Why what needs it cannot be done.
    pub fn problem(&self) -> Option<String> {
        let Self {
            setting,
            id,
            loaded,
            kind,
        } = self;
        match kind {
            _ if *loaded => None,
            Some(kind) => Some(format!("{id} is of the kind {kind}, which `{setting}` is not for")),
            None => Some(format!("no such plugin is loaded: {id}")),
        }
    }
}

impl Parts {
    /// The plugins that the settings choose.
    pub fn chosen_plugins(&self) -> Vec<Chosen<'_>> {
        let (config, plugins) = (&self.config, &self.plugins);
        let providers = config.image_providers.iter().map(|id| Chosen {
            setting: IMAGE_PROVIDERS,
            id,
            loaded: plugins.image_provider(id).is_some(),
            kind: plugins.kind_of(id),
        });
        let others = [
            Chosen {
                setting: "planner",
                id: &config.planner,
                loaded: plugins.planner(&config.planner).is_some(),
                kind: plugins.kind_of(&config.planner),
            },
            Chosen {
                setting: "layout",
                id: &config.layout,
                loaded: plugins.layout(&config.layout).is_some(),
                kind: plugins.kind_of(&config.layout),
            },
        ];
        providers.chain(others).collect()
    }

    /// The clock of leases and pauses.
    pub(crate) fn lease_clock(&self) -> LeaseClock<'_> {
        LeaseClock {
            database: &self.database,
            clock: &self.clock,
        }
    }

    /// Logs which plugins were refused.
    pub fn warn_of_refused_plugins(&self) {
        for Refusal { folder, reason, .. } in self.plugins.refusals() {
            // As text, which the log escapes: names of files may hold anything.
            let folder = folder.to_string_lossy();
            tracing::error!(folder = &*folder, reason, "plugin refused");
        }
    }

    /// Those of them without which something cannot be done: of several image providers, one that is loaded will do.
    pub fn missing_plugins(&self) -> Vec<Chosen<'_>> {
        let mut chosen = self.chosen_plugins();
        let draws = chosen.iter().any(|one| one.setting == IMAGE_PROVIDERS && one.loaded);
        chosen.retain(|one| {
            let another_draws = draws && one.setting == IMAGE_PROVIDERS;
            !one.loaded && !another_draws
        });
        chosen
    }

    /// Logs which plugins of the settings are not loaded: until they are, what needs them is refused, or done by another.
    pub fn warn_of_missing_plugins(&self) {
        let missing: Vec<&str> = self.missing_plugins().iter().map(|chosen| chosen.id).collect();
        for chosen in self.chosen_plugins() {
            if let Some(problem) = chosen.problem() {
                let Chosen { setting, id, .. } = chosen;
                if missing.contains(&id) {
                    tracing::warn!(setting, plugin = id, problem, "what needs this plugin is refused");
                } else {
                    tracing::warn!(setting, plugin = id, problem, "other image providers draw meanwhile");
                }
            }
        }
        for id in self.config.providers.keys() {
            if !self.config.image_providers.contains(id) {
                let plugin = id.as_str();
                tracing::warn!(
                    setting = "providers",
                    plugin,
                    "`image_providers` does not name this plugin"
                );
            }
        }
    }
}

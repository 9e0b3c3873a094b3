//! The parts of the server, which every function receives: database, storage, plugins, clock, randomness and settings.
/// Plugins that change while the server runs.
pub mod live_plugins;

use std::sync::{Arc, PoisonError, RwLock};

use linepress_egress::Fetcher;
use linepress_metrics::Metrics;
use linepress_plugin_host::{Plugins, Refusal};
use linepress_print::Renderer;
use tokio::sync::Notify;

use crate::appearance::Logo;
use crate::clock::Clock;
use crate::config::{Config, OnReviewFailure};
use crate::database::{CursorSeal, Database, LeaseClock, Tx};
use crate::ended_requests::EndedRequests;
use crate::fair_share::FairShare;
use crate::health::Health;
use crate::ids::KeyId;
use crate::importer::Importer;
use crate::oidc::Provider;
use crate::password_hash::Passwords;
use crate::plugin_calls::PluginCalls;
use crate::print_jobs::Printing;
use crate::random::Random;
use crate::recent::Recent;
use crate::secrets::RootSecret;
use crate::single_run::{NamedRuns, SingleRun};
use crate::stop_signal::StopSignal;
use crate::storage::Storage;

/// The parts of the server, passed to every function. Cheap to clone.
#[derive(Clone)]
pub struct App(Arc<Inner>);

struct Inner {
    parts: Parts,
    /// The settings in force.
    live: RwLock<Arc<Config>>,
}

/// The parts of an `App`.
pub struct Parts {
    /// The settings with which the server started. Those of plugins may have changed since: `App::live` has them.
    pub config: Config,
    /// The logo of the web pages, if the settings name one.
    pub logo: Option<Logo>,
    pub database: Database,
    pub storage: Storage,
    pub plugins: Plugins,
    pub renderer: Renderer,
    /// PDFs that are being made, and those that wait for it.
    pub printing: Printing,
    /// Limits the files that are being sent or received, per account.
    pub transfers: FairShare,
    /// Limits the book plans that are being made, in total and per account.
    pub planning: FairShare,
    /// Limits the clients that wait on this node for the progress of operations, in total and per account.
    pub followers: FairShare,
    /// Reads pictures that clients import.
    pub importer: Importer,
    /// Fetches pictures from the URLs that accounts name.
    pub fetcher: Fetcher,
    /// Fetches URLs that clients without an account may name, from public addresses only, without exceptions.
    pub public_fetcher: Fetcher,
    /// Sends events to the webhooks of accounts.
    pub webhook_fetcher: Fetcher,
    /// Seals the cursors of lists.
    pub cursors: CursorSeal,
    /// Hashes passwords.
    pub passwords: Passwords,
    /// The secret from which all other keys are derived.
    pub root_secret: RootSecret,
    /// The OpenID Connect provider through which accounts may sign in.
    pub provider: Provider,
    /// Counts requests, drawings, PDFs and more, for Prometheus.
    pub metrics: Metrics,
    pub clock: Clock,
    pub random: Random,
    /// Notified when drawings are queued, by this node or another one, so that an idle worker of this process claims
    /// them at once.
    pub queued: Notify,
    /// Notified when a mail is put into the outbox by this node, so that it is sent at once.
    pub mails: Notify,
    /// Notified when an event for a webhook is recorded by this node, so that it is sent at once.
    pub webhooks: Notify,
    /// Given when this node is asked to stop, so that clients that follow operations connect to another one, or again.
    pub stopping: StopSignal,
    /// Lists the snapshots of the place of backups.
    pub backup_listing: SingleRun,
    /// Checks the object store and the folders for files.
    pub storage_check: SingleRun,
    /// Records the last uses of API keys.
    pub key_uses: NamedRuns<KeyId>,
    /// The requests that wait to be written to the request log.
    pub ended_requests: EndedRequests,
    /// The calls of plugins that have ended.
    pub plugin_calls: Arc<PluginCalls>,
    /// The result of the last check of the whole server.
    pub health: Recent<Health>,
}

impl App {
    pub fn new(parts: Parts) -> Self {
        let live = RwLock::new(Arc::new(parts.config.clone()));
        Self(Arc::new(Inner { parts, live }))
    }

    /// The settings in force: those of the start, with the settings of plugins as they were last read. A caller that
    /// reads several of them keeps the result, because they may change at any time.
    pub fn live(&self) -> Arc<Config> {
        self.0.live.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Replaces the settings that take effect while the server runs by those of `now`.
    pub(crate) fn take_over(&self, now: Config) {
        let live = Arc::new(self.config.with_live_settings(now));
        *self.0.live.write().unwrap_or_else(PoisonError::into_inner) = live;
    }

    /// Wakes the idle workers of all nodes once the transaction is committed.
    pub fn wake_workers_after(&self, tx: &mut Tx) {
        let app = self.clone();
        tx.after_commit(move || app.wake_workers());
    }
}

impl std::ops::Deref for App {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0.parts
    }
}

/// A plugin that is named by a setting.
pub struct ChosenPlugin {
    /// The name of the setting.
    pub setting: &'static str,
    pub id: String,
    /// True if the plugin is loaded and of the kind that the setting requires.
    pub loaded: bool,
    /// The kind of the loaded plugin; `None` when it is not loaded.
    kind: Option<&'static str>,
}

/// The setting that lists image providers, any of which can draw in place of another.
const IMAGE_PROVIDERS: &str = "image_providers";

/// The setting that names the reviewer, without which drawings may be made.
const REVIEWER: &str = "reviewer";

impl ChosenPlugin {
    /// The reason why the plugin cannot be used; `None` when it can.
    pub fn problem(&self) -> Option<String> {
        let Self {
            setting,
            id,
            loaded,
            kind,
        } = self;
        match kind {
            _ if *loaded => None,
            Some(kind) => Some(format!(
                "{id} is a plugin of the kind {kind}, which `{setting}` does not accept"
            )),
            None => Some(format!("the plugin {id} is not loaded")),
        }
    }
}

impl Parts {
    /// The clock of leases and pauses.
    pub fn lease_clock(&self) -> LeaseClock<'_> {
        LeaseClock {
            database: &self.database,
            clock: &self.clock,
        }
    }

    /// Wakes the idle workers of all nodes, because a drawing may be due.
    pub fn wake_workers(&self) {
        self.queued.notify_waiters();
        self.database.signal();
    }

    /// Logs each plugin that was refused.
    pub fn warn_of_refused_plugins(&self) {
        for Refusal { folder, reason, .. } in self.plugins.refusals() {
            // A string, which the log escapes: file names may contain any byte.
            let folder = folder.to_string_lossy();
            tracing::error!(folder = &*folder, reason, "plugin refused");
        }
    }
}

impl App {
    /// The plugins that the settings name.
    pub fn chosen_plugins(&self) -> Vec<ChosenPlugin> {
        let (live, plugins) = (self.live(), &self.plugins);
        let chosen = |setting, id: &str, loaded| ChosenPlugin {
            setting,
            id: id.to_owned(),
            loaded,
            kind: plugins.kind_of(id),
        };
        let providers = live
            .image_providers
            .iter()
            .map(|id| chosen(IMAGE_PROVIDERS, id, plugins.image_provider(id).is_some()));
        let others = [
            chosen("planner", &live.planner, plugins.planner(&live.planner).is_some()),
            chosen("layout", &live.layout, plugins.layout(&live.layout).is_some()),
        ];
        let reviewer = Some(&live.reviewer).filter(|id| !id.is_empty());
        let reviewer = reviewer.map(|id| chosen(REVIEWER, id, plugins.reviewer(id).is_some()));
        providers.chain(others).chain(reviewer).collect()
    }

    /// The chosen plugins whose absence disables a function. A missing image provider does not count while another one
    /// is loaded, and a missing reviewer does not if the settings let drawings pass without it.
    pub fn missing_plugins(&self) -> Vec<ChosenPlugin> {
        let mut chosen = self.chosen_plugins();
        let draws = chosen.iter().any(|one| one.setting == IMAGE_PROVIDERS && one.loaded);
        let passes = self.live().reviewer_on_failure == OnReviewFailure::Pass;
        chosen.retain(|one| {
            let another_draws = draws && one.setting == IMAGE_PROVIDERS;
            let is_dispensable = passes && one.setting == REVIEWER;
            !one.loaded && !another_draws && !is_dispensable
        });
        chosen
    }

    /// Logs the plugins that the settings name and that are not loaded. Until they are, requests that need them are
    /// refused, another provider draws, or drawings wait for the reviewer or go on without it.
    pub fn warn_of_missing_plugins(&self) {
        let missing = self.missing_plugins();
        for chosen in self.chosen_plugins() {
            if let Some(problem) = chosen.problem() {
                let ChosenPlugin { setting, id, .. } = chosen;
                let is_missing = missing.iter().any(|missing| missing.id == id);
                if setting == REVIEWER {
                    let outcome = match is_missing {
                        true => "wait",
                        false => "go on without a review",
                    };
                    tracing::warn!(
                        setting,
                        plugin = id,
                        problem,
                        "reviewer unavailable: drawings {outcome}"
                    );
                } else if is_missing {
                    tracing::warn!(
                        setting,
                        plugin = id,
                        problem,
                        "plugin unavailable: requests that need it are refused"
                    );
                } else {
                    tracing::warn!(
                        setting,
                        plugin = id,
                        problem,
                        "image provider unavailable: the others draw in its place"
                    );
                }
            }
        }
        let live = self.live();
        for id in live.providers.keys() {
            if !live.image_providers.contains(id) {
                let plugin = id.as_str();
                tracing::warn!(
                    setting = "providers",
                    plugin,
                    "`providers` configures a plugin that `image_providers` does not name"
                );
            }
        }
    }
}

//! The settings and parts that can differ between test applications.
use std::path::PathBuf;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, LazyLock};

use linepress::server;
use linepress_egress::Fetcher;
use linepress_operator::plugin_store::DatabaseStore;
use linepress_operator::startup::{
    followers, importer, metrics, planning, plugin_settings, printing, render_settings, transfers,
};
use linepress_platform::app::{App, Parts};
use linepress_platform::appearance::Logo;
use linepress_platform::clock::{Clock, Timestamp};
use linepress_platform::config::Config;
use linepress_platform::database::{CursorSeal, Database};
use linepress_platform::ended_requests::EndedRequests;
use linepress_platform::oidc::Provider;
use linepress_platform::password_hash::Passwords;
use linepress_platform::plugin_calls::PluginCalls;
use linepress_platform::random::Random;
use linepress_platform::recent::Recent;
use linepress_platform::secrets::{self, RootSecret};
use linepress_platform::single_run::{NamedRuns, SingleRun};
use linepress_platform::stop_signal::StopSignal;
use linepress_platform::storage::Storage;
use linepress_plugin_host::{PluginSettings, Plugins};
use linepress_print::Renderer;
use serde_json::Value;
use tempfile::TempDir;

use super::database::database;
use super::environment::{binary, compiled_plugins, is_loadable, plugins_dir, plugins_dir_of};
use super::{ObjectStore, TestApp};

/// 2026-11-21T12:00:00Z, the initial time of every fixed clock.
const NOON: Timestamp = Timestamp::from_microseconds(1_795_262_400_000_000);

/// The connections of each node to its database.
pub(super) const DATABASE_CONNECTIONS: u32 = 4;

pub(crate) struct Builder {
    config: Config,
    fetcher: Option<Fetcher>,
    public_fetcher: Option<Fetcher>,
    webhook_fetcher: Option<Fetcher>,
    all_plugins: bool,
    /// Plugins that the settings do not name.
    others: Vec<String>,
    /// The folder of the plugins, instead of those that were built.
    plugins_from: Option<PathBuf>,
    clock: Clock,
    objects: Option<ObjectStore>,
}

impl Builder {
    pub(crate) fn new() -> Self {
        let config = Config {
            public_url: "http://linepress.test".into(),
            image_providers: vec!["testbed.plain".into()],
            // The fonts of the machine must not affect the results of tests.
            font_folders: Vec::new(),
            ..Config::default()
        };
        Self {
            config,
            fetcher: None,
            public_fetcher: None,
            webhook_fetcher: None,
            all_plugins: false,
            others: Vec::new(),
            plugins_from: None,
            clock: Clock::fixed(NOON),
            objects: None,
        }
    }

    /// Changes the settings.
    pub(crate) fn config(mut self, change: impl FnOnce(&mut Config)) -> Self {
        change(&mut self.config);
        self
    }

    /// Replaces the image providers with this one and sets its settings.
    pub(crate) fn image_provider(self, id: &str, settings: Value) -> Self {
        self.config(|config| config.image_providers.clear())
            .next_image_provider(id, settings)
    }

    /// Adds an image provider that is asked after the previous ones.
    pub(crate) fn next_image_provider(self, id: &str, settings: Value) -> Self {
        self.config(|config| {
            config.image_providers.push(id.into());
            config.plugins.insert(id.into(), settings);
        })
    }

    /// Replaces the fetcher for addresses that the operator chooses.
    pub(crate) fn fetcher(mut self, fetcher: Fetcher) -> Self {
        self.fetcher = Some(fetcher);
        self
    }

    /// Replaces the fetcher for addresses that any client can choose.
    pub(crate) fn public_fetcher(mut self, fetcher: Fetcher) -> Self {
        self.public_fetcher = Some(fetcher);
        self
    }

    /// Replaces the fetcher that sends events to webhooks.
    pub(crate) fn webhook_fetcher(mut self, fetcher: Fetcher) -> Self {
        self.webhook_fetcher = Some(fetcher);
        self
    }

    /// Replaces the fixed clock.
    pub(crate) fn clock(mut self, clock: Clock) -> Self {
        self.clock = clock;
        self
    }

    /// Stores the objects in a folder whatever the run tests, for a test that changes files behind the server's back.
    pub(crate) fn objects_in_a_folder(self) -> Self {
        self.objects_in(ObjectStore::Folder)
    }

    /// Replaces the object store.
    pub(crate) fn objects_in(mut self, objects: ObjectStore) -> Self {
        self.objects = Some(objects);
        self
    }

    /// Installs every loadable plugin, for tests of plugins that the settings do not name. Loading them takes longer
    /// than most tests.
    pub(crate) fn all_plugins(mut self) -> Self {
        self.all_plugins = true;
        self
    }

    /// Installs a plugin that the settings do not name.
    pub(crate) fn installed(mut self, id: &str) -> Self {
        self.others.push(id.into());
        self
    }

    /// Takes the plugins that the settings name from this folder instead of those that were built.
    pub(crate) fn plugins_from(mut self, folder: PathBuf) -> Self {
        self.plugins_from = Some(folder);
        self
    }

    pub(crate) async fn start(self) -> TestApp {
        let folder = TempDir::new().unwrap();
        let plugins_dir = if self.all_plugins {
            plugins_dir(folder.path(), is_loadable)
        } else {
            let others = [&self.config.planner, &self.config.layout, &self.config.reviewer];
            let named = self.config.image_providers.iter().chain(others).chain(&self.others);
            let named: Vec<&String> = named.collect();
            let is_named = |id: &str| named.iter().any(|name| *name == id);
            match self.plugins_from {
                Some(from) => plugins_dir_of(&[from], folder.path(), is_named),
                None => plugins_dir(folder.path(), is_named),
            }
        };
        let mut config = Config {
            data_dir: folder.path().to_owned(),
            database_url: database(folder.path()).await,
            plugins_dir,
            ..self.config
        };
        let objects = self.objects.unwrap_or_else(ObjectStore::of_this_run);
        objects.configure(&mut config);
        let fetcher = self.fetcher.unwrap_or_else(system_fetcher);
        let public_fetcher = self.public_fetcher.unwrap_or_else(|| fetcher.clone());
        let fetchers = Fetchers {
            fetcher,
            public_fetcher,
            webhook_fetcher: self.webhook_fetcher.unwrap_or_else(system_fetcher),
        };
        let server = node(config.completed().unwrap(), fetchers, self.clock, 1).await;
        TestApp {
            router: server::router(server.clone()),
            server,
            keys: AtomicU32::new(0),
            objects,
            _folder: folder,
        }
    }
}

/// The fetchers of a server.
pub(crate) struct Fetchers {
    fetcher: Fetcher,
    public_fetcher: Fetcher,
    webhook_fetcher: Fetcher,
}

/// Returns the fetchers of a server with default settings.
pub(crate) fn system_fetchers() -> Fetchers {
    Fetchers {
        fetcher: system_fetcher(),
        public_fetcher: system_fetcher(),
        webhook_fetcher: system_fetcher(),
    }
}

/// Returns a fetcher that is created once per run, because reading the system's certificates is slow.
fn system_fetcher() -> Fetcher {
    static FETCHER: LazyLock<Fetcher> = LazyLock::new(|| Fetcher::system(&[], &[]));
    FETCHER.clone()
}

/// Creates a server with these settings. Nodes on one database need different seeds.
pub(crate) async fn node(config: Config, fetchers: Fetchers, clock: Clock, seed: u64) -> App {
    let database = Database::connect(&config.database_url, DATABASE_CONNECTIONS)
        .await
        .unwrap();
    database.migrate().await.unwrap();
    let clock = database.shared_clock(clock).await.unwrap();
    let cursors = secrets::cursor_seal(&database, &Random::seeded(2)).await.unwrap();
    node_on(config, database, cursors, fetchers, clock, seed).await
}

/// Creates a server on a database to which it does not connect before the test calls it.
pub(super) async fn node_on(
    config: Config,
    database: Database,
    cursors: CursorSeal,
    Fetchers {
        fetcher,
        public_fetcher,
        webhook_fetcher,
    }: Fetchers,
    clock: Clock,
    seed: u64,
) -> App {
    let metrics = metrics();
    let plugin_calls: Arc<PluginCalls> = Arc::default();
    let plugins = Plugins::load(PluginSettings {
        cache_directory: compiled_plugins(),
        metrics: metrics.plugins.clone(),
        calls: Some(plugin_calls.clone()),
        store: Some(Arc::new(DatabaseStore::new(database.clone(), clock.clone()))),
        ..plugin_settings(&config, binary())
    });
    App::new(Parts {
        logo: Logo::read(&config.appearance.logo).unwrap(),
        plugins: plugins.await.unwrap(),
        storage: Storage::at(&config.object_place().unwrap(), &config).unwrap(),
        renderer: Renderer::new(render_settings(&config, binary())),
        printing: printing(),
        transfers: transfers(&config),
        planning: planning(),
        followers: followers(),
        importer: importer(&config).unwrap(),
        cursors,
        // The same on every node.
        root_secret: RootSecret::ephemeral(&Random::seeded(2)),
        database,
        passwords: Passwords::weak(),
        provider: Provider::new(fetcher.clone()),
        fetcher,
        webhook_fetcher,
        public_fetcher,
        metrics,
        clock,
        random: Random::seeded(seed),
        queued: tokio::sync::Notify::new(),
        mails: tokio::sync::Notify::new(),
        webhooks: tokio::sync::Notify::new(),
        stopping: StopSignal::default(),
        backup_listing: SingleRun::default(),
        storage_check: SingleRun::default(),
        key_uses: NamedRuns::default(),
        ended_requests: EndedRequests::default(),
        plugin_calls,
        health: Recent::default(),
        config,
    })
}

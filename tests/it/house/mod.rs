//! A whole house to test: an `App` with a fixed clock and seeded randomness, on the database the run is for.
mod actor;
mod database;
mod form;
mod log;
mod making;
mod objects;
pub mod pictures;
mod web;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU32;
use std::time::Duration;

use linepress::accounts::{self, Plan};
use linepress::app::{App, Parts, plugin_settings, render_settings, workshop};
use linepress::clock::{Clock, Timestamp};
use linepress::config::Config;
use linepress::database::Database;
use linepress::drawing;
use linepress::fetch::Fetcher;
use linepress::plugins::Plugins;
use linepress::print::Renderer;
use linepress::random::Random;
use linepress::rest;
use linepress::secrets;
use linepress::storage::Storage;
use tempfile::TempDir;

pub use actor::{Actor, Reply};
pub use form::Form;
pub use log::Log;
pub use making::id;
pub use web::{Page, Tripwire, Web};

/// 2026-11-21T12:00:00Z: what every fixed clock shows first.
const NOON: Timestamp = Timestamp::from_microseconds(1_795_262_400_000_000);

/// An `App` that is gone, with all it stored, when it is dropped.
pub struct House {
    pub app: App,
    /// How many idempotency keys were made up so far.
    keys: AtomicU32,
    _database: database::Temporary,
    _folder: TempDir,
}

impl House {
    /// With the test bed's plain provider, which draws at once.
    pub async fn open() -> Self {
        Self::open_with(|_| {}).await
    }

    /// The same with other settings.
    pub async fn open_with(change: impl FnOnce(&mut Config)) -> Self {
        Self::build(change, None).await
    }

    /// With another way to the web.
    pub async fn open_to(fetcher: Fetcher) -> Self {
        Self::build(|_| {}, Some(fetcher)).await
    }

    /// With both.
    pub async fn open_to_with(fetcher: Fetcher, change: impl FnOnce(&mut Config)) -> Self {
        Self::build(change, Some(fetcher)).await
    }

    async fn build(change: impl FnOnce(&mut Config), fetcher: Option<Fetcher>) -> Self {
        let folder = TempDir::new().unwrap();
        let database = database::Temporary::create(folder.path()).await;
        let mut config = Config {
            data_dir: folder.path().to_owned(),
            database_url: database.url().into(),
            public_url: "http://linepress.test".into(),
            plugins_dir: plugins_dir(folder.path()),
            image_provider: "testbed.plain".into(),
            ..Config::default()
        };
        change(&mut config);
        let fetcher = fetcher.unwrap_or_else(|| Fetcher::system(&[]));
        let app = node(config.completed().unwrap(), fetcher, Clock::fixed(NOON), 1).await;
        Self {
            app,
            keys: AtomicU32::new(0),
            _database: database,
            _folder: folder,
        }
    }

    /// Another node of the same house: on the same database, objects and clock.
    pub async fn another_node(&self) -> App {
        let app = &self.app;
        node(app.config.clone(), Fetcher::system(&[]), app.clock.clone(), 3).await
    }

    /// An account with a Business plan and a key.
    pub async fn account(&self, credits: i64) -> Actor {
        self.account_named("ada@example.com", Plan::Business, credits).await
    }

    pub async fn account_named(&self, email: &str, plan: Plan, credits: i64) -> Actor {
        let account = accounts::create(&self.app, email, plan, credits).await.unwrap();
        let (_, secret) = accounts::create_key(&self.app, &account, "test").await.unwrap();
        self.with_key(secret.expose())
    }

    pub fn with_key(&self, key: &str) -> Actor {
        Actor::new(rest::router(self.app.clone()), Some(key.into()))
    }

    /// Somebody without a key.
    pub fn stranger(&self) -> Actor {
        Actor::new(rest::router(self.app.clone()), None)
    }

    /// Works until nothing is due any more, moving the clock over every delay; answers the number of attempts.
    pub async fn draw_everything(&self) -> usize {
        let mut attempts = 0;
        let mut idle = 0;
        while idle < 8 {
            if drawing::work_once(&self.app).await.unwrap() {
                attempts += 1;
                idle = 0;
            } else {
                self.app.clock.advance(Duration::from_secs(10));
                idle += 1;
            }
        }
        attempts
    }

    /// Fails when a balance is not the sum of its ledger.
    pub async fn check_ledger(&self) {
        assert_eq!(linepress::credits::mismatches(&self.app).await.unwrap(), []);
    }
}

async fn node(config: Config, fetcher: Fetcher, clock: Clock, seed: u64) -> App {
    let plugins = Plugins::load(linepress::plugins::PluginSettings {
        // Compiling takes seconds: once for the whole run.
        cache_directory: binary().parent().unwrap().join("compiled-test-plugins"),
        ..plugin_settings(&config)
    });
    let database = Database::connect(&config.database_url, 4).await.unwrap();
    database.migrate().await.unwrap();
    App::new(Parts {
        plugins: plugins.await.unwrap(),
        storage: Storage::folder(&config.objects_dir()).unwrap(),
        renderer: Renderer::new(render_settings(&config, binary())),
        workshop: workshop(&config),
        fetcher,
        cursors: secrets::cursor_seal(&database, &Random::seeded(2)).await.unwrap(),
        database,
        clock,
        random: Random::seeded(seed),
        queued: tokio::sync::Notify::new(),
        config,
    })
}

/// The URL of an empty database of the kind the run is for; on SQLite it lies in the folder.
pub async fn database_url(folder: &Path) -> String {
    database::Temporary::create(folder).await.url().to_owned()
}

/// The linepress binary that `cargo xtask test` built.
pub fn binary() -> PathBuf {
    from_environment("LINEPRESS_TEST_BINARY")
}

pub fn from_environment(name: &str) -> PathBuf {
    std::env::var_os(name)
        .map(PathBuf::from)
        .unwrap_or_else(|| panic!("{name} is not set: run the tests with `cargo xtask test`"))
}

/// One folder with links to the shipped plugins and the test bed's.
pub fn plugins_dir(within: &Path) -> PathBuf {
    let all = within.join("plugins.d");
    std::fs::create_dir(&all).unwrap();
    for source in ["LINEPRESS_TEST_PLUGINS", "LINEPRESS_TEST_TESTBED"].map(from_environment) {
        for folder in std::fs::read_dir(source).unwrap().map(Result::unwrap) {
            let id = folder.file_name().into_string().unwrap();
            // The others misbehave at load, and have tests of their own.
            if [
                "linepress.",
                "testbed.plain",
                "testbed.flaky",
                "testbed.slow",
                "testbed.spin",
                "testbed.trap",
                "testbed.garbage",
                "testbed.flood",
                "testbed.glutton",
                "testbed.babbler",
                "testbed.moody",
            ]
            .iter()
            .any(|wanted| id.starts_with(wanted))
            {
                std::os::unix::fs::symlink(folder.path(), all.join(id)).unwrap();
            }
        }
    }
    all
}

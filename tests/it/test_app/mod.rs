//! The application under test: a server with a fixed clock and seeded randomness, on the database the run is for.
mod accepted;
mod actor;
mod agent;
mod authenticator;
mod browser;
mod builder;
mod certificate;
mod database;
mod environment;
mod form;
mod grants;
mod identity_provider;
mod locks;
mod log;
mod loopback;
mod mail_server;
mod object_store;
mod objects;
mod openapi;
mod operators;
mod own_plugins;
pub(crate) mod pictures;
mod relay;
mod resources;
mod web;

use std::sync::atomic::AtomicU32;
use std::time::{Duration, Instant};

use crate::testing;
use axum::Router;
use linepress_accounts::accounts::{self, Account, Plan};
use linepress_platform::app::App;
use linepress_platform::clock::Clock;
use linepress_platform::config::Config;
use linepress_platform::database::{CursorSeal, Database, WaitLimits};
use tempfile::TempDir;

pub(crate) use builder::Builder;

pub(crate) use accepted::Accepted;
pub(crate) use actor::{Actor, Reply};
pub(crate) use agent::{Agent, Answer, Era, last_message, messages};
pub(crate) use authenticator::{Authenticator, SECOND_FACTOR, TIME_STEP};
pub(crate) use browser::{Browser, Html, PASSWORD, borrowed};
pub(crate) use certificate::SelfSigned;
pub(crate) use database::{empty_database, make_tables, sqlite};
pub(crate) use environment::{binary, copy_folder, from_environment, install_plugins};
pub(crate) use form::Form;
pub(crate) use grants::Granted;
pub(crate) use identity_provider::{CLIENT_ID, CLIENT_SECRET, ISSUER, IdentityProvider};
pub(crate) use log::Log;
pub(crate) use loopback::Loopback;
pub(crate) use mail_server::{MailBehavior, MailServer, Protection};
pub(crate) use object_store::ObjectStore;
pub(crate) use openapi::operations;
pub(crate) use operators::{OPERATOR, all_accounts};
pub(crate) use relay::Relay;
pub(crate) use resources::{Attempts, Resources, book_of, id};
pub(crate) use web::{Page, Tripwire, Web};

/// The time after which `wait_until` gives up.
const MAX_WAIT: Duration = Duration::from_secs(120);

/// The pause between two checks of a condition.
const CHECK_INTERVAL: Duration = Duration::from_millis(5);

/// Polls until the condition holds; fails after two minutes with the description of what was waited for.
pub(crate) async fn wait_until(what: &str, condition: impl AsyncFn() -> bool) {
    let began = Instant::now();
    while !condition().await {
        assert!(began.elapsed() < MAX_WAIT, "not within {MAX_WAIT:?}: {what}");
        tokio::time::sleep(CHECK_INTERVAL).await;
    }
}

/// Polls like `wait_until`, for tests without a runtime.
#[track_caller]
pub(crate) fn block_until(what: &str, mut condition: impl FnMut() -> bool) {
    let began = Instant::now();
    while !condition() {
        assert!(began.elapsed() < MAX_WAIT, "not within {MAX_WAIT:?}: {what}");
        std::thread::sleep(CHECK_INTERVAL);
    }
}

/// A server that is deleted with all its data when this is dropped.
pub(crate) struct TestApp {
    pub(crate) server: App,
    /// The router, created once because creating it takes as long as a dozen requests.
    router: Router,
    /// The number of idempotency keys that `new_key` has returned so far.
    keys: AtomicU32,
    pub(crate) objects: ObjectStore,
    _folder: TempDir,
}

impl TestApp {
    /// Starts an application with the test bed's plain provider, which draws at once.
    pub(crate) async fn start() -> Self {
        Self::builder().start().await
    }

    /// Returns a builder with the settings of `start`.
    pub(crate) fn builder() -> Builder {
        Builder::new()
    }

    /// Starts another node of the same installation, with the same database, objects and clock.
    pub(crate) async fn another_node(&self) -> App {
        self.another_node_with(|_| {}).await
    }

    /// Starts another node with other settings.
    pub(crate) async fn another_node_with(&self, change: impl FnOnce(&mut Config)) -> App {
        self.another_node_at_with(self.server.clock.clone(), change).await
    }

    /// Starts another node with another clock.
    pub(crate) async fn another_node_at(&self, clock: Clock) -> App {
        self.another_node_at_with(clock, |_| {}).await
    }

    /// Starts another node with another clock and other settings.
    pub(crate) async fn another_node_at_with(&self, clock: Clock, change: impl FnOnce(&mut Config)) -> App {
        let mut config = self.server.config.clone();
        change(&mut config);
        builder::node(config, builder::system_fetchers(), clock, 3).await
    }

    /// Starts another node whose connections to PostgreSQL go through a relay.
    pub(crate) async fn another_node_behind(&self, relay: &Relay, limits: WaitLimits) -> App {
        let mut config = self.server.config.clone();
        config.database_url = relay.url_of(&config.database_url);
        let database = Database::connect_within(&config.database_url, 4, limits).await.unwrap();
        let cursors = CursorSeal::new(b"secret");
        let clock = self.server.clock.clone();
        builder::node_on(config, database, cursors, builder::system_fetchers(), clock, 3).await
    }

    /// Starts another node whose PostgreSQL server refuses every connection.
    pub(crate) async fn node_without_its_database(&self) -> App {
        // Nothing listens there, because port 1 needs root.
        self.node_on_database("postgres://ada@127.0.0.1:1/books").await
    }

    /// Starts another node on this PostgreSQL server, to which it does not connect before the test calls it.
    pub(crate) async fn node_on_database(&self, url: &str) -> App {
        let database = Database::unconnected(url, 2).unwrap();
        let (config, clock) = (self.server.config.clone(), self.server.clock.clone());
        let cursors = CursorSeal::new(b"secret");
        builder::node_on(config, database, cursors, builder::system_fetchers(), clock, 3).await
    }

    /// Creates an account with a Business plan and returns a client with an API key of it.
    pub(crate) async fn account(&self, credits: i64) -> Actor {
        self.account_named("ada@example.com", Plan::Business, credits).await
    }

    pub(crate) async fn account_named(&self, email: &str, plan: Plan, credits: i64) -> Actor {
        let account = testing::create_account(&self.server, email, plan, credits)
            .await
            .unwrap();
        let (_, secret) = testing::create_key(&self.server, &account, "test").await.unwrap();
        self.with_key(secret.expose())
    }

    /// Returns the account with this email address.
    pub(crate) async fn account_of(&self, email: &str) -> Account {
        accounts::find(&self.server, email).await.unwrap().unwrap()
    }

    /// Returns the plan and the credits of the account with this email address.
    pub(crate) async fn standing(&self, email: &str) -> (Plan, i64) {
        let account = self.account_of(email).await;
        (account.plan, account.credits)
    }

    pub(crate) fn with_key(&self, key: &str) -> Actor {
        Actor::new(self.router.clone(), Some(key.into()))
    }

    /// Returns a client without an API key.
    pub(crate) fn anonymous(&self) -> Actor {
        Actor::new(self.router.clone(), None)
    }

    /// Returns the router of the server, with all interfaces.
    pub(crate) fn router(&self) -> Router {
        self.router.clone()
    }

    /// Draws every drawing job that is due now, without moving the clock.
    pub(crate) async fn draw_what_is_due(&self) {
        while testing::work_once(&self.server).await.unwrap() {}
    }

    /// Works until no drawing job is due any more, moving the clock past every delay; returns the number of attempts.
    pub(crate) async fn draw_everything(&self) -> usize {
        let mut attempts = 0;
        let mut idle = 0;
        while idle < 8 {
            if testing::work_once(&self.server).await.unwrap() {
                attempts += 1;
                idle = 0;
            } else {
                self.server.clock.advance(Duration::from_secs(10));
                idle += 1;
            }
        }
        attempts
    }

    /// Moves the clock until every current lease has expired.
    pub(crate) fn expire_leases(&self) {
        let lease = self.server.config.lease();
        self.server.clock.advance(lease + Duration::from_secs(1));
    }

    /// Fails if a balance differs from the sum of its ledger, or a counter from the number of rows it counts.
    pub(crate) async fn check_ledger(&self) {
        assert_eq!(linepress_accounts::credits::mismatches(&self.server).await.unwrap(), []);
        assert_eq!(accounts::miscounted(&self.server).await.unwrap(), []);
    }
}

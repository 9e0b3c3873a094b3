//! Values that are read when the text is written.
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::{Registry, Unit};

/// Values that are read when the text is written. What is `None` or empty is missing in the text.
#[derive(Clone, Debug, Default)]
pub struct Readings {
    /// `None` if the database did not respond.
    pub queue: Option<QueueReport>,
    pub providers: Vec<ProviderReport>,
    pub backup: BackupReport,
    /// True if the server is read-only; `None` if the database did not respond.
    pub is_in_maintenance: Option<bool>,
    pub connections: Vec<ConnectionsReport>,
}

/// The drawing jobs of all nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueReport {
    pub queued: u64,
    pub running: u64,
    /// The time since the oldest queued job was ordered; zero when none is queued.
    pub oldest_age: Duration,
}

/// An image provider that the settings name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProviderReport {
    pub id: String,
    /// True if it is loaded and not paused.
    pub is_available: bool,
}

/// The backups of the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BackupReport {
    /// The time since the last backup; `None` if there was none.
    pub age: Option<Duration>,
    /// The time between two backups of the settings; `None` if they name no place.
    pub interval: Option<Duration>,
}

/// The use of a pool of database connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionsReport {
    pub pool: &'static str,
    pub in_use: u64,
    pub idle: u64,
    /// The number of tasks that wait for a connection.
    pub waiting: u64,
    pub limit: u64,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct State {
    state: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Provider {
    provider: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Pool {
    pool: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct PoolState {
    pool: &'static str,
    state: &'static str,
}

type Whole = Gauge<u64, AtomicU64>;
type Seconds = Gauge<f64, AtomicU64>;

impl Readings {
    pub(crate) fn registry(&self, prefix: &str) -> Registry {
        let mut registry = Registry::with_prefix(prefix);
        self.register_database(&mut registry);
        if let Some(queue) = self.queue {
            queue.register(&mut registry);
        }
        self.backup.register(&mut registry);
        if let Some(is_in_maintenance) = self.is_in_maintenance {
            let maintenance: Whole = Gauge::default();
            maintenance.set(u64::from(is_in_maintenance));
            let help = "1 if the server is read-only for maintenance, otherwise 0";
            registry.register("maintenance", help, maintenance);
        }
        let available: Family<Provider, Whole> = Family::default();
        for ProviderReport { id, is_available } in &self.providers {
            let labels = Provider { provider: id.clone() };
            available.get_or_create(&labels).set(u64::from(*is_available));
        }
        let help = "1 if the image provider is loaded and not paused, otherwise 0";
        registry.register("provider_available", help, available);
        registry
    }

    fn register_database(&self, registry: &mut Registry) {
        let up: Whole = Gauge::default();
        up.set(u64::from(self.queue.is_some()));
        registry.register("database_up", "1 if the database responded, otherwise 0", up);
        let connections: Family<PoolState, Whole> = Family::default();
        let limits: Family<Pool, Whole> = Family::default();
        let waiting: Family<Pool, Whole> = Family::default();
        for report in &self.connections {
            let pool = report.pool;
            for (state, number) in [("in_use", report.in_use), ("idle", report.idle)] {
                connections.get_or_create(&PoolState { pool, state }).set(number);
            }
            limits.get_or_create(&Pool { pool }).set(report.limit);
            waiting.get_or_create(&Pool { pool }).set(report.waiting);
        }
        registry.register("database_connections", "Open connections to the database", connections);
        let help = "Most connections to the database that a pool opens";
        registry.register("database_connections_limit", help, limits);
        let help = "Tasks that wait for a connection to the database";
        registry.register("database_connections_waiting", help, waiting);
    }
}

impl BackupReport {
    fn register(self, registry: &mut Registry) {
        let ages = [
            ("backup_age", self.age, "Time since the last completed backup began"),
            (
                "backup_interval",
                self.interval,
                "Time between two backups of the settings",
            ),
        ];
        for (name, time, help) in ages {
            let Some(time) = time else { continue };
            let gauge: Seconds = Gauge::default();
            gauge.set(time.as_secs_f64());
            registry.register_with_unit(name, help, Unit::Seconds, gauge);
        }
    }
}

impl QueueReport {
    fn register(self, registry: &mut Registry) {
        let drawings: Family<State, Whole> = Family::default();
        for (state, number) in [("queued", self.queued), ("running", self.running)] {
            drawings.get_or_create(&State { state }).set(number);
        }
        let help = "Drawing jobs of all nodes that have not ended";
        registry.register("queue_drawings", help, drawings);
        let age: Seconds = Gauge::default();
        age.set(self.oldest_age.as_secs_f64());
        let help = "Time since the oldest queued drawing job was ordered";
        registry.register_with_unit("queue_oldest_age", help, Unit::Seconds, age);
    }
}

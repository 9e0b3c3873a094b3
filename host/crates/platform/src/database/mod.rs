//! The database: SQLite by default, PostgreSQL for several nodes; the same SQL for both.
pub mod aggregate;
mod batches;
mod catalog;
mod connection;
mod connections;
mod dialect;
mod file_pool;
mod lease_clock;
mod open;
mod page_of;
mod pulse;
mod reader;
mod restoring;
mod retention;
mod rows;
mod server_pool;
mod signal;
mod size;
mod waits;

use std::sync::Arc;
use std::time::{Duration, Instant};

use linepress_metrics::ConnectionsReport;
use sqlx::migrate::MigrateError;
use sqlx::{Connection as _, Executor as _};

use connections::Connections;
use open::Location;
use pulse::Pulse;
use signal::Outbox;

use crate::clock::{Clock, SharedClock, Timestamp};
use crate::error::{Error, Result};
use crate::probe::Probe;

pub use batches::batches;
pub use catalog::{Column, ColumnType, Table};
pub use connection::Tx;
pub(crate) use connections::is_unavailable;
pub use dialect::Dialect;
pub use lease_clock::LeaseClock;
pub use open::{OpenError, Place, RESTORE};
pub use page_of::{CursorScope, CursorSeal, PageOf, PageRequest};
pub use reader::Reader;
pub use restoring::Contents;
pub use rows::{Cell, Cells};
pub use waits::WaitLimits;

static MIGRATIONS: sqlx::migrate::Migrator = sqlx::migrate!("../../../migrations");

/// The connections for reading and for writing.
///
/// SQLite has one writer at a time. Passing the single writing connection on in order of arrival is fair and never
/// busy-waits, unlike many writers that poll a locked file. On PostgreSQL both are the same pool.
#[derive(Clone, Debug)]
pub struct Database {
    /// For single statements.
    pub read: Reader,
    read_transactions: Connections,
    write: Connections,
    probe: Arc<Probe>,
    pulse: Arc<Pulse>,
    outbox: Arc<Outbox>,
    pub dialect: Dialect,
    pub place: Place,
}

/// The pattern of this text alone, for `LIKE ... ESCAPE '!'`.
pub fn literal_pattern(text: &str) -> String {
    text.replace('!', "!!").replace('%', "!%").replace('_', "!_")
}

/// `$first, $first+1, ...`: `count` placeholders.
pub fn placeholders(first: usize, count: usize) -> String {
    let names: Vec<String> = (first..first + count).map(|number| format!("${number}")).collect();
    names.join(", ")
}

/// `($first, $first+1, ...), (...)`: the placeholders of `rows` rows of `columns` columns; `shared` is appended to each
/// row.
pub fn value_rows(first: usize, columns: usize, rows: usize, shared: &str) -> String {
    let row = |number: usize| format!("({}{shared})", placeholders(first + number * columns, columns));
    let rows: Vec<String> = (0..rows).map(row).collect();
    rows.join(", ")
}

impl Database {
    /// Connects; a SQLite file is created when it is missing.
    pub async fn connect(url: &str, connections: u32) -> Result<Self, OpenError> {
        Self::connect_within(url, connections, WaitLimits::default()).await
    }

    /// Connects with other time limits for a server.
    pub async fn connect_within(url: &str, connections: u32, limits: WaitLimits) -> Result<Self, OpenError> {
        let location = Location::of_url(url)?;
        location.create_private()?;
        location.check().await?;
        location.keep_from_others();
        Ok(Self::at(location, connections, limits))
    }

    /// Connects to a database that a server of this version has used; creates and changes nothing.
    pub async fn connect_existing(url: &str, connections: u32) -> Result<Self, OpenError> {
        let location = Location::of_url(url)?;
        location.check_existing().await?;
        Ok(Self::at(location, connections, WaitLimits::of_commands()))
    }

    /// Connects when the first statement runs.
    pub fn unconnected(url: &str, connections: u32) -> Result<Self, OpenError> {
        Ok(Self::at(Location::of_url(url)?, connections, WaitLimits::default()))
    }

    fn at(location: Location, connections: u32, limits: WaitLimits) -> Self {
        let Location {
            dialect,
            options,
            place,
        } = location;
        let connect = |size| Connections::new(&options, dialect, limits, size);
        let all = connect(connections);
        let (read, write) = match dialect {
            Dialect::Sqlite => (connect(connections), connect(1)),
            Dialect::Postgres => (all.clone(), all.clone()),
        };
        Self {
            read: Reader(read),
            read_transactions: all,
            write,
            probe: Arc::default(),
            pulse: Arc::default(),
            outbox: Arc::default(),
            dialect,
            place,
        }
    }

    /// Applies all missing migrations.
    pub async fn migrate(&self) -> Result<(), OpenError> {
        let migrated = self.try_to_migrate(None).await;
        let place = self.place.clone();
        migrated.map_err(|source| match source {
            // The database has a migration that this program does not contain.
            MigrateError::VersionMissing(_) => OpenError::Newer { place },
            source => OpenError::Migrate { place, source },
        })
    }

    async fn try_to_migrate(&self, last: Option<i64>) -> Result<(), MigrateError> {
        // Not returned to the pool, because its time limits are lifted.
        let mut connection = self.write.acquire().await?.detach();
        if let Some(unlimited) = self.dialect.unlimited() {
            connection.execute(unlimited).await?;
        }
        let migrated = match last {
            Some(version) => MIGRATIONS.run_to(version, &mut connection).await,
            None => MIGRATIONS.run(&mut connection).await,
        };
        connection.close().await?;
        migrated
    }

    /// Begins a transaction that may write.
    pub async fn begin(&self) -> sqlx::Result<Tx> {
        self.write.begin(self.dialect.begin()).await
    }

    /// Begins a transaction that only reads.
    pub async fn begin_read(&self) -> sqlx::Result<Tx> {
        self.read_transactions.begin("BEGIN").await
    }

    /// Fails when the database does not respond.
    pub async fn ping(&self) -> sqlx::Result<()> {
        sqlx::query("SELECT 1").execute(&self.read).await?;
        Ok(())
    }

    /// The time that all nodes share, as this transaction sees it: the database's clock if it is a server, unless a
    /// test fixed the time.
    pub async fn shared_time(&self, tx: &mut Tx, clock: &Clock) -> sqlx::Result<Timestamp> {
        match self.own_time(clock) {
            Some(statement) => sqlx::query_scalar(statement).fetch_one(&mut **tx).await,
            None => Ok(clock.now()),
        }
    }

    /// Like `shared_time`, outside a transaction.
    pub async fn shared_time_now(&self, clock: &Clock) -> sqlx::Result<Timestamp> {
        match self.own_time(clock) {
            Some(statement) => sqlx::query_scalar(statement).fetch_one(&self.read).await,
            None => Ok(clock.now()),
        }
    }

    /// The query for the time that all nodes share; `None` when `clock` has it.
    fn own_time(&self, clock: &Clock) -> Option<&'static str> {
        self.dialect.own_time().filter(|_| !clock.is_fixed())
    }

    /// A clock that agrees with those of all other nodes, for a machine with this clock. `watch` keeps it right.
    pub async fn shared_clock(&self, machine: Clock) -> sqlx::Result<Clock> {
        if self.own_time(&machine).is_none() || matches!(machine, Clock::Shared(_)) {
            return Ok(machine);
        }
        let now = self.shared_time_now(&machine).await?;
        Ok(Clock::Shared(SharedClock::new(machine, now)))
    }

    /// Pings the database, and sets a shared clock by its answer.
    pub(super) async fn set_clock(&self, clock: &Clock) -> sqlx::Result<()> {
        let Clock::Shared(shared) = clock else {
            return self.ping().await;
        };
        let before = Instant::now();
        let now = self.shared_time_now(clock).await?;
        shared.set(before, now, Instant::now());
        Ok(())
    }

    /// Returns true when the database can be written, or could be in the last seconds.
    pub async fn is_writable(&self, now: Timestamp) -> bool {
        self.probe.works("the database", now, self.try_writing()).await
    }

    /// Updates no row, and still fails when the database is read-only.
    async fn try_writing(&self) -> Result<()> {
        let mut tx = self.begin().await?;
        sqlx::query("UPDATE accounts SET plan = plan WHERE id = ''")
            .execute(&mut *tx)
            .await?;
        Ok(tx.rollback().await?)
    }

    /// The first errors in the pages of a database file; `None` for a server. Reads the whole file.
    pub async fn damage(&self) -> sqlx::Result<Option<Vec<String>>> {
        let Some(statement) = self.dialect.check_of_pages() else {
            return Ok(None);
        };
        let found: Vec<String> = sqlx::query_scalar(statement).fetch_all(&self.read).await?;
        Ok(Some(found.into_iter().filter(|line| line != "ok").collect()))
    }

    /// The value to bind for `Dialect::lease_time`: `None` when the database's clock counts, unless a test fixed the
    /// time.
    pub(crate) fn lease_time(&self, clock: &Clock) -> Option<Timestamp> {
        match self.own_time(clock) {
            Some(_) => None,
            None => Some(clock.now()),
        }
    }

    /// The largest difference that networks and schedulers explain.
    pub const TOLERABLE_CLOCK_DIFFERENCE: Duration = Duration::from_secs(2);

    /// The largest difference with which a node counts as ready: certificates, signatures for S3 servers, and the times
    /// of files depend on the machine's own time.
    pub const MAX_CLOCK_DIFFERENCE: Duration = Duration::from_secs(60);

    /// The difference between this machine's clock and the database's; `None` when the database has no clock.
    pub async fn clock_difference(&self, clock: &Clock) -> sqlx::Result<Option<Duration>> {
        let Some(statement) = self.own_time(clock) else {
            return Ok(None);
        };
        let before = clock.machine_time();
        let there: Timestamp = sqlx::query_scalar(statement).fetch_one(&self.read).await?;
        let after = clock.machine_time();
        // The server read its clock between `before` and `after`, so a time between them is no difference.
        Ok(Some(there.since(after).max(before.since(there))))
    }

    /// The use of each pool of connections. On PostgreSQL there is one for reading and writing.
    pub fn connections(&self) -> Vec<ConnectionsReport> {
        match self.dialect {
            Dialect::Postgres => vec![self.write.report("all")],
            Dialect::Sqlite => vec![
                self.read.0.report("read"),
                self.read_transactions.report("read_transactions"),
                self.write.report("write"),
            ],
        }
    }

    pub async fn close(&self) {
        self.read.0.close().await;
        self.read_transactions.close().await;
        self.write.close().await;
    }
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        if is_unavailable(&error) {
            return Self::unavailable(error);
        }
        Self::internal(error)
    }
}

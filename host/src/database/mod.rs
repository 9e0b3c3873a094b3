//! The database: SQLite by default, PostgreSQL to grow; one SQL for both.
pub mod aggregate;
mod connections;
mod dialect;
mod lease_clock;
mod open;
mod page_of;
mod reader;

use std::sync::Arc;
use std::time::Duration;

use sqlx::any::AnyPoolOptions;
use sqlx::migrate::MigrateError;
use sqlx::{Any, Executor, Transaction};

use connections::PatientPool;
use open::Location;

use crate::clock::{Clock, Timestamp};
use crate::error::Result;
use crate::probe::Probe;

pub(crate) use connections::is_out_of_reach;
pub use dialect::Dialect;
pub(crate) use lease_clock::LeaseClock;
pub use open::{OpenError, Place, RESTORE};
pub use page_of::{CursorScope, CursorSeal, PageOf, PageRequest};
pub use reader::Reader;

static MIGRATIONS: sqlx::migrate::Migrator = sqlx::migrate!("../migrations");

/// Connections for reading, and for writing.
///
/// SQLite has one writer at a time. Handing its one writing connection round in order of arrival
/// is fair and never busy-waits, which many writers polling a locked file would. On PostgreSQL
/// both are the same pool.
#[derive(Clone, Debug)]
pub struct Database {
    /// For single statements.
    pub read: Reader,
    read_transactions: PatientPool,
    write: PatientPool,
    probe: Arc<Probe>,
    pub dialect: Dialect,
    pub place: Place,
}

pub type Tx = Transaction<'static, Any>;

/// `$first, $first+1, ...`: as many as there are ids to look for.
pub fn placeholders(first: usize, count: usize) -> String {
    let names: Vec<String> = (first..first + count).map(|number| format!("${number}")).collect();
    names.join(", ")
}

/// `($first, $first+1, ...), (...)`: the values of so many rows of so many columns, each followed by what all rows share.
pub fn value_rows(first: usize, columns: usize, rows: usize, shared: &str) -> String {
    let row = |number: usize| format!("({}{shared})", placeholders(first + number * columns, columns));
    let rows: Vec<String> = (0..rows).map(row).collect();
    rows.join(", ")
}

/// Begins in a task of its own, which a request that ends early does not cancel: sqlx 0.9.0 gives a connection whose BEGIN
/// was canceled back to the pool with the transaction open (https://github.com/launchbadge/sqlx/issues/4393).
async fn uncanceled(begin: impl Future<Output = sqlx::Result<Tx>> + Send + 'static) -> sqlx::Result<Tx> {
    match tokio::spawn(begin).await {
        Ok(begun) => begun,
        Err(error) => Err(sqlx::Error::AnyDriverError(error.into())),
    }
}

impl Database {
    /// Connects; a SQLite file is created when it is missing.
    pub async fn connect(url: &str, connections: u32) -> Result<Self, OpenError> {
        let location = Location::of_url(url)?;
        location.create_private()?;
        location.check().await?;
        Ok(Self::at(location, connections))
    }

    /// Connects to a database that a server of this version has used; makes and changes nothing.
    pub async fn connect_existing(url: &str, connections: u32) -> Result<Self, OpenError> {
        let location = Location::of_url(url)?;
        location.check_existing().await?;
        Ok(Self::at(location, connections))
    }

    /// Connects when it is asked something for the first time.
    pub fn unconnected(url: &str, connections: u32) -> Result<Self, OpenError> {
        Ok(Self::at(Location::of_url(url)?, connections))
    }

    fn at(location: Location, connections: u32) -> Self {
        let Location {
            dialect,
            options,
            place,
        } = location;
        let pool = |size: u32| {
            let pool = AnyPoolOptions::new()
                .max_connections(size)
                .acquire_timeout(Duration::from_secs(30))
                .test_before_acquire(dialect == Dialect::Postgres)
                .after_connect(move |connection, _| {
                    Box::pin(async move {
                        if let Some(settings) = dialect.connection_settings() {
                            connection.execute(settings).await?;
                        }
                        Ok(())
                    })
                });
            PatientPool::new(pool.connect_lazy_with(options.clone()), &options, dialect)
        };
        let all = pool(connections);
        let (read, write) = match dialect {
            Dialect::Sqlite => (
                Reader::untested(options.clone(), dialect, connections as usize),
                pool(1),
            ),
            Dialect::Postgres => (Reader::of_pool(all.clone()), all.clone()),
        };
        Self {
            read,
            read_transactions: all,
            write,
            probe: Arc::default(),
            dialect,
            place,
        }
    }

    /// Applies the migrations that are missing.
    pub async fn migrate(&self) -> Result<(), OpenError> {
        let migrated = MIGRATIONS.run(self.write.pool()).await;
        let place = self.place.clone();
        migrated.map_err(|source| match source {
            // One that was applied is not among those of this program.
            MigrateError::VersionMissing(_) => OpenError::Newer { place },
            source => OpenError::Migrate { place, source },
        })
    }

    /// Begins a transaction that may write.
    pub async fn begin(&self) -> sqlx::Result<Tx> {
        let (pool, statement) = (self.write.clone(), self.dialect.begin());
        let begun = async move {
            match pool.begin(statement).await {
                // SQLite undid a transaction by itself, because the disk was full, and sqlx counts it as open for ever.
                Err(sqlx::Error::InvalidSavePointStatement) => {
                    pool.acquire().await?.close().await?;
                    pool.begin(statement).await
                }
                begun => begun,
            }
        };
        uncanceled(begun).await
    }

    /// Begins a transaction that only reads.
    pub async fn begin_read(&self) -> sqlx::Result<Tx> {
        let pool = self.read_transactions.clone();
        uncanceled(async move { pool.begin("BEGIN").await }).await
    }

    /// Whether the database responds.
    pub async fn ping(&self) -> sqlx::Result<()> {
        sqlx::query("SELECT 1").execute(&self.read).await?;
        Ok(())
    }

    /// The time that all nodes share, as this transaction sees it: that of the database where it has a clock of its own, unless
    /// time stands still for a test.
    pub(crate) async fn shared_time(&self, tx: &mut Tx, clock: &Clock) -> sqlx::Result<Timestamp> {
        match (self.dialect.own_time(), clock) {
            (Some(statement), Clock::System | Clock::Ahead(_)) => {
                sqlx::query_scalar(statement).fetch_one(&mut **tx).await
            }
            _ => Ok(clock.now()),
        }
    }

    /// Whether it could be written just now, or some seconds ago.
    pub async fn is_writable(&self, now: Timestamp) -> bool {
        self.probe.works("the database", now, self.try_writing()).await
    }

    /// It changes nothing, and fails all the same where nothing may be changed.
    async fn try_writing(&self) -> Result<()> {
        let mut tx = self.begin().await?;
        sqlx::query("UPDATE accounts SET plan = plan WHERE id = ''")
            .execute(&mut *tx)
            .await?;
        Ok(tx.rollback().await?)
    }

    /// What is wrong with the pages of the database, some of it; None where it looks after them itself. Reads all of it.
    pub async fn damage(&self) -> sqlx::Result<Option<Vec<String>>> {
        let Some(statement) = self.dialect.check_of_pages() else {
            return Ok(None);
        };
        let found: Vec<String> = sqlx::query_scalar(statement).fetch_all(&self.read).await?;
        Ok(Some(found.into_iter().filter(|line| line != "ok").collect()))
    }

    /// What a statement with `Dialect::lease_time` is bound: nothing where the database's own clock counts, unless time
    /// stands still for a test.
    pub(crate) fn lease_time(&self, clock: &Clock) -> Option<Timestamp> {
        match (self.dialect, clock) {
            (Dialect::Postgres, Clock::System | Clock::Ahead(_)) => None,
            _ => Some(clock.now()),
        }
    }

    /// More than networks and schedulers explain.
    pub const TOLERABLE_CLOCK_DIFFERENCE: Duration = Duration::from_secs(2);

    /// How far this machine's clock is from the database's, where that has one of its own.
    pub async fn clock_difference(&self, clock: &Clock) -> sqlx::Result<Option<Duration>> {
        let Some(statement) = self.dialect.own_time() else {
            return Ok(None);
        };
        let before = clock.now();
        let there: Timestamp = sqlx::query_scalar(statement).fetch_one(&self.read).await?;
        let after = clock.now();
        // Read somewhere between the two: what lies there is no difference.
        Ok(Some(there.since(after).max(before.since(there))))
    }

    pub async fn close(&self) {
        self.read.close().await;
        self.read_transactions.pool().close().await;
        self.write.pool().close().await;
    }
}

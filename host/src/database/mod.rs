//! The database: SQLite by default, PostgreSQL to grow; one SQL for both.
pub mod aggregate;
mod dialect;
mod page_of;
mod reader;

use std::time::Duration;

use sqlx::any::{AnyConnectOptions, AnyPoolOptions};
use sqlx::{Any, AnyPool, Executor, Transaction};

use crate::clock::{Clock, Timestamp};

pub use dialect::Dialect;
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
    read_transactions: AnyPool,
    write: AnyPool,
    pub dialect: Dialect,
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
        Err(error) => Err(sqlx::Error::Io(std::io::Error::other(error))),
    }
}

/// Why the database could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    #[error("database_url {0:?} is neither sqlite: nor postgres:")]
    Scheme(String),
    #[error("the database cannot be opened: {0}")]
    Connect(#[source] sqlx::Error),
    #[error("the database cannot be brought up to date: {0}")]
    Migrate(#[source] sqlx::migrate::MigrateError),
}

impl Database {
    /// Connects; a SQLite file is created when it is missing.
    pub async fn connect(url: &str, connections: u32) -> Result<Self, OpenError> {
        sqlx::any::install_default_drivers();
        let dialect =
            Dialect::of_url(url).ok_or_else(|| OpenError::Scheme(url.split(':').next().unwrap_or("").into()))?;
        let options: AnyConnectOptions = url.parse().map_err(OpenError::Connect)?;
        let pool = |size: u32| {
            AnyPoolOptions::new()
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
                })
        };
        match dialect {
            Dialect::Sqlite => {
                let write = pool(1).connect_with(options.clone()).await;
                Ok(Self {
                    read: Reader::untested(options.clone(), dialect, connections as usize),
                    read_transactions: pool(connections).connect_lazy_with(options),
                    write: write.map_err(OpenError::Connect)?,
                    dialect,
                })
            }
            Dialect::Postgres => {
                let all = pool(connections).connect_with(options).await;
                let all = all.map_err(OpenError::Connect)?;
                Ok(Self {
                    read: Reader::of_pool(all.clone()),
                    read_transactions: all.clone(),
                    write: all,
                    dialect,
                })
            }
        }
    }

    /// Applies the migrations that are missing.
    pub async fn migrate(&self) -> Result<(), OpenError> {
        MIGRATIONS.run(&self.write).await.map_err(OpenError::Migrate)
    }

    /// Begins a transaction that may write.
    pub async fn begin(&self) -> sqlx::Result<Tx> {
        let (pool, statement) = (self.write.clone(), self.dialect.begin());
        uncanceled(async move { pool.begin_with(statement).await }).await
    }

    /// Begins a transaction that only reads.
    pub async fn begin_read(&self) -> sqlx::Result<Tx> {
        let pool = self.read_transactions.clone();
        uncanceled(async move { pool.begin().await }).await
    }

    /// Whether the database responds.
    pub async fn ping(&self) -> sqlx::Result<()> {
        sqlx::query("SELECT 1").execute(&self.read).await?;
        Ok(())
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
        self.read_transactions.close().await;
        self.write.close().await;
    }
}

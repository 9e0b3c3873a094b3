//! The database: SQLite by default, PostgreSQL to grow; one SQL for both.
pub mod aggregate;
mod dialect;
mod page_of;

use std::time::Duration;

use sqlx::any::{AnyConnectOptions, AnyPoolOptions};
use sqlx::{Any, AnyPool, Executor, Transaction};

pub use dialect::Dialect;
pub use page_of::{CursorScope, CursorSeal, PageOf, PageRequest};

static MIGRATIONS: sqlx::migrate::Migrator = sqlx::migrate!("../migrations");

/// Connections for reading, and for writing.
///
/// SQLite has one writer at a time. Handing its one writing connection round in order of arrival
/// is fair and never busy-waits, which many writers polling a locked file would. On PostgreSQL
/// both are the same pool.
#[derive(Clone, Debug)]
pub struct Database {
    pub read: AnyPool,
    write: AnyPool,
    pub dialect: Dialect,
}

pub type Tx = Transaction<'static, Any>;

/// `$first, $first+1, ...`: as many as there are ids to look for.
pub fn placeholders(first: usize, count: usize) -> String {
    let names: Vec<String> = (first..first + count).map(|number| format!("${number}")).collect();
    names.join(", ")
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
        let (read, write) = match dialect {
            Dialect::Sqlite => {
                let write = pool(1)
                    .connect_with(options.clone())
                    .await
                    .map_err(OpenError::Connect)?;
                (
                    pool(connections)
                        .connect_with(options)
                        .await
                        .map_err(OpenError::Connect)?,
                    write,
                )
            }
            Dialect::Postgres => {
                let both = pool(connections)
                    .connect_with(options)
                    .await
                    .map_err(OpenError::Connect)?;
                (both.clone(), both)
            }
        };
        Ok(Self { read, write, dialect })
    }

    /// Applies the migrations that are missing.
    pub async fn migrate(&self) -> Result<(), OpenError> {
        MIGRATIONS.run(&self.write).await.map_err(OpenError::Migrate)
    }

    /// Begins a transaction that may write.
    pub async fn begin(&self) -> sqlx::Result<Tx> {
        self.write.begin_with(self.dialect.begin()).await
    }

    /// Begins a transaction that only reads.
    pub async fn begin_read(&self) -> sqlx::Result<Tx> {
        self.read.begin().await
    }

    /// Whether the database responds.
    pub async fn ping(&self) -> sqlx::Result<()> {
        sqlx::query("SELECT 1").execute(&self.read).await?;
        Ok(())
    }

    pub async fn close(&self) {
        self.read.close().await;
        self.write.close().await;
    }
}

//! Connections to a database in a file.
//!
//! The pool of sqlx pings each connection that is returned, in a task of its own (`return_to_pool` in sqlx-core 0.9).
//! That doubles the cost of a look-up by an index, and the next writer waits for it. A connection to a file needs no
//! such test.
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use deadpool::Runtime;
use deadpool::managed::{Manager, Metrics, Object, Pool, PoolError, QueueMode, RecycleResult};
use sqlx::any::AnyConnectOptions;
use sqlx::{AnyConnection, AssertSqlSafe, Connection as _, Executor as _};

use linepress_metrics::ConnectionsReport;

use super::{Dialect, WaitLimits};

/// The time limit for acquiring a connection: writers take turns in order of arrival.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(30);

/// The wait for a connection from which it is logged.
const SLOW_ACQUIRE: Duration = Duration::from_secs(2);

/// The interval at which a pool that is being closed looks for connections that were returned.
const CLOSE_POLL_INTERVAL: Duration = Duration::from_millis(5);

/// A pool that opens each connection when it is first needed.
#[derive(Clone, Debug)]
pub(super) struct FilePool {
    pool: Pool<Opener>,
    is_closing: Arc<AtomicBool>,
}

/// A connection that returns to its pool when it is dropped.
pub(super) type FileConnection = Object<Opener>;

#[derive(Debug)]
pub(super) struct Opener {
    options: AnyConnectOptions,
    settings: String,
}

impl Manager for Opener {
    type Type = AnyConnection;
    type Error = sqlx::Error;

    async fn create(&self) -> sqlx::Result<AnyConnection> {
        let mut connection = AnyConnection::connect_with(&self.options).await?;
        connection.execute(AssertSqlSafe(self.settings.clone())).await?;
        Ok(connection)
    }

    async fn recycle(&self, _: &mut AnyConnection, _: &Metrics) -> RecycleResult<sqlx::Error> {
        Ok(())
    }
}

impl FilePool {
    pub(super) fn new(options: &AnyConnectOptions, limits: WaitLimits, size: u32) -> Self {
        let opener = Opener {
            options: options.clone(),
            settings: Dialect::Sqlite.connection_settings(limits),
        };
        let pool = Pool::builder(opener)
            .max_size(size as usize)
            // Under light load, the other connections do not fill their caches.
            .queue_mode(QueueMode::Lifo)
            .wait_timeout(Some(ACQUIRE_TIMEOUT))
            .runtime(Runtime::Tokio1)
            .build();
        Self {
            pool: pool.expect("the timeout has the runtime that it needs"),
            is_closing: Arc::default(),
        }
    }

    pub(super) async fn acquire(&self) -> sqlx::Result<FileConnection> {
        let began = Instant::now();
        self.refuse_if_closing()?;
        let connection = self.pool.get().await.map_err(|error| match error {
            PoolError::Backend(error) => error,
            PoolError::Closed => sqlx::Error::PoolClosed,
            PoolError::Timeout(_) => sqlx::Error::PoolTimedOut,
            other => sqlx::Error::Io(std::io::Error::other(other)),
        })?;
        self.refuse_if_closing()?;
        if began.elapsed() >= SLOW_ACQUIRE {
            let seconds = began.elapsed().as_secs();
            tracing::warn!(seconds, "a database connection was available only after a wait");
        }
        Ok(connection)
    }

    fn refuse_if_closing(&self) -> sqlx::Result<()> {
        match self.is_closing.load(Ordering::SeqCst) {
            true => Err(sqlx::Error::PoolClosed),
            false => Ok(()),
        }
    }

    /// The use of its connections.
    pub(super) fn report(&self, pool: &'static str) -> ConnectionsReport {
        let status = self.pool.status();
        ConnectionsReport {
            pool,
            in_use: status.size.saturating_sub(status.available) as u64,
            idle: status.available as u64,
            waiting: status.waiting as u64,
            limit: status.max_size as u64,
        }
    }

    /// Closes all connections, each once it is returned. The last one that closes empties the write-ahead log.
    pub(super) async fn close(&self) {
        self.is_closing.store(true, Ordering::SeqCst);
        loop {
            for connection in self.pool.retain(|_, _| false).removed {
                if let Err(error) = connection.close().await {
                    tracing::debug!(%error, "a connection to the database file could not be closed");
                }
            }
            if self.pool.status().size == 0 {
                break;
            }
            tokio::time::sleep(CLOSE_POLL_INTERVAL).await;
        }
        // A closed pool would drop what is returned, and nothing could wait until SQLite has closed the file.
        self.pool.close();
    }
}

#[cfg(test)]
mod tests {
    use super::super::Database;

    #[tokio::test]
    async fn closing_waits_for_a_transaction_that_was_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("linepress.db");
        let url = format!("sqlite://{}?mode=rwc", file.display());
        let database = Database::connect(&url, 2).await.unwrap();
        database.migrate().await.unwrap();
        // Its ROLLBACK runs in a task.
        drop(database.begin().await.unwrap());
        database.close().await;
        assert!(!folder.path().join("linepress.db-wal").exists());
        assert!(database.begin().await.is_err());
        let again = Database::connect_existing(&url, 2).await.unwrap();
        again.begin().await.unwrap().rollback().await.unwrap();
        again.close().await;
    }
}

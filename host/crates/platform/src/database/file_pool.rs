//! Connections to a database in a file.
//!
//! The pool of sqlx pings each connection that is returned, in a task of its own (`return_to_pool` in sqlx-core 0.9). That
//! doubles the cost of a look-up by an index, and the next writer waits for it. A connection to a file needs no such test.
use std::time::Duration;

use deadpool::Runtime;
use deadpool::managed::{Manager, Metrics, Object, Pool, PoolError, RecycleResult};
use sqlx::any::AnyConnectOptions;
use sqlx::{AnyConnection, AssertSqlSafe, Connection as _, Executor as _};

use linepress_metrics::ConnectionsReport;

use super::{Dialect, WaitLimits};

/// The time limit for acquiring a connection: writers take turns in order of arrival.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(30);

/// A pool that opens each connection when it is first needed.
#[derive(Clone, Debug)]
pub(super) struct FilePool(Pool<Opener>);

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
            .wait_timeout(Some(ACQUIRE_TIMEOUT))
            .runtime(Runtime::Tokio1)
            .build();
        Self(pool.expect("the timeout has the runtime that it needs"))
    }

    pub(super) async fn acquire(&self) -> sqlx::Result<FileConnection> {
        self.0.get().await.map_err(|error| match error {
            PoolError::Backend(error) => error,
            PoolError::Closed => sqlx::Error::PoolClosed,
            PoolError::Timeout(_) => sqlx::Error::PoolTimedOut,
            other => sqlx::Error::Io(std::io::Error::other(other)),
        })
    }

    /// The use of its connections.
    pub(super) fn report(&self, pool: &'static str) -> ConnectionsReport {
        let status = self.0.status();
        ConnectionsReport {
            pool,
            in_use: status.size.saturating_sub(status.available) as u64,
            idle: status.available as u64,
            waiting: status.waiting as u64,
            limit: status.max_size as u64,
        }
    }

    /// Closes the idle connections; the others close when they are returned. The last one that closes empties the
    /// write-ahead log.
    pub(super) async fn close(&self) {
        let idle = self.0.retain(|_, _| false).removed;
        self.0.close();
        for connection in idle {
            if let Err(error) = connection.close().await {
                tracing::debug!(%error, "a connection to the database file could not be closed");
            }
        }
    }
}

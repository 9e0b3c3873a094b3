//! Connections to a database server, with the reason when none is available.
//!
//! A PostgreSQL server that refuses connections may be starting, so the pool of sqlx retries until its acquire timeout
//! and then fails without the cause (`PoolInner::connect` in sqlx-core 0.9). A client must not wait that long for a
//! database that is down, and an operator needs the cause.
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use sqlx::any::{AnyConnectOptions, AnyPoolOptions};
use sqlx::pool::PoolConnection;
use sqlx::{Any, AnyConnection, AnyPool, AssertSqlSafe, Connection as _, Executor as _};

use linepress_metrics::ConnectionsReport;

use super::connection::within;
use super::{Dialect, WaitLimits};

/// The time to wait for a pooled connection before checking that the server accepts connections at all.
const PROBE_DELAY: Duration = Duration::from_secs(3);

/// The time limit of that check.
const PROBE_TIMEOUT: Duration = Duration::from_secs(1);

/// A pool that fails soon when the server accepts no connections, and waits its turn when all connections are in use.
#[derive(Clone, Debug)]
pub(super) struct ServerPool {
    pool: AnyPool,
    server: Arc<(AnyConnectOptions, WaitLimits)>,
    waiting: Arc<AtomicU64>,
}

/// A task that waits for a connection, counted until this value is dropped.
struct Waiting<'a>(&'a AtomicU64);

impl<'a> Waiting<'a> {
    fn count(number: &'a AtomicU64) -> Self {
        number.fetch_add(1, Ordering::Relaxed);
        Self(number)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl ServerPool {
    /// Creates the pool. It connects when the first connection is acquired.
    pub(super) fn new(options: &AnyConnectOptions, limits: WaitLimits, size: u32) -> Self {
        let settings = Dialect::Postgres.connection_settings(limits);
        let pool = AnyPoolOptions::new()
            .max_connections(size)
            .acquire_timeout(limits.connection)
            // `before_acquire` pings instead, with a time limit.
            .test_before_acquire(false)
            .after_connect(move |connection, _| {
                let settings = settings.clone();
                Box::pin(async move {
                    connection.execute(AssertSqlSafe(settings)).await?;
                    Ok(())
                })
            })
            .before_acquire(move |connection, _| {
                Box::pin(async move { Ok(within(Some(limits.check), connection.ping()).await.is_ok()) })
            });
        Self {
            pool: pool.connect_lazy_with(options.clone()),
            server: Arc::new((options.clone(), limits)),
            waiting: Arc::default(),
        }
    }

    pub(super) async fn acquire(&self) -> sqlx::Result<PoolConnection<Any>> {
        let _waiting = Waiting::count(&self.waiting);
        let mut acquired = std::pin::pin!(self.pool.acquire());
        match tokio::time::timeout(PROBE_DELAY, &mut acquired).await {
            Ok(acquired) => acquired,
            Err(_) => {
                check_accepts_connections(&self.server.0).await?;
                acquired.await
            }
        }
    }

    /// The use of its connections.
    pub(super) fn report(&self, pool: &'static str) -> ConnectionsReport {
        let (open, idle) = (u64::from(self.pool.size()), self.pool.num_idle() as u64);
        ConnectionsReport {
            pool,
            in_use: open.saturating_sub(idle),
            idle,
            waiting: self.waiting.load(Ordering::Relaxed),
            limit: self.pool.options().get_max_connections().into(),
        }
    }

    /// The server's address and the time limits for it.
    pub(super) fn server(&self) -> (&AnyConnectOptions, WaitLimits) {
        (&self.server.0, self.server.1)
    }

    pub(super) async fn close(&self) {
        self.pool.close().await;
    }
}

/// Fails when the server does not accept a connection.
async fn check_accepts_connections(server: &AnyConnectOptions) -> sqlx::Result<()> {
    let connected = async { AnyConnection::connect_with(server).await?.close().await };
    let in_time = tokio::time::timeout(PROBE_TIMEOUT, connected).await;
    in_time.unwrap_or_else(|_| Err(sqlx::Error::Io(io::ErrorKind::TimedOut.into())))
}

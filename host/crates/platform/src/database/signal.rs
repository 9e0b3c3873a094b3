//! A signal from one node to all others: a drawing was queued.
//!
//! It is PostgreSQL's NOTIFY. A signal may be lost with a connection or a process, so a node that waits for one looks
//! for work itself from time to time. On SQLite there are no other nodes.
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use sqlx::any::AnyConnectOptions;
use sqlx::postgres::{PgConnectOptions, PgListener, PgPoolOptions};
use sqlx::{AssertSqlSafe, Executor as _};
use tokio::sync::Mutex;

use super::connection::within;
use super::{Database, WaitLimits};

/// The channel of the signal; `Dialect::signal` names it, too.
const CHANNEL: &str = "linepress_queued";

/// The time without a signal after which the connection is checked. A network may lose it silently.
const CHECK_INTERVAL: Duration = Duration::from_secs(30);

/// The delay before a lost connection is replaced.
const RECONNECT_DELAY: Duration = Duration::from_secs(1);

/// The signals that this node is about to send. Those that are sent at the same moment become one.
#[derive(Debug, Default)]
pub(super) struct Outbox {
    is_due: AtomicBool,
    sending: Mutex<()>,
}

impl Database {
    /// Sends the signal to all nodes, without waiting until it is sent. Call it after the commit: a signal within a
    /// transaction would make all commits that send one wait for each other.
    pub fn signal(&self) {
        let Some(statement) = self.dialect.signal() else { return };
        if self.outbox.is_due.swap(true, Ordering::SeqCst) {
            return;
        }
        let database = self.clone();
        tokio::spawn(async move {
            let _turn = database.outbox.sending.lock().await;
            database.outbox.is_due.store(false, Ordering::SeqCst);
            if let Err(error) = sqlx::query(statement).execute(&database.read).await {
                tracing::warn!(%error, "other nodes were not notified of a queued drawing; they look for it later");
            }
        });
    }

    /// Calls `received` for each signal, and whenever one may have been missed, until the future is dropped. Returns at
    /// once on SQLite.
    pub async fn receive_signals(&self, received: impl Fn()) {
        let Some((server, limits)) = self.write.server() else {
            return;
        };
        let mut was_lost = false;
        loop {
            let lost = match listen(server, limits).await {
                Ok(listener) => {
                    if was_lost {
                        tracing::info!("the node is notified of queued drawings again");
                    }
                    was_lost = false;
                    follow(listener, limits, &received).await
                }
                Err(error) => error,
            };
            if was_lost {
                tracing::debug!(error = %lost, "the node is still not notified of queued drawings");
            } else {
                tracing::warn!(error = %lost, "the node is not notified of queued drawings; it looks for them itself");
            }
            was_lost = true;
            tokio::time::sleep(RECONNECT_DELAY).await;
        }
    }
}

/// Connects and subscribes to the signal.
async fn listen(server: &AnyConnectOptions, limits: WaitLimits) -> sqlx::Result<PgListener> {
    let options: PgConnectOptions = server.database_url.as_str().parse()?;
    // The listener takes its connection from a pool.
    let pool = PgPoolOptions::new()
        .max_connections(1)
        .acquire_timeout(limits.connection)
        .connect_lazy_with(options);
    let mut listener = PgListener::connect_with(&pool).await?;
    listener.eager_reconnect(false);
    let settings = AssertSqlSafe(limits.postgres_settings());
    within(Some(limits.response()), listener.execute(settings)).await?;
    within(Some(limits.response()), listener.listen(CHANNEL)).await?;
    Ok(listener)
}

/// Receives signals until the connection is lost; returns the reason.
async fn follow(mut listener: PgListener, limits: WaitLimits, received: &impl Fn()) -> sqlx::Error {
    // A drawing may have been queued before this node subscribed.
    received();
    loop {
        match tokio::time::timeout(CHECK_INTERVAL, listener.try_recv()).await {
            Ok(Ok(Some(_))) => received(),
            Ok(Ok(None)) => return sqlx::Error::Io(std::io::ErrorKind::ConnectionReset.into()),
            Ok(Err(error)) => return error,
            Err(_) => {
                if let Err(error) = within(Some(limits.check), listener.execute("SELECT 1")).await {
                    return error;
                }
            }
        }
    }
}

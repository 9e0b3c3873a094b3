//! Connection pools that report why no connection is available.
//!
//! A PostgreSQL server that refuses connections may be starting, so the pool of sqlx retries until its acquire timeout
//! and then fails without the cause (`PoolInner::connect` in sqlx-core 0.9). A client must not wait that long for a
//! database that is down, and an operator needs the cause.
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use sqlx::any::{AnyConnectOptions, AnyPoolOptions};
use sqlx::{AnyConnection, AnyPool, Connection as _, Executor as _};

use linepress_metrics::ConnectionsReport;

use super::connection::{Connection, within};
use super::{Dialect, Tx, WaitLimits};

/// The time to wait for a pooled connection before checking that the server accepts connections at all.
const PROBE_DELAY: Duration = Duration::from_secs(3);

/// The time limit of that check.
const PROBE_TIMEOUT: Duration = Duration::from_secs(1);

/// The time limit for acquiring a connection to a file: writers take turns in order of arrival.
const FILE_ACQUIRE_TIMEOUT: Duration = Duration::from_secs(30);

/// A pool that fails soon when the server accepts no connections, and waits its turn when all connections are in use.
#[derive(Clone, Debug)]
pub(super) struct PatientPool {
    pool: AnyPool,
    /// The server's address and the time limits for it; `None` for a database in a file.
    server: Option<Box<(AnyConnectOptions, WaitLimits)>>,
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

impl PatientPool {
    /// Creates the pool. It connects when the first connection is acquired.
    pub(super) fn new(options: &AnyConnectOptions, dialect: Dialect, limits: WaitLimits, size: u32) -> Self {
        let is_server = dialect == Dialect::Postgres;
        let settings = dialect.connection_settings(limits);
        let pool = AnyPoolOptions::new()
            .max_connections(size)
            .acquire_timeout(if is_server {
                limits.connection
            } else {
                FILE_ACQUIRE_TIMEOUT
            })
            // `before_acquire` pings instead, with a time limit.
            .test_before_acquire(false)
            .after_connect(move |connection, _| {
                let settings = settings.clone();
                Box::pin(async move {
                    connection.execute(sqlx::AssertSqlSafe(settings)).await?;
                    Ok(())
                })
            });
        let pool = match is_server {
            true => pool.before_acquire(move |connection, _| {
                Box::pin(async move { Ok(within(Some(limits.check), connection.ping()).await.is_ok()) })
            }),
            false => pool,
        };
        Self {
            pool: pool.connect_lazy_with(options.clone()),
            server: is_server.then(|| Box::new((options.clone(), limits))),
            waiting: Arc::default(),
        }
    }

    pub(super) async fn acquire(&self) -> sqlx::Result<Connection> {
        let _waiting = Waiting::count(&self.waiting);
        let Some((server, limits)) = self.server.as_deref() else {
            return Ok(Connection::new(self.pool.acquire().await?, None));
        };
        let mut acquired = std::pin::pin!(self.pool.acquire());
        let pooled = match tokio::time::timeout(PROBE_DELAY, &mut acquired).await {
            Ok(acquired) => acquired?,
            Err(_) => {
                check_accepts_connections(server).await?;
                acquired.await?
            }
        };
        Ok(Connection::new(pooled, Some(limits.response())))
    }

    pub(super) async fn begin(&self, statement: &'static str) -> sqlx::Result<Tx> {
        Tx::begin(self.acquire().await?, statement).await
    }

    /// The use of its connections.
    pub(super) fn connections(&self, pool: &'static str) -> ConnectionsReport {
        let (open, idle) = (u64::from(self.pool.size()), self.pool.num_idle() as u64);
        ConnectionsReport {
            pool,
            in_use: open.saturating_sub(idle),
            idle,
            waiting: self.waiting.load(Ordering::Relaxed),
            limit: self.pool.options().get_max_connections().into(),
        }
    }

    /// The server's address and the time limits for it; `None` for a database in a file.
    pub(super) fn server(&self) -> Option<&(AnyConnectOptions, WaitLimits)> {
        self.server.as_deref()
    }

    /// The pool of sqlx, for functions that require one.
    pub(super) fn pool(&self) -> &AnyPool {
        &self.pool
    }
}

/// Fails when the server does not accept a connection.
async fn check_accepts_connections(server: &AnyConnectOptions) -> sqlx::Result<()> {
    let connected = async { AnyConnection::connect_with(server).await?.close().await };
    let in_time = tokio::time::timeout(PROBE_TIMEOUT, connected).await;
    in_time.unwrap_or_else(|_| Err(sqlx::Error::Io(io::ErrorKind::TimedOut.into())))
}

/// Returns true when the database is down, unreachable, busy, full or read-only, so that the same statement may succeed
/// later.
pub(crate) fn is_unavailable(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_)
        | sqlx::Error::Tls(_)
        // A proxy in front of the database accepts a connection and closes it again.
        | sqlx::Error::Protocol(_)
        | sqlx::Error::PoolTimedOut => true,
        sqlx::Error::Database(error) => error.code().is_some_and(|code| is_temporary(&code)),
        _ => false,
    }
}

/// Returns true when a code of PostgreSQL (five characters, Appendix A of its manual) or of SQLite (a number,
/// https://sqlite.org/rescode.html) stands for a temporary condition.
fn is_temporary(code: &str) -> bool {
    /// The classes of connection exceptions, authorization, rollbacks such as deadlocks, resources, operator
    /// intervention, system errors.
    const CLASSES: [&str; 6] = ["08", "28", "40", "53", "57", "58"];
    /// A read-only transaction, an idle session that was ended, and a lock that is not available.
    const CODES: [&str; 3] = ["25006", "25P03", "55P03"];
    /// BUSY, LOCKED, NOMEM, READONLY, IOERR, FULL, CANTOPEN; the bits above the low byte add details.
    const SQLITE: [u32; 7] = [5, 6, 7, 8, 10, 13, 14];
    match code.parse::<u32>() {
        Ok(number) if code.len() < 5 => SQLITE.contains(&(number & 0xff)),
        _ => CODES.contains(&code) || code.get(..2).is_some_and(|class| CLASSES.contains(&class)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temporary_conditions_are_distinguished_from_faults() {
        for passing in ["53100", "57014", "55P03", "25006", "40P01", "13", "778", "1032", "5"] {
            assert!(is_temporary(passing), "{passing}");
        }
        for broken in ["42P01", "23505", "22001", "XX000", "1", "11", "26", "2067", ""] {
            assert!(!is_temporary(broken), "{broken}");
        }
    }
}

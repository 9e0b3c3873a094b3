//! Connections of a pool, and why there are none.
//!
//! A server of PostgreSQL that refuses connections may be starting, so the pool of sqlx tries again for as long as one may
//! wait for a connection, and ends without a word of the reason (`PoolInner::connect` in sqlx-core 0.9). A client must not
//! wait so long for a database that is down, and an operator wants the reason.
use std::io;
use std::time::Duration;

use sqlx::any::{AnyConnectOptions, AnyPoolOptions};
use sqlx::{AnyConnection, AnyPool, Connection as _, Executor as _};

use super::connection::{Connection, within};
use super::{Dialect, Tx, WaitLimits};

/// How long a connection may take before somebody looks whether the database is there.
const PATIENCE: Duration = Duration::from_secs(3);

/// How long that look may take.
const LOOK: Duration = Duration::from_secs(1);

/// How long a connection to a file may be waited for: the one that writes goes round in the order of arrival.
const TURN: Duration = Duration::from_secs(30);

/// A pool that gives up soon when nobody is let in, and waits for its turn when all connections are at work.
#[derive(Clone, Debug)]
pub(super) struct PatientPool {
    pool: AnyPool,
    /// Where the database is, and how long it may keep one waiting, unless it is a file.
    server: Option<(AnyConnectOptions, WaitLimits)>,
}

impl PatientPool {
    /// Connects when the first connection is asked for.
    pub(super) fn new(options: &AnyConnectOptions, dialect: Dialect, limits: WaitLimits, size: u32) -> Self {
        let is_server = dialect == Dialect::Postgres;
        let settings = dialect.connection_settings(limits);
        let pool = AnyPoolOptions::new()
            .max_connections(size)
            .acquire_timeout(if is_server { limits.connection } else { TURN })
            // `before_acquire` does, with a limit.
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
            server: is_server.then(|| (options.clone(), limits)),
        }
    }

    pub(super) async fn acquire(&self) -> sqlx::Result<Connection> {
        let Some((server, limits)) = &self.server else {
            return Ok(Connection::new(self.pool.acquire().await?, None));
        };
        let mut acquired = std::pin::pin!(self.pool.acquire());
        let pooled = match tokio::time::timeout(PATIENCE, &mut acquired).await {
            Ok(acquired) => acquired?,
            Err(_) => {
                look(server).await?;
                acquired.await?
            }
        };
        Ok(Connection::new(pooled, Some(limits.response())))
    }

    pub(super) async fn begin(&self, statement: &'static str) -> sqlx::Result<Tx> {
        Tx::begin(self.acquire().await?, statement).await
    }

    /// For what sqlx does with a pool of its own.
    pub(super) fn pool(&self) -> &AnyPool {
        &self.pool
    }
}

/// An error when nobody is let in.
async fn look(server: &AnyConnectOptions) -> sqlx::Result<()> {
    let let_in = async { AnyConnection::connect_with(server).await?.close().await };
    let in_time = tokio::time::timeout(LOOK, let_in).await;
    in_time.unwrap_or_else(|_| Err(sqlx::Error::Io(io::ErrorKind::TimedOut.into())))
}

/// Whether the database is down, out of reach, busy or full, or may only be read: what is asked of it may work later.
pub(crate) fn is_unavailable(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(_)
        | sqlx::Error::Tls(_)
        // What stands before the database accepts a connection and closes it again.
        | sqlx::Error::Protocol(_)
        | sqlx::Error::PoolTimedOut => true,
        sqlx::Error::Database(error) => error.code().is_some_and(|code| is_passing(&code)),
        _ => false,
    }
}

/// Whether a code of PostgreSQL (five characters, Appendix A of its manual) or of SQLite (a number, https://sqlite.org/rescode.html)
/// is of a condition that passes.
fn is_passing(code: &str) -> bool {
    /// Connections, who is let in, deadlocks, resources, operators' interventions, the system's errors.
    const CLASSES: [&str; 6] = ["08", "28", "40", "53", "57", "58"];
    /// Read-only, ended because it was idle, a lock that is not available.
    const CODES: [&str; 3] = ["25006", "25P03", "55P03"];
    /// BUSY, LOCKED, NOMEM, READONLY, IOERR, FULL, CANTOPEN; what is above a byte says more of it.
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
    fn what_passes_is_told_from_what_is_broken() {
        for passing in ["53100", "57014", "55P03", "25006", "40P01", "13", "778", "1032", "5"] {
            assert!(is_passing(passing), "{passing}");
        }
        for broken in ["42P01", "23505", "22001", "XX000", "1", "11", "26", "2067", ""] {
            assert!(!is_passing(broken), "{broken}");
        }
    }
}

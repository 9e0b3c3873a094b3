//! Connections to a database, and the errors for which a later attempt may succeed.
use sqlx::any::AnyConnectOptions;

use linepress_metrics::ConnectionsReport;

use super::connection::{Connection, Pooled};
use super::file_pool::FilePool;
use super::server_pool::ServerPool;
use super::{Dialect, Tx, WaitLimits};

/// A limited number of connections; cheap to clone.
#[derive(Clone, Debug)]
pub(super) enum Connections {
    File(FilePool),
    Server(ServerPool),
}

impl Connections {
    /// Connects when the first connection is acquired.
    pub(super) fn new(options: &AnyConnectOptions, dialect: Dialect, limits: WaitLimits, size: u32) -> Self {
        match dialect {
            Dialect::Sqlite => Self::File(FilePool::new(options, limits, size)),
            Dialect::Postgres => Self::Server(ServerPool::new(options, limits, size)),
        }
    }

    pub(super) async fn acquire(&self) -> sqlx::Result<Connection> {
        Ok(match self {
            Self::File(pool) => Connection::new(Pooled::File(pool.acquire().await?), None),
            Self::Server(pool) => {
                let (_, limits) = pool.server();
                Connection::new(Pooled::Server(pool.acquire().await?), Some(limits.response()))
            }
        })
    }

    pub(super) async fn begin(&self, statement: &'static str) -> sqlx::Result<Tx> {
        Tx::begin(self.acquire().await?, statement).await
    }

    /// The use of these connections.
    pub(super) fn report(&self, pool: &'static str) -> ConnectionsReport {
        match self {
            Self::File(connections) => connections.report(pool),
            Self::Server(connections) => connections.report(pool),
        }
    }

    /// The server's address and the time limits for it; `None` for a database in a file.
    pub(super) fn server(&self) -> Option<(&AnyConnectOptions, WaitLimits)> {
        match self {
            Self::File(_) => None,
            Self::Server(pool) => Some(pool.server()),
        }
    }

    pub(super) async fn close(&self) {
        match self {
            Self::File(pool) => pool.close().await,
            Self::Server(pool) => pool.close().await,
        }
    }
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

//! Time limits for waiting on a database server.
//!
//! Both sides have limits. The server ends what a vanished client left behind: its open transaction and locks would
//! otherwise remain until the kernel closes the connection, after two hours. The client ends statements to which a
//! vanished server never responds.
use std::time::Duration;

/// Time limits for waiting on a database server. SQLite, which is a file, has none of them.
#[derive(Clone, Copy, Debug)]
pub struct WaitLimits {
    /// The wait for a lock that another transaction holds.
    pub lock: Duration,
    /// The wait for the next statement of a transaction, after which the server ends the transaction.
    pub idle_in_transaction: Duration,
    /// The wait for the response to a statement.
    pub statement: Duration,
    /// The wait for a connection from the pool.
    pub connection: Duration,
    /// The wait for an idle connection to answer a ping.
    pub check: Duration,
}

impl Default for WaitLimits {
    fn default() -> Self {
        Self {
            lock: Duration::from_secs(5),
            idle_in_transaction: Duration::from_secs(15),
            statement: Duration::from_secs(20),
            connection: Duration::from_secs(10),
            check: Duration::from_secs(2),
        }
    }
}

impl WaitLimits {
    /// The limits of command-line commands, some of which read whole tables.
    pub(super) fn of_commands() -> Self {
        Self {
            statement: Duration::from_secs(600),
            ..Self::default()
        }
    }

    /// The time after which the client ends a statement; longer than the server's limit, which should apply first.
    pub(super) fn response(&self) -> Duration {
        self.statement + self.check
    }

    /// The settings of a connection to PostgreSQL.
    pub(super) fn postgres_settings(&self) -> String {
        let Self {
            lock,
            idle_in_transaction,
            statement,
            ..
        } = self;
        // The server notices a vanished client after 25 seconds. A Unix socket ignores these TCP settings.
        format!(
            "SET lock_timeout = {}; SET idle_in_transaction_session_timeout = {}; SET statement_timeout = {}; \
             SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3; \
             SET tcp_user_timeout = 20000",
            lock.as_millis(),
            idle_in_transaction.as_millis(),
            statement.as_millis()
        )
    }
}

/// Lifts the limits of a connection that runs migrations, which may take long and wait for another node that does the
/// same.
pub(super) const UNLIMITED: &str =
    "SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0; SET statement_timeout = 0";

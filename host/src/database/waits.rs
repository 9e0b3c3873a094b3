//! How long a database server may keep its clients waiting.
//!
//! Both sides have limits. The server ends what a client that is gone has left behind: a transaction that it began, and the
//! locks of it, would otherwise stay until the kernel gives up the connection, which takes two hours. The client ends what a
//! server that is gone never responds to.
use std::time::Duration;

/// Limits of waiting for a database server. SQLite, which is a file, has none of them.
#[derive(Clone, Copy, Debug)]
pub struct WaitLimits {
    /// For a lock that another transaction holds.
    pub lock: Duration,
    /// For the next statement of a transaction; after it the server ends the transaction.
    pub idle_in_transaction: Duration,
    /// For the response to a statement.
    pub statement: Duration,
    /// For a connection of the pool.
    pub connection: Duration,
    /// For a connection that was idle to show that it still works.
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
    /// Those of a command, some of which read whole tables.
    pub(super) fn of_commands() -> Self {
        Self {
            statement: Duration::from_secs(600),
            ..Self::default()
        }
    }

    /// The time after which the client ends a statement: the server should have ended it before.
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
        // A client that is gone without a word is noticed after 25 seconds. Both are ignored on a Unix socket.
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

/// Lifts the limits of a connection that changes tables: that may take long, and waits for another node that does the same.
pub(super) const UNLIMITED: &str =
    "SET lock_timeout = 0; SET idle_in_transaction_session_timeout = 0; SET statement_timeout = 0";

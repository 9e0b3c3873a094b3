//! The few places where SQLite and PostgreSQL must be spoken to differently.

/// Which database is behind the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    Sqlite,
    Postgres,
}

impl Dialect {
    pub fn of_url(url: &str) -> Option<Self> {
        match url.split(':').next() {
            Some("sqlite") => Some(Self::Sqlite),
            Some("postgres" | "postgresql") => Some(Self::Postgres),
            _ => None,
        }
    }

    /// What every new connection is told.
    pub(super) fn connection_settings(self) -> Option<&'static str> {
        match self {
            // NORMAL loses no committed transaction when the process dies, and never corrupts;
            // only a power cut may undo the last ones (https://www.sqlite.org/pragma.html#pragma_synchronous).
            Self::Sqlite => Some(
                "PRAGMA busy_timeout = 10000; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; \
                 PRAGMA foreign_keys = ON; PRAGMA cache_size = -8000; PRAGMA temp_store = MEMORY;",
            ),
            Self::Postgres => None,
        }
    }

    /// SQLite must take the write lock at once: a transaction that reads first and writes later
    /// fails with SQLITE_BUSY_SNAPSHOT when another process wrote in between.
    pub(super) fn begin(self) -> &'static str {
        match self {
            Self::Sqlite => "BEGIN IMMEDIATE",
            Self::Postgres => "BEGIN",
        }
    }

    /// Locks the account `$1` until the transaction ends. SQLite has one writer, who has locked everything.
    pub(crate) fn lock_account(self) -> Option<&'static str> {
        match self {
            Self::Sqlite => None,
            // Not FOR UPDATE: that would wait for every row that is being inserted with this account as its owner.
            Self::Postgres => Some("SELECT id FROM accounts WHERE id = $1 FOR NO KEY UPDATE"),
        }
    }

    /// Claims one drawing: `$1` now, `$2` the lease, `$3` its end. PostgreSQL skips what another
    /// worker is claiming at this moment; SQLite has one writer, so there is nobody to skip.
    pub(crate) fn claim_drawing(self) -> &'static str {
        match self {
            Self::Sqlite => claim_drawing!(""),
            Self::Postgres => claim_drawing!("FOR UPDATE OF d SKIP LOCKED"),
        }
    }
}

/// The claim but for the lock.
macro_rules! claim_drawing {
    ($lock:literal) => {
        concat!(
            "UPDATE drawings SET status = 'running', lease = $2, due_at = $3, attempts = attempts + 1 \
             WHERE id = (SELECT d.id FROM drawings d JOIN accounts a ON a.id = d.account_id \
               WHERE d.status IN ('queued', 'running') AND d.due_at <= $1 \
               ORDER BY (SELECT COUNT(*) FROM drawings r \
                   WHERE r.account_id = d.account_id AND r.status = 'running' AND r.due_at > $1), \
                 a.last_served_at, d.created_at, d.operation_id, d.position \
               LIMIT 1 ",
            $lock,
            ") RETURNING id, operation_id, account_id, target_type, target_id, request, attempts"
        )
    };
}
use claim_drawing;

//! The few differences between the SQL of SQLite and of PostgreSQL.

use super::WaitLimits;
use super::waits::UNLIMITED;

/// The kind of the database.
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

    /// The settings of every new connection.
    pub(super) fn connection_settings(self, limits: WaitLimits) -> String {
        match self {
            // NORMAL loses no committed transaction when the process dies, and never corrupts the file; only a power
            // failure may undo the last transactions (https://www.sqlite.org/pragma.html#pragma_synchronous).
            Self::Sqlite => "PRAGMA busy_timeout = 10000; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; \
                 PRAGMA foreign_keys = ON; PRAGMA cache_size = -8000; PRAGMA temp_store = MEMORY;"
                .into(),
            Self::Postgres => limits.postgres_settings(),
        }
    }

    /// Lifts the time limits of a connection that runs migrations.
    pub(super) fn unlimited(self) -> Option<&'static str> {
        match self {
            Self::Sqlite => None,
            Self::Postgres => Some(UNLIMITED),
        }
    }

    /// A statement that fails when the database cannot be written or another program locks the file. Its timeout is
    /// short, because an operator waits for the result.
    pub(super) fn check_of_writing(self) -> &'static str {
        match self {
            // BEGIN IMMEDIATE alone succeeds in a read-only file (sqlite3BeginTransaction in build.c).
            Self::Sqlite => "PRAGMA busy_timeout = 3000; BEGIN IMMEDIATE; CREATE TABLE can_be_written (x); ROLLBACK",
            Self::Postgres => {
                "DO $$ BEGIN IF current_setting('transaction_read_only') = 'on' \
                 THEN RAISE EXCEPTION 'transaction_read_only is on'; END IF; END $$"
            }
        }
    }

    /// A statement that checks all pages of a database file; `None` for servers, which have their own tools.
    pub(super) fn check_of_pages(self) -> Option<&'static str> {
        match self {
            Self::Sqlite => Some("PRAGMA quick_check(10)"),
            Self::Postgres => None,
        }
    }

    /// The statement that begins a writing transaction. SQLite must take the write lock at once: a transaction that
    /// reads first and writes later fails with SQLITE_BUSY_SNAPSHOT when another process wrote in between.
    pub(super) fn begin(self) -> &'static str {
        match self {
            Self::Sqlite => "BEGIN IMMEDIATE",
            Self::Postgres => "BEGIN",
        }
    }

    /// The statement that begins a transaction which reads the whole database as it is at one moment. The limits of
    /// other transactions would end a long one.
    pub(super) fn begin_snapshot(self) -> &'static str {
        match self {
            Self::Sqlite => "BEGIN",
            Self::Postgres => {
                "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL idle_in_transaction_session_timeout = 600000"
            }
        }
    }

    /// The statement that begins the transaction with the rows of a restore, which may wait for the files of the
    /// backup.
    pub(super) fn begin_restore(self) -> &'static str {
        match self {
            Self::Sqlite => self.begin(),
            Self::Postgres => "BEGIN; SET LOCAL idle_in_transaction_session_timeout = 600000",
        }
    }

    /// Locks the account `$1` until the transaction ends; `None` for SQLite, whose single writer has locked everything.
    pub fn lock_account(self) -> Option<&'static str> {
        match self {
            Self::Sqlite => None,
            // Not FOR UPDATE, which would wait for every row that is being inserted with a reference to this account.
            Self::Postgres => Some("SELECT id FROM accounts WHERE id = $1 FOR NO KEY UPDATE"),
        }
    }

    /// Locks the grant `$1` until the transaction ends.
    pub fn lock_grant(self) -> Option<&'static str> {
        match self {
            Self::Sqlite => None,
            Self::Postgres => Some("SELECT id FROM grants WHERE id = $1 FOR NO KEY UPDATE"),
        }
    }

    /// Locks the active grants of the account `$1`, in the same order as every statement that locks several.
    pub fn lock_grants_of_account(self) -> Option<&'static str> {
        match self {
            Self::Sqlite => None,
            Self::Postgres => {
                Some("SELECT id FROM grants WHERE account_id = $1 AND revoked_at IS NULL ORDER BY id FOR NO KEY UPDATE")
            }
        }
    }

    /// Locks the active grants of the client `$1`, in the same order.
    pub fn lock_grants_of_client(self) -> Option<&'static str> {
        match self {
            Self::Sqlite => None,
            Self::Postgres => {
                Some("SELECT id FROM grants WHERE client_id = $1 AND revoked_at IS NULL ORDER BY id FOR NO KEY UPDATE")
            }
        }
    }

    /// Locks the pages of the book `$1` until the transaction ends, in the order of their ids, in which every
    /// transaction locks several pages. Returns their ids.
    pub fn lock_pages_of_book(self) -> Option<&'static str> {
        match self {
            Self::Sqlite => None,
            Self::Postgres => Some(
                "SELECT id FROM pages WHERE id IN (SELECT page_id FROM book_pages WHERE book_id = $1) \
                 ORDER BY id FOR NO KEY UPDATE",
            ),
        }
    }

    /// Locks the pages that have a place in the deleted book `$1`, in the same order.
    pub fn lock_pages_of_deleted_book(self) -> Option<&'static str> {
        match self {
            Self::Sqlite => None,
            Self::Postgres => Some(
                "SELECT id FROM pages WHERE id IN (SELECT page_id FROM bin_places WHERE book_id = $1) \
                 ORDER BY id FOR NO KEY UPDATE",
            ),
        }
    }

    /// The end of a query that locks the rows that it returns, in their order. Empty for SQLite, whose single writer
    /// has locked everything.
    pub fn lock_rows(self) -> &'static str {
        match self {
            Self::Sqlite => "",
            Self::Postgres => " FOR NO KEY UPDATE",
        }
    }

    /// Locks the upload with the token hash `$1` until the transaction ends; returns its account, object key and size.
    pub fn lock_upload(self) -> &'static str {
        match self {
            Self::Sqlite => lock_upload!(""),
            Self::Postgres => lock_upload!(" FOR UPDATE"),
        }
    }

    /// Locks the queue entry of the account `$1` until the transaction ends.
    pub fn lock_queue_account(self) -> Option<&'static str> {
        match self {
            Self::Sqlite => None,
            Self::Postgres => Some("SELECT account_id FROM queue_accounts WHERE account_id = $1 FOR NO KEY UPDATE"),
        }
    }

    /// The time of leases in a statement whose `$1` is bound to `Database::lease_time`. PostgreSQL is shared by
    /// machines whose clocks may differ, so its own clock counts.
    pub(crate) fn lease_time(self) -> &'static str {
        match self {
            Self::Sqlite => "$1",
            // statement_timestamp() is stable within a statement, so that an index can be searched for it.
            Self::Postgres => "COALESCE($1, CAST(EXTRACT(EPOCH FROM statement_timestamp()) * 1000000 AS BIGINT))",
        }
    }

    /// A query for the database's clock in microseconds; `None` for SQLite, which has no clock that nodes share.
    pub(super) fn own_time(self) -> Option<&'static str> {
        match self {
            Self::Sqlite => None,
            Self::Postgres => Some("SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)"),
        }
    }

    /// Sends the signal that a drawing was queued to all nodes (`Database::receive_signals`); `None` for SQLite, which
    /// has none.
    pub(super) fn signal(self) -> Option<&'static str> {
        match self {
            Self::Sqlite => None,
            Self::Postgres => Some("NOTIFY linepress_queued"),
        }
    }

    /// Claims one drawing: `{now}`, the states `{queued}` and `{running}`, `$2` the lease, `$3` its length in
    /// microseconds, `$4` the ids of busy providers, with a comma before and after each. PostgreSQL skips rows that
    /// another worker is claiming at this moment; SQLite has a single writer, so there are none.
    pub fn claim_drawing(self) -> &'static str {
        match self {
            Self::Sqlite => claim_drawing!(""),
            Self::Postgres => claim_drawing!("FOR UPDATE SKIP LOCKED"),
        }
    }
}

macro_rules! lock_upload {
    ($lock:literal) => {
        concat!(
            "SELECT account_id, object_key, COALESCE(byte_size, 0) AS byte_size_before FROM uploads WHERE token_hash = $1",
            $lock
        )
    };
}
use lock_upload;

/// The claim without the lock clause. A plus before a column keeps SQL from using the column's index, whose matches
/// would all have to be sorted: accounts are read in the order of their turns, and the first with a drawing that is due
/// is served; its drawings are taken in the order of the requests, regardless of how often they were put back.
macro_rules! claim_drawing {
    ($lock:literal) => {
        concat!(
            "UPDATE drawings SET status = {running}, lease = $2, due_at = {now} + $3, attempts = attempts + 1, waits_for = NULL, \
               first_claimed_at = COALESCE(first_claimed_at, {now}), progress_done = NULL, progress_total = NULL \
             WHERE id = COALESCE( \
               (SELECT id FROM drawings WHERE status = {running} AND due_at <= {now} AND $5 = 0 ORDER BY due_at LIMIT 1 ",
            $lock,
            "), (SELECT id FROM drawings WHERE status = {queued} AND +due_at <= {now} \
                 AND (waits_for IS NULL OR replace($4, ',' || waits_for || ',', '') = $4) AND account_id = \
                 (SELECT account_id FROM queue_accounts WHERE next_due_at IS NOT NULL AND +next_due_at <= {now} \
                    AND ($5 = 0 OR EXISTS (SELECT 1 FROM accounts a WHERE a.id = queue_accounts.account_id AND a.sandbox_of IS NOT NULL)) \
                    AND EXISTS \
                    (SELECT 1 FROM drawings d WHERE d.account_id = queue_accounts.account_id AND d.status = {queued} \
                       AND d.due_at <= {now} AND (d.waits_for IS NULL OR replace($4, ',' || d.waits_for || ',', '') = $4)) \
                  ORDER BY running, last_served_at LIMIT 1) \
               ORDER BY operation_id, position LIMIT 1 ",
            $lock,
            ")) RETURNING id, operation_id, account_id, target_type, target_id, request, attempts, provider, first_claimed_at, due_at, \
               trace_parent, review_hint"
        )
    };
}
use claim_drawing;

//! The SQL of the ledger.
use sqlx::{AnyExecutor, AssertSqlSafe};

use super::{Entry, EntryKind, LedgerEntry, Totals};
use linepress_platform::clock::Timestamp;
use linepress_platform::database::{Reader, Tx, value_rows};
use linepress_platform::ids::{AccountId, EntryId};

/// A balance after a change.
#[derive(sqlx::FromRow)]
pub(super) struct Moved {
    pub credits: i64,
    /// The owner of a sandbox.
    pub sandbox_of: Option<AccountId>,
}

/// Changes the balance; returns the new one, or `None` when it would become negative. Locks the account's row until the
/// transaction ends.
pub(super) async fn move_balance(
    tx: &mut Tx,
    account: &AccountId,
    kind: EntryKind,
    amount: i64,
    now: Timestamp,
) -> sqlx::Result<Option<Moved>> {
    let counted = |counts: EntryKind| if kind == counts { amount } else { 0 };
    sqlx::query_as(
        "UPDATE accounts SET credits = credits + $1, spent = spent - $2, refunded = refunded + $3, updated_at = $4 \
         WHERE id = $5 AND credits + $1 >= 0 RETURNING credits, sandbox_of",
    )
    .bind(amount)
    .bind(counted(EntryKind::Charge))
    .bind(counted(EntryKind::Refund))
    .bind(now)
    .bind(account)
    .fetch_optional(&mut **tx)
    .await
}

/// Returns true for the sandbox of an account.
pub(super) async fn is_sandbox(tx: &mut Tx, account: &AccountId) -> sqlx::Result<bool> {
    let statement = "SELECT credits FROM accounts WHERE id = $1 AND sandbox_of IS NOT NULL";
    let found: Option<i64> = sqlx::query_scalar(statement)
        .bind(account)
        .fetch_optional(&mut **tx)
        .await?;
    Ok(found.is_some())
}

/// Records that the balance is low. Returns false when it was recorded before.
pub(super) async fn begin_low(tx: &mut Tx, account: &AccountId, now: Timestamp) -> sqlx::Result<bool> {
    let done = sqlx::query("UPDATE accounts SET low_credits_since = $1 WHERE id = $2 AND low_credits_since IS NULL")
        .bind(now)
        .bind(account)
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// Records that the balance is no longer low.
pub(super) async fn end_low(tx: &mut Tx, account: &AccountId) -> sqlx::Result<()> {
    sqlx::query("UPDATE accounts SET low_credits_since = NULL WHERE id = $1 AND low_credits_since IS NOT NULL")
        .bind(account)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Records that the balance is no longer low, if it is this many credits or more. Returns false when it is less.
pub(super) async fn end_low_from(tx: &mut Tx, account: &AccountId, limit: i64) -> sqlx::Result<bool> {
    let done = sqlx::query("UPDATE accounts SET low_credits_since = NULL WHERE id = $1 AND credits >= $2")
        .bind(account)
        .bind(limit)
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected() == 1)
}

pub(super) async fn insert(
    tx: &mut Tx,
    account: &AccountId,
    kind: EntryKind,
    entries: &[(EntryId, &Entry<'_>)],
    now: Timestamp,
) -> sqlx::Result<()> {
    for some in entries.chunks(500) {
        let statement = format!(
            "INSERT INTO ledger_entries (id, account_id, kind, amount, operation_id, drawing_id, reason, created_at) VALUES {}",
            value_rows(1, 8, some.len(), "")
        );
        let mut query = sqlx::query(AssertSqlSafe(statement));
        for (id, entry) in some {
            query = query
                .bind(id.as_str())
                .bind(account.as_str())
                .bind(kind.as_str())
                .bind(entry.amount)
                .bind(entry.operation_id.map(|id| id.as_str()))
                .bind(entry.drawing_id.map(|id| id.as_str()))
                .bind(entry.reason)
                .bind(now.microseconds());
        }
        query.execute(&mut **tx).await?;
    }
    Ok(())
}

pub(super) async fn balance<'e>(executor: impl AnyExecutor<'e>, account: &AccountId) -> sqlx::Result<i64> {
    sqlx::query_scalar("SELECT credits FROM accounts WHERE id = $1")
        .bind(account.as_str())
        .fetch_one(executor)
        .await
}

pub(super) async fn totals(pool: &Reader, account: &AccountId) -> sqlx::Result<Totals> {
    sqlx::query_as("SELECT credits AS available, spent, refunded FROM accounts WHERE id = $1")
        .bind(account)
        .fetch_one(pool)
        .await
}

pub(super) async fn entries(pool: &Reader, account: &AccountId, limit: i64) -> sqlx::Result<Vec<LedgerEntry>> {
    sqlx::query_as(
        "SELECT id, kind, amount, operation_id, reason, created_at FROM ledger_entries \
         WHERE account_id = $1 ORDER BY id DESC LIMIT $2",
    )
    .bind(account)
    .bind(limit)
    .fetch_all(pool)
    .await
}

/// The accounts whose balance or totals differ from the sums of their ledger.
pub(super) async fn mismatches(pool: &Reader) -> sqlx::Result<Vec<AccountId>> {
    sqlx::query_scalar(
        "SELECT id FROM accounts a WHERE \
           credits <> COALESCE((SELECT SUM(amount) FROM ledger_entries WHERE account_id = a.id), 0) \
           OR spent <> COALESCE((SELECT -SUM(amount) FROM ledger_entries WHERE account_id = a.id AND kind = $1), 0) \
           OR refunded <> COALESCE((SELECT SUM(amount) FROM ledger_entries WHERE account_id = a.id AND kind = $2), 0) \
         ORDER BY id",
    )
    .bind(EntryKind::Charge.as_str())
    .bind(EntryKind::Refund.as_str())
    .fetch_all(pool)
    .await
}

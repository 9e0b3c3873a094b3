//! The SQL of the ledger.
use sqlx::{AnyExecutor, AnyPool};

use super::{Entry, Totals};
use crate::clock::Timestamp;
use crate::database::Tx;
use crate::ids::AccountId;

/// The new balance; nothing when it would fall below zero. Locks the account's row until the transaction ends.
pub(super) async fn move_balance(
    tx: &mut Tx,
    account: &AccountId,
    amount: i64,
    now: Timestamp,
) -> sqlx::Result<Option<i64>> {
    sqlx::query_scalar(
        "UPDATE accounts SET credits = credits + $1, updated_at = $2 WHERE id = $3 AND credits + $1 >= 0 RETURNING credits",
    )
    .bind(amount)
    .bind(now.microseconds())
    .bind(account.as_str())
    .fetch_optional(&mut **tx)
    .await
}

pub(super) async fn insert(tx: &mut Tx, entry: &Entry<'_>, now: Timestamp) -> sqlx::Result<()> {
    sqlx::query(
        "INSERT INTO ledger_entries (id, account_id, kind, amount, operation_id, created_at) VALUES ($1, $2, $3, $4, $5, $6)",
    )
    .bind(entry.id.as_str())
    .bind(entry.account_id.as_str())
    .bind(entry.kind.as_str())
    .bind(entry.amount)
    .bind(entry.operation_id.map(|id| id.as_str()))
    .bind(now.microseconds())
    .execute(&mut **tx)
    .await?;
    Ok(())
}

pub(super) async fn balance<'e>(executor: impl AnyExecutor<'e>, account: &AccountId) -> sqlx::Result<i64> {
    sqlx::query_scalar("SELECT credits FROM accounts WHERE id = $1")
        .bind(account.as_str())
        .fetch_one(executor)
        .await
}

pub(super) async fn totals(pool: &AnyPool, account: &AccountId) -> sqlx::Result<Totals> {
    // PostgreSQL sums BIGINT as NUMERIC, which the shared driver does not read.
    let (available, spent, refunded) = sqlx::query_as(
        "SELECT a.credits, \
           CAST(COALESCE((SELECT -SUM(amount) FROM ledger_entries WHERE account_id = a.id AND kind = 'charge'), 0) AS BIGINT), \
           CAST(COALESCE((SELECT SUM(amount) FROM ledger_entries WHERE account_id = a.id AND kind = 'refund'), 0) AS BIGINT) \
         FROM accounts a WHERE a.id = $1",
    )
    .bind(account.as_str())
    .fetch_one(pool)
    .await?;
    Ok(Totals {
        available,
        spent,
        refunded,
    })
}

pub(super) async fn mismatches(pool: &AnyPool) -> sqlx::Result<Vec<AccountId>> {
    sqlx::query_scalar(
        "SELECT id FROM accounts a \
         WHERE credits <> COALESCE((SELECT SUM(amount) FROM ledger_entries WHERE account_id = a.id), 0) ORDER BY id",
    )
    .fetch_all(pool)
    .await
}

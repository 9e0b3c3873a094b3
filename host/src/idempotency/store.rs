//! The SQL of idempotency keys.
use super::{IdempotencyKey, SavedRow};
use crate::caller::Caller;
use crate::clock::Timestamp;
use crate::database::Tx;

/// False when the key was used before.
pub async fn insert(tx: &mut Tx, caller: &Caller, key: &IdempotencyKey, now: Timestamp) -> sqlx::Result<bool> {
    let done = sqlx::query(
        "INSERT INTO idempotency_keys (account_id, key, request_hash, created_at) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (account_id, key) DO NOTHING",
    )
    .bind(caller.account_id.as_str())
    .bind(&key.key)
    .bind(&key.request_hash)
    .bind(now.microseconds())
    .execute(&mut **tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

pub async fn find(tx: &mut Tx, caller: &Caller, key: &IdempotencyKey) -> sqlx::Result<SavedRow> {
    sqlx::query_as("SELECT request_hash, location, body FROM idempotency_keys WHERE account_id = $1 AND key = $2")
        .bind(caller.account_id.as_str())
        .bind(&key.key)
        .fetch_one(&mut **tx)
        .await
}

pub async fn save(tx: &mut Tx, caller: &Caller, key: &IdempotencyKey, location: &str, body: &str) -> sqlx::Result<()> {
    sqlx::query("UPDATE idempotency_keys SET location = $1, body = $2 WHERE account_id = $3 AND key = $4")
        .bind(location)
        .bind(body)
        .bind(caller.account_id.as_str())
        .bind(&key.key)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

pub async fn delete_before(tx: &mut Tx, before: Timestamp) -> sqlx::Result<u64> {
    let done = sqlx::query("DELETE FROM idempotency_keys WHERE created_at < $1")
        .bind(before.microseconds())
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected())
}

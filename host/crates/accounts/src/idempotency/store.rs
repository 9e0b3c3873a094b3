//! The SQL of idempotency keys.
use sqlx::AnyExecutor;

use super::{Fingerprint, IdempotencyKey, SavedReply, SavedRow};
use crate::caller::Caller;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::Tx;

/// Inserts the key. Returns false when it was used before.
pub(super) async fn insert(
    tx: &mut Tx,
    caller: &Caller,
    key: &IdempotencyKey,
    fingerprint: &Fingerprint,
    now: Timestamp,
) -> sqlx::Result<bool> {
    let done = sqlx::query(
        "INSERT INTO idempotency_keys (account_id, key, request_hash, created_at) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (account_id, key) DO NOTHING",
    )
    .bind(caller.account_id())
    .bind(&key.0)
    .bind(&fingerprint.0)
    .bind(now)
    .execute(&mut **tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

pub(super) async fn find<'e>(
    executor: impl AnyExecutor<'e>,
    caller: &Caller,
    key: &IdempotencyKey,
) -> sqlx::Result<Option<SavedRow>> {
    sqlx::query_as("SELECT request_hash, body FROM idempotency_keys WHERE account_id = $1 AND key = $2")
        .bind(caller.account_id())
        .bind(&key.0)
        .fetch_optional(executor)
        .await
}

pub(super) async fn save(tx: &mut Tx, caller: &Caller, key: &IdempotencyKey, reply: &SavedReply) -> sqlx::Result<()> {
    sqlx::query("UPDATE idempotency_keys SET body = $1 WHERE account_id = $2 AND key = $3")
        .bind(&reply.0)
        .bind(caller.account_id())
        .bind(&key.0)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

pub(super) async fn delete_before(tx: &mut Tx, before: Timestamp) -> sqlx::Result<u64> {
    let done = sqlx::query("DELETE FROM idempotency_keys WHERE created_at < $1")
        .bind(before)
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected())
}

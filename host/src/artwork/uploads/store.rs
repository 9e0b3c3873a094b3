//! The SQL of uploads.
use sqlx::AnyPool;

use super::Upload;
use crate::clock::Timestamp;
use crate::database::Tx;
use crate::ids::{AccountId, UploadId};

pub(super) async fn insert(tx: &mut Tx, account: &AccountId, upload: &Upload, token_hash: &str) -> sqlx::Result<()> {
    sqlx::query("INSERT INTO uploads (id, account_id, token_hash, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)")
        .bind(upload.id.as_str())
        .bind(account.as_str())
        .bind(token_hash)
        .bind(upload.created_at.microseconds())
        .bind(upload.expires_at.microseconds())
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Id and expiry of the upload that takes a file at this address.
pub(super) async fn awaiting(
    pool: &AnyPool,
    token_hash: &str,
    now: Timestamp,
) -> sqlx::Result<Option<(UploadId, Timestamp)>> {
    sqlx::query_as("SELECT id, expires_at FROM uploads WHERE token_hash = $1 AND expires_at > $2")
        .bind(token_hash)
        .bind(now)
        .fetch_optional(pool)
        .await
}

/// The object of the file that was sent to this address before.
pub(super) async fn object_of(tx: &mut Tx, token_hash: &str) -> sqlx::Result<Option<String>> {
    let key: Option<Option<String>> = sqlx::query_scalar("SELECT object_key FROM uploads WHERE token_hash = $1")
        .bind(token_hash)
        .fetch_optional(&mut **tx)
        .await?;
    Ok(key.flatten())
}

/// False when the upload expired while the file was on its way.
pub(super) async fn filled(tx: &mut Tx, token_hash: &str, key: &str, byte_size: i64) -> sqlx::Result<bool> {
    let done = sqlx::query("UPDATE uploads SET object_key = $1, byte_size = $2 WHERE token_hash = $3")
        .bind(key)
        .bind(byte_size)
        .bind(token_hash)
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// The upload's object key, once its file has arrived.
pub(super) async fn find(
    pool: &AnyPool,
    account: &AccountId,
    id: &UploadId,
    now: Timestamp,
) -> sqlx::Result<Option<Option<String>>> {
    sqlx::query_scalar("SELECT object_key FROM uploads WHERE account_id = $1 AND id = $2 AND expires_at > $3")
        .bind(account.as_str())
        .bind(id.as_str())
        .bind(now.microseconds())
        .fetch_optional(pool)
        .await
}

pub(super) async fn delete_expired(tx: &mut Tx, now: Timestamp) -> sqlx::Result<u64> {
    let done = sqlx::query("DELETE FROM uploads WHERE expires_at <= $1")
        .bind(now.microseconds())
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected())
}

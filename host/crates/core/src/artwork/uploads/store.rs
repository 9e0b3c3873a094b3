//! The SQL of uploads.

use super::Upload;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::{Database, Reader, Tx};
use linepress_platform::ids::{AccountId, UploadId};
use linepress_platform::subscription::Plan;

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

/// The id, account and expiry of the upload whose URL has this token, as long as the account's plan includes uploads.
pub(super) async fn awaiting(
    pool: &Reader,
    token_hash: &str,
    now: Timestamp,
) -> sqlx::Result<Option<(UploadId, AccountId, Timestamp)>> {
    sqlx::query_as(
        "SELECT u.id, u.account_id, u.expires_at FROM uploads u JOIN accounts a ON a.id = u.account_id
         WHERE u.token_hash = $1 AND u.expires_at > $2 AND a.plan = $3 AND a.closed_at IS NULL AND a.suspended_at IS NULL",
    )
    .bind(token_hash)
    .bind(now)
    .bind(Plan::Business.as_str())
    .fetch_optional(pool)
    .await
}

/// The state of an upload before a new file was assigned.
#[derive(sqlx::FromRow)]
pub(super) struct Filled {
    pub account_id: AccountId,
    #[sqlx(rename = "object_key")]
    pub before: Option<String>,
    pub byte_size_before: i64,
}

/// Assigns the object to the upload. None when the upload expired during the transfer.
pub(super) async fn fill(
    database: &Database,
    tx: &mut Tx,
    token_hash: &str,
    key: &str,
    byte_size: i64,
) -> sqlx::Result<Option<Filled>> {
    let before = sqlx::query_as(database.dialect.lock_upload())
        .bind(token_hash)
        .fetch_optional(&mut **tx)
        .await?;
    if before.is_some() {
        sqlx::query("UPDATE uploads SET object_key = $1, byte_size = $2 WHERE token_hash = $3")
            .bind(key)
            .bind(byte_size)
            .bind(token_hash)
            .execute(&mut **tx)
            .await?;
    }
    Ok(before)
}

/// The object key of an upload. The outer None means that the upload does not exist, the inner one that its file has
/// not arrived.
pub(super) async fn find(
    pool: &Reader,
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

/// Deletes an upload. Returns the key and the size of its file if one had arrived. The outer None means that the upload
/// does not exist.
pub(super) async fn delete(
    tx: &mut Tx,
    account: &AccountId,
    id: &UploadId,
) -> sqlx::Result<Option<(Option<String>, Option<i64>)>> {
    sqlx::query_as("DELETE FROM uploads WHERE account_id = $1 AND id = $2 RETURNING object_key, byte_size")
        .bind(account)
        .bind(id)
        .fetch_optional(&mut **tx)
        .await
}

/// Deletes expired uploads. Returns the account of each, and the size of its file if one had arrived.
pub(super) async fn delete_expired(tx: &mut Tx, now: Timestamp) -> sqlx::Result<Vec<(AccountId, Option<i64>)>> {
    sqlx::query_as("DELETE FROM uploads WHERE expires_at <= $1 RETURNING account_id, byte_size")
        .bind(now)
        .fetch_all(&mut **tx)
        .await
}

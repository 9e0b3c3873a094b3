//! The SQL of apps' authorization requests.
use linepress_platform::clock::Timestamp;
use linepress_platform::database::{Reader, Tx};
use linepress_platform::ids::AccountId;

pub(super) async fn insert(
    tx: &mut Tx,
    hash: &str,
    account: &AccountId,
    request: &str,
    expires_at: Timestamp,
) -> sqlx::Result<()> {
    sqlx::query("INSERT INTO consent_requests (token_hash, account_id, request, expires_at) VALUES ($1, $2, $3, $4)")
        .bind(hash)
        .bind(account)
        .bind(request)
        .bind(expires_at)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

pub(super) async fn find(
    pool: &Reader,
    hash: &str,
    account: &AccountId,
    now: Timestamp,
) -> sqlx::Result<Option<String>> {
    sqlx::query_scalar(
        "SELECT request FROM consent_requests WHERE token_hash = $1 AND account_id = $2 AND expires_at > $3",
    )
    .bind(hash)
    .bind(account)
    .bind(now)
    .fetch_optional(pool)
    .await
}

/// Deletes and returns a request, so that only one decision takes it.
pub(super) async fn take(tx: &mut Tx, hash: &str, account: &AccountId, now: Timestamp) -> sqlx::Result<Option<String>> {
    sqlx::query_scalar(
        "DELETE FROM consent_requests WHERE token_hash = $1 AND account_id = $2 AND expires_at > $3 RETURNING request",
    )
    .bind(hash)
    .bind(account)
    .bind(now)
    .fetch_optional(&mut **tx)
    .await
}

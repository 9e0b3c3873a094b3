//! The SQL of clients.
use super::{ClientMetadata, Registered};
use crate::clock::Timestamp;
use crate::database::Tx;
use crate::ids::ClientId;

pub(super) async fn insert_registered(
    tx: &mut Tx,
    client: &ClientMetadata,
    registered: &Registered,
    expires_at: Timestamp,
) -> sqlx::Result<()> {
    sqlx::query(
        "INSERT INTO oauth_clients (id, name, redirect_uris, auth_method, secret_hash, registration_hash, metadata, \
           created_at, expires_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    )
    .bind(&registered.id)
    .bind(&client.name)
    .bind(json(&client.redirect_uris))
    .bind(client.auth_method.as_str())
    .bind(registered.secret.as_ref().map(|secret| secret.hash()))
    .bind(registered.registration_token.hash())
    .bind(&client.metadata)
    .bind(registered.created_at)
    .bind(expires_at)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

fn json(redirect_uris: &[String]) -> String {
    serde_json::Value::from(redirect_uris).to_string()
}

/// Moves the day on which the client is forgotten, unless it is later than `enough`: an app that many people use is one row.
pub(super) async fn keep_until(
    tx: &mut Tx,
    id: &ClientId,
    expires_at: Timestamp,
    enough: Timestamp,
) -> sqlx::Result<()> {
    sqlx::query("UPDATE oauth_clients SET expires_at = $1 WHERE id = $2 AND expires_at < $3")
        .bind(expires_at)
        .bind(id)
        .bind(enough)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Those that have expired, are not revoked, and were granted nothing that is remembered.
pub(super) async fn delete_expired(tx: &mut Tx, now: Timestamp) -> sqlx::Result<u64> {
    let done = sqlx::query(
        "DELETE FROM oauth_clients WHERE expires_at <= $1 AND revoked_at IS NULL \
         AND NOT EXISTS (SELECT 1 FROM grants g WHERE g.client_id = oauth_clients.id)",
    )
    .bind(now)
    .execute(&mut **tx)
    .await?;
    Ok(done.rows_affected())
}

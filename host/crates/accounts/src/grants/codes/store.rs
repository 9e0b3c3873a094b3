//! The SQL of authorization codes.
use super::NewCode;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::Tx;
use linepress_platform::ids::{ClientId, GrantId};
use linepress_platform::scopes::Scopes;

pub(super) async fn insert(tx: &mut Tx, hash: &str, grant: &GrantId, new: &NewCode<'_>) -> sqlx::Result<()> {
    sqlx::query(
        "INSERT INTO authorization_codes (code_hash, grant_id, redirect_uri, code_challenge, expires_at) \
         VALUES ($1, $2, $3, $4, $5)",
    )
    .bind(hash)
    .bind(grant)
    .bind(new.redirect_uri)
    .bind(new.code_challenge)
    .bind(new.expires_at)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// A code with the data of its grant.
#[derive(sqlx::FromRow)]
pub(super) struct CodeRow {
    pub grant_id: GrantId,
    pub redirect_uri: String,
    pub code_challenge: String,
    pub expires_at: Timestamp,
    pub used_at: Option<Timestamp>,
    pub client_id: ClientId,
    #[sqlx(try_from = "String")]
    pub scopes: Scopes,
    pub resource: String,
    pub revoked_at: Option<Timestamp>,
}

/// Finds a code. A grant of a closed or suspended account, or to a revoked client, counts as revoked.
pub(super) async fn find(tx: &mut Tx, hash: &str) -> sqlx::Result<Option<CodeRow>> {
    sqlx::query_as(
        "SELECT o.grant_id, o.redirect_uri, o.code_challenge, o.expires_at, o.used_at, g.client_id, g.scopes, g.resource, \
           COALESCE(g.revoked_at, c.revoked_at, a.closed_at, a.suspended_at) AS revoked_at \
         FROM authorization_codes o JOIN grants g ON g.id = o.grant_id JOIN oauth_clients c ON c.id = g.client_id \
           JOIN accounts a ON a.id = g.account_id WHERE o.code_hash = $1",
    )
    .bind(hash)
    .fetch_optional(&mut **tx)
    .await
}

pub(super) async fn note_use(tx: &mut Tx, hash: &str, now: Timestamp) -> sqlx::Result<()> {
    sqlx::query("UPDATE authorization_codes SET used_at = $1 WHERE code_hash = $2")
        .bind(now)
        .bind(hash)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

//! The SQL of access and refresh tokens.
use crate::caller::CallingAccount;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::{Reader, Tx};
use linepress_platform::ids::{ClientId, GrantId};
use linepress_platform::scopes::Scopes;

#[derive(sqlx::FromRow)]
pub(super) struct TokenOwner {
    pub grant_id: GrantId,
    /// The scopes of the token.
    #[sqlx(try_from = "String")]
    pub scopes: Scopes,
    pub last_used_at: Option<Timestamp>,
    pub credit_cap: Option<i64>,
    pub credits_spent: i64,
    #[sqlx(flatten)]
    pub account: CallingAccount,
}

pub(super) async fn owner_of_token(
    pool: &Reader,
    hash: &str,
    resource: &str,
    now: Timestamp,
) -> sqlx::Result<Option<TokenOwner>> {
    sqlx::query_as(
        "SELECT g.id AS grant_id, t.scopes, g.last_used_at, g.credit_cap, g.credits_spent, \
           a.id AS account_id, a.email, a.plan, a.role, a.limits \
         FROM access_tokens t JOIN grants g ON g.id = t.grant_id JOIN oauth_clients c ON c.id = g.client_id \
           JOIN accounts a ON a.id = g.account_id \
         WHERE t.token_hash = $1 AND g.resource = $2 AND t.expires_at > $3 AND g.revoked_at IS NULL \
           AND c.revoked_at IS NULL AND a.closed_at IS NULL AND a.suspended_at IS NULL",
    )
    .bind(hash)
    .bind(resource)
    .bind(now)
    .fetch_optional(pool)
    .await
}

pub(super) async fn insert_access_token(
    tx: &mut Tx,
    hash: &str,
    grant: &GrantId,
    scopes: Scopes,
    expires_at: Timestamp,
) -> sqlx::Result<()> {
    sqlx::query("INSERT INTO access_tokens (token_hash, grant_id, scopes, expires_at) VALUES ($1, $2, $3, $4)")
        .bind(hash)
        .bind(grant)
        .bind(scopes.to_string())
        .bind(expires_at)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

pub(super) async fn insert_refresh_token(
    tx: &mut Tx,
    hash: &str,
    grant: &GrantId,
    expires_at: Timestamp,
) -> sqlx::Result<()> {
    sqlx::query("INSERT INTO refresh_tokens (token_hash, grant_id, expires_at) VALUES ($1, $2, $3)")
        .bind(hash)
        .bind(grant)
        .bind(expires_at)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Deletes unused refresh tokens of the grant, except this one and the `kept` newest others.
pub(super) async fn delete_unused_refresh_tokens(
    tx: &mut Tx,
    grant: &GrantId,
    hash: &str,
    kept: i64,
) -> sqlx::Result<()> {
    sqlx::query(
        "DELETE FROM refresh_tokens WHERE token_hash IN (SELECT token_hash FROM refresh_tokens \
           WHERE grant_id = $1 AND used_at IS NULL AND token_hash <> $2 ORDER BY expires_at DESC LIMIT 100 OFFSET $3)",
    )
    .bind(grant)
    .bind(hash)
    .bind(kept)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// A refresh token with the data of its grant.
#[derive(sqlx::FromRow)]
pub(super) struct RefreshRow {
    pub grant_id: GrantId,
    pub expires_at: Timestamp,
    pub used_at: Option<Timestamp>,
    pub uses: i64,
    pub client_id: ClientId,
    #[sqlx(try_from = "String")]
    pub scopes: Scopes,
    pub resource: String,
    pub revoked_at: Option<Timestamp>,
}

/// Finds a refresh token. A grant of a closed or suspended account, or to a revoked client, counts as revoked.
pub(super) async fn find_refresh_token(tx: &mut Tx, hash: &str) -> sqlx::Result<Option<RefreshRow>> {
    sqlx::query_as(
        "SELECT t.grant_id, t.expires_at, t.used_at, t.uses, g.client_id, g.scopes, g.resource, \
           COALESCE(g.revoked_at, c.revoked_at, a.closed_at, a.suspended_at) AS revoked_at \
         FROM refresh_tokens t JOIN grants g ON g.id = t.grant_id JOIN oauth_clients c ON c.id = g.client_id \
           JOIN accounts a ON a.id = g.account_id WHERE t.token_hash = $1",
    )
    .bind(hash)
    .fetch_optional(&mut **tx)
    .await
}

pub(super) async fn use_refresh_token(tx: &mut Tx, hash: &str, now: Timestamp) -> sqlx::Result<()> {
    sqlx::query("UPDATE refresh_tokens SET used_at = COALESCE(used_at, $1), uses = uses + 1 WHERE token_hash = $2")
        .bind(now)
        .bind(hash)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Deletes the token if it was issued to this client.
pub(super) async fn delete_access_token(tx: &mut Tx, hash: &str, client: &ClientId) -> sqlx::Result<()> {
    sqlx::query(
        "DELETE FROM access_tokens WHERE token_hash = $1 \
         AND EXISTS (SELECT 1 FROM grants g WHERE g.id = access_tokens.grant_id AND g.client_id = $2)",
    )
    .bind(hash)
    .bind(client)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

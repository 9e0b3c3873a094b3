//! The SQL of grants, and of everything that expires with them.
use super::{ConnectedApp, GrantOfAccount, NewGrant};
use linepress_platform::clock::Timestamp;
use linepress_platform::database::{Database, Reader, Tx};
use linepress_platform::ids::{AccountId, ClientId, GrantId};
use linepress_platform::scopes::Scopes;

#[derive(sqlx::FromRow)]
pub(super) struct GrantRow {
    id: GrantId,
    email: String,
    name: String,
    document_url: Option<String>,
    #[sqlx(try_from = "String")]
    scopes: Scopes,
    credit_cap: Option<i64>,
    credits_spent: i64,
    created_at: Timestamp,
    last_used_at: Option<Timestamp>,
}

impl GrantRow {
    pub(super) fn into_grant_of_account(self) -> GrantOfAccount {
        GrantOfAccount {
            email: self.email.clone(),
            app: self.into_connected_app(),
        }
    }

    pub(super) fn into_connected_app(self) -> ConnectedApp {
        ConnectedApp {
            grant_id: self.id,
            client_name: self.name,
            client_host: self.document_url.as_deref().and_then(super::clients::host_of),
            scopes: self.scopes,
            credit_cap: self.credit_cap,
            credits_spent: self.credits_spent,
            created_at: self.created_at,
            last_used_at: self.last_used_at,
        }
    }
}

pub(super) async fn insert(tx: &mut Tx, id: &GrantId, new: &NewGrant<'_>, now: Timestamp) -> sqlx::Result<()> {
    sqlx::query(
        "INSERT INTO grants (id, account_id, client_id, scopes, resource, credit_cap, created_at, expires_at) \
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
    )
    .bind(id)
    .bind(new.account_id)
    .bind(new.client_id)
    .bind(new.scopes.to_string())
    .bind(new.resource)
    .bind(new.credit_cap)
    .bind(now)
    .bind(new.expires_at)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// A query for active grants; `$rest` adds conditions and an ORDER BY clause.
macro_rules! select_grants {
    ($rest:literal) => {
        concat!(
            "SELECT g.id, a.email, c.name, c.document_url, g.scopes, g.credit_cap, g.credits_spent, g.created_at, \
               g.last_used_at FROM grants g JOIN oauth_clients c ON c.id = g.client_id \
               JOIN accounts a ON a.id = g.account_id \
             WHERE g.revoked_at IS NULL AND g.expires_at > $1 AND c.revoked_at IS NULL ",
            $rest
        )
    };
}

pub(super) async fn list(pool: &Reader, account: &AccountId, now: Timestamp) -> sqlx::Result<Vec<GrantRow>> {
    sqlx::query_as(select_grants!("AND g.account_id = $2 ORDER BY g.id DESC"))
        .bind(now)
        .bind(account)
        .fetch_all(pool)
        .await
}

/// An active grant of the account.
pub(super) async fn find(
    pool: &Reader,
    account: &AccountId,
    grant: &GrantId,
    now: Timestamp,
) -> sqlx::Result<Option<GrantRow>> {
    sqlx::query_as(select_grants!("AND g.account_id = $2 AND g.id = $3"))
        .bind(now)
        .bind(account)
        .bind(grant)
        .fetch_optional(pool)
        .await
}

pub(super) async fn list_all(pool: &Reader, now: Timestamp) -> sqlx::Result<Vec<GrantRow>> {
    sqlx::query_as(select_grants!("ORDER BY g.id DESC"))
        .bind(now)
        .fetch_all(pool)
        .await
}

/// Locks the grant's row, so that other transactions cannot issue or revoke under the grant until this one has ended.
pub(super) async fn lock(database: &Database, tx: &mut Tx, grant: &GrantId) -> sqlx::Result<()> {
    if let Some(statement) = database.dialect.lock_grant() {
        sqlx::query(statement).bind(grant.as_str()).execute(&mut **tx).await?;
    }
    Ok(())
}

pub(super) async fn lock_all(database: &Database, tx: &mut Tx, account: &AccountId) -> sqlx::Result<()> {
    if let Some(statement) = database.dialect.lock_grants_of_account() {
        sqlx::query(statement).bind(account.as_str()).execute(&mut **tx).await?;
    }
    Ok(())
}

/// Revokes a grant; returns false when it is already revoked or unknown.
pub(super) async fn revoke(tx: &mut Tx, grant: &GrantId, now: Timestamp) -> sqlx::Result<bool> {
    let done = sqlx::query("UPDATE grants SET revoked_at = $1 WHERE id = $2 AND revoked_at IS NULL")
        .bind(now)
        .bind(grant)
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected() == 1)
}

pub(super) async fn revoke_of_account(
    tx: &mut Tx,
    account: &AccountId,
    grant: &GrantId,
    now: Timestamp,
) -> sqlx::Result<bool> {
    let done =
        sqlx::query("UPDATE grants SET revoked_at = $1 WHERE id = $2 AND account_id = $3 AND revoked_at IS NULL")
            .bind(now)
            .bind(grant)
            .bind(account)
            .execute(&mut **tx)
            .await?;
    Ok(done.rows_affected() == 1)
}

/// Changes the spending limit of a grant; returns false when it is revoked, expired or unknown.
pub(super) async fn change_cap(
    tx: &mut Tx,
    account: &AccountId,
    grant: &GrantId,
    credit_cap: Option<i64>,
    now: Timestamp,
) -> sqlx::Result<bool> {
    let done = sqlx::query(
        "UPDATE grants SET credit_cap = $1 \
         WHERE id = $2 AND account_id = $3 AND revoked_at IS NULL AND expires_at > $4",
    )
    .bind(credit_cap)
    .bind(grant)
    .bind(account)
    .bind(now)
    .execute(&mut **tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

pub(super) async fn revoke_all(tx: &mut Tx, account: &AccountId, now: Timestamp) -> sqlx::Result<u64> {
    let done = sqlx::query("UPDATE grants SET revoked_at = $1 WHERE account_id = $2 AND revoked_at IS NULL")
        .bind(now)
        .bind(account)
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected())
}

pub(super) async fn lock_all_of_client(database: &Database, tx: &mut Tx, client: &ClientId) -> sqlx::Result<()> {
    if let Some(statement) = database.dialect.lock_grants_of_client() {
        sqlx::query(statement).bind(client.as_str()).execute(&mut **tx).await?;
    }
    Ok(())
}

pub(super) async fn revoke_all_of_client(tx: &mut Tx, client: &ClientId, now: Timestamp) -> sqlx::Result<()> {
    sqlx::query("UPDATE grants SET revoked_at = $1 WHERE client_id = $2 AND revoked_at IS NULL")
        .bind(now)
        .bind(client)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Records a use of the grant, unless one was recorded after `since`.
pub(super) async fn note_use(tx: &mut Tx, grant: &GrantId, now: Timestamp, since: Timestamp) -> sqlx::Result<()> {
    sqlx::query("UPDATE grants SET last_used_at = $1 WHERE id = $2 AND (last_used_at IS NULL OR last_used_at < $3)")
        .bind(now)
        .bind(grant)
        .bind(since)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

pub(super) async fn keep_until(tx: &mut Tx, grant: &GrantId, expires_at: Timestamp) -> sqlx::Result<()> {
    sqlx::query("UPDATE grants SET expires_at = $1 WHERE id = $2")
        .bind(expires_at)
        .bind(grant)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Deletes what expired before `now`, but codes and grants only when they expired before `kept`; returns the number of
/// rows.
pub(super) async fn delete_expired(tx: &mut Tx, now: Timestamp, kept: Timestamp) -> sqlx::Result<u64> {
    let mut deleted = 0;
    for (statement, before) in [
        ("DELETE FROM consent_requests WHERE expires_at <= $1", now),
        ("DELETE FROM authorization_codes WHERE expires_at <= $1", kept),
        ("DELETE FROM access_tokens WHERE expires_at <= $1", now),
        ("DELETE FROM refresh_tokens WHERE expires_at <= $1", now),
        ("DELETE FROM grants WHERE expires_at <= $1", kept),
    ] {
        let done = sqlx::query(statement).bind(before).execute(&mut **tx).await?;
        deleted += done.rows_affected();
    }
    Ok(deleted)
}

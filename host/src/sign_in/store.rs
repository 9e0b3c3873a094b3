//! The SQL of passwords and sessions.
use crate::accounts::Account;
use crate::clock::Timestamp;
use crate::database::{Reader, Tx};
use crate::ids::AccountId;

/// An account that can be signed in to with a password.
#[derive(sqlx::FromRow)]
pub(super) struct Known {
    #[sqlx(flatten)]
    pub account: Account,
    pub hash: String,
}

#[derive(sqlx::FromRow)]
pub(super) struct Session {
    #[sqlx(flatten)]
    pub account: Account,
    pub expires_at: Timestamp,
    pub ends_at: Timestamp,
}

pub(super) struct SessionTimes {
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
    pub ends_at: Timestamp,
}

pub(super) async fn find_password(pool: &Reader, email: &str) -> sqlx::Result<Option<Known>> {
    sqlx::query_as(
        "SELECT a.id, a.email, a.plan, a.credits, a.created_at, p.hash \
         FROM accounts a JOIN passwords p ON p.account_id = a.id WHERE a.email = $1 AND a.closed_at IS NULL",
    )
    .bind(email)
    .fetch_optional(pool)
    .await
}

pub(super) async fn password_hash(tx: &mut Tx, account: &AccountId) -> sqlx::Result<Option<String>> {
    sqlx::query_scalar("SELECT hash FROM passwords WHERE account_id = $1")
        .bind(account)
        .fetch_optional(&mut **tx)
        .await
}

pub(super) async fn set_password(tx: &mut Tx, account: &AccountId, hash: &str, now: Timestamp) -> sqlx::Result<()> {
    sqlx::query(
        "INSERT INTO passwords (account_id, hash, changed_at) VALUES ($1, $2, $3) \
         ON CONFLICT (account_id) DO UPDATE SET hash = $2, changed_at = $3",
    )
    .bind(account)
    .bind(hash)
    .bind(now)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

pub(super) async fn insert_session(
    tx: &mut Tx,
    token_hash: &str,
    account: &AccountId,
    times: &SessionTimes,
) -> sqlx::Result<()> {
    sqlx::query(
        "INSERT INTO sessions (token_hash, account_id, created_at, expires_at, ends_at) VALUES ($1, $2, $3, $4, $5)",
    )
    .bind(token_hash)
    .bind(account)
    .bind(times.created_at)
    .bind(times.expires_at)
    .bind(times.ends_at)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

pub(super) async fn find_session(pool: &Reader, token_hash: &str, now: Timestamp) -> sqlx::Result<Option<Session>> {
    sqlx::query_as(
        "SELECT a.id, a.email, a.plan, a.credits, a.created_at, s.expires_at, s.ends_at \
         FROM sessions s JOIN accounts a ON a.id = s.account_id \
         WHERE s.token_hash = $1 AND s.expires_at > $2 AND a.closed_at IS NULL",
    )
    .bind(token_hash)
    .bind(now)
    .fetch_optional(pool)
    .await
}

pub(super) async fn prolong_session(tx: &mut Tx, token_hash: &str, expires_at: Timestamp) -> sqlx::Result<()> {
    sqlx::query("UPDATE sessions SET expires_at = $1 WHERE token_hash = $2")
        .bind(expires_at)
        .bind(token_hash)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

pub(super) async fn end_session(tx: &mut Tx, token_hash: &str) -> sqlx::Result<()> {
    sqlx::query("DELETE FROM sessions WHERE token_hash = $1")
        .bind(token_hash)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

pub(super) async fn end_sessions(tx: &mut Tx, account: &AccountId) -> sqlx::Result<()> {
    sqlx::query("DELETE FROM sessions WHERE account_id = $1")
        .bind(account)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Returns how many they were.
pub(super) async fn delete_expired_sessions(tx: &mut Tx, now: Timestamp) -> sqlx::Result<u64> {
    let done = sqlx::query("DELETE FROM sessions WHERE expires_at <= $1")
        .bind(now)
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected())
}

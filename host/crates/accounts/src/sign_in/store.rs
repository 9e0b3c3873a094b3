//! The SQL of passwords, sessions, links and providers.
use super::links::Purpose;
use crate::accounts::Account;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::{Reader, Tx};
use linepress_platform::ids::AccountId;

/// An account with the hash of its password.
#[derive(sqlx::FromRow)]
pub(super) struct AccountWithPassword {
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

pub(super) async fn find_password(pool: &Reader, email: &str) -> sqlx::Result<Option<AccountWithPassword>> {
    sqlx::query_as(
        "SELECT a.id, a.email, a.plan, a.role, a.limits, a.credits, a.created_at, p.hash \
         FROM accounts a JOIN passwords p ON p.account_id = a.id WHERE a.email = $1 AND a.closed_at IS NULL AND a.suspended_at IS NULL",
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
        "SELECT a.id, a.email, a.plan, a.role, a.limits, a.credits, a.created_at, s.expires_at, s.ends_at \
         FROM sessions s JOIN accounts a ON a.id = s.account_id \
         WHERE s.token_hash = $1 AND s.expires_at > $2 AND a.closed_at IS NULL AND a.suspended_at IS NULL",
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

/// Deletes expired sessions; returns their number.
pub(super) async fn delete_expired_sessions(tx: &mut Tx, now: Timestamp) -> sqlx::Result<u64> {
    let done = sqlx::query("DELETE FROM sessions WHERE expires_at <= $1")
        .bind(now)
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected())
}

pub(super) async fn delete_password(tx: &mut Tx, account: &AccountId) -> sqlx::Result<()> {
    sqlx::query("DELETE FROM passwords WHERE account_id = $1")
        .bind(account)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

pub(super) async fn delete_identities(tx: &mut Tx, account: &AccountId) -> sqlx::Result<()> {
    sqlx::query("DELETE FROM identities WHERE account_id = $1")
        .bind(account)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

pub(super) async fn insert_link(
    tx: &mut Tx,
    token_hash: &str,
    purpose: Purpose,
    account: Option<&AccountId>,
    now: Timestamp,
    expires_at: Timestamp,
) -> sqlx::Result<()> {
    sqlx::query(
        "INSERT INTO single_use_links (token_hash, purpose, account_id, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)",
    )
    .bind(token_hash)
    .bind(purpose.as_str())
    .bind(account.map(AccountId::as_str))
    .bind(now)
    .bind(expires_at)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Returns the hash of the link's token; `None` when no such link exists or it has expired.
pub(super) async fn find_link(
    tx: &mut Tx,
    token_hash: &str,
    purpose: Purpose,
    now: Timestamp,
) -> sqlx::Result<Option<String>> {
    sqlx::query_scalar(
        "SELECT token_hash FROM single_use_links WHERE token_hash = $1 AND purpose = $2 AND expires_at > $3",
    )
    .bind(token_hash)
    .bind(purpose.as_str())
    .bind(now)
    .fetch_optional(&mut **tx)
    .await
}

/// The account of a link; `None` when the link is unknown or has expired, or the account is closed.
pub(super) async fn owner_of_link(pool: &Reader, token_hash: &str, now: Timestamp) -> sqlx::Result<Option<Account>> {
    sqlx::query_as(
        "SELECT a.id, a.email, a.plan, a.role, a.limits, a.credits, a.created_at \
         FROM single_use_links l JOIN accounts a ON a.id = l.account_id \
         WHERE l.token_hash = $1 AND l.expires_at > $2 AND a.closed_at IS NULL AND a.suspended_at IS NULL",
    )
    .bind(token_hash)
    .bind(now)
    .fetch_optional(pool)
    .await
}

/// Deletes the links of an account; returns the hashes of their tokens.
pub(super) async fn end_links(tx: &mut Tx, account: &AccountId) -> sqlx::Result<Vec<String>> {
    sqlx::query_scalar("DELETE FROM single_use_links WHERE purpose = $1 AND account_id = $2 RETURNING token_hash")
        .bind(Purpose::PasswordReset.as_str())
        .bind(account)
        .fetch_all(&mut **tx)
        .await
}

/// Deletes all links that create the first account; returns the hashes of their tokens.
pub(super) async fn end_links_of_first_account(tx: &mut Tx) -> sqlx::Result<Vec<String>> {
    sqlx::query_scalar("DELETE FROM single_use_links WHERE purpose = $1 RETURNING token_hash")
        .bind(Purpose::FirstAccount.as_str())
        .fetch_all(&mut **tx)
        .await
}

/// Deletes expired links; returns their number.
pub(super) async fn delete_expired_links(tx: &mut Tx, now: Timestamp) -> sqlx::Result<u64> {
    let done = sqlx::query("DELETE FROM single_use_links WHERE expires_at <= $1")
        .bind(now)
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected())
}

pub(super) async fn insert_verification(
    tx: &mut Tx,
    token_hash: &str,
    account: &AccountId,
    now: Timestamp,
    expires_at: Timestamp,
) -> sqlx::Result<()> {
    sqlx::query(
        "INSERT INTO address_verifications (token_hash, account_id, created_at, expires_at) VALUES ($1, $2, $3, $4)",
    )
    .bind(token_hash)
    .bind(account)
    .bind(now)
    .bind(expires_at)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Returns true when the link verifies the address of this account and has not expired.
pub(super) async fn is_verification_of(
    tx: &mut Tx,
    token_hash: &str,
    account: &AccountId,
    now: Timestamp,
) -> sqlx::Result<bool> {
    let statement =
        "SELECT created_at FROM address_verifications WHERE token_hash = $1 AND account_id = $2 AND expires_at > $3";
    let found: Option<i64> = sqlx::query_scalar(statement)
        .bind(token_hash)
        .bind(account)
        .bind(now)
        .fetch_optional(&mut **tx)
        .await?;
    Ok(found.is_some())
}

/// Deletes expired links that verify addresses; returns their number.
pub(super) async fn delete_expired_verifications(tx: &mut Tx, now: Timestamp) -> sqlx::Result<u64> {
    let done = sqlx::query("DELETE FROM address_verifications WHERE expires_at <= $1")
        .bind(now)
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected())
}

/// A browser's journey to the provider.
pub(super) struct Journey<'a> {
    pub state_hash: &'a str,
    pub browser_hash: &'a str,
    pub return_to: &'a str,
}

pub(super) async fn insert_journey(
    tx: &mut Tx,
    journey: &Journey<'_>,
    now: Timestamp,
    expires_at: Timestamp,
) -> sqlx::Result<()> {
    sqlx::query(
        "INSERT INTO provider_sign_ins (state_hash, browser_hash, return_to, created_at, expires_at) VALUES ($1, $2, $3, $4, $5)",
    )
    .bind(journey.state_hash)
    .bind(journey.browser_hash)
    .bind(journey.return_to)
    .bind(now)
    .bind(expires_at)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// Deletes the journey; returns the page to which the person returns, or `None` when the journey is unknown or has
/// expired.
pub(super) async fn end_journey(
    tx: &mut Tx,
    state_hash: &str,
    browser_hash: &str,
    now: Timestamp,
) -> sqlx::Result<Option<String>> {
    sqlx::query_scalar(
        "DELETE FROM provider_sign_ins WHERE state_hash = $1 AND browser_hash = $2 AND expires_at > $3 RETURNING return_to",
    )
    .bind(state_hash)
    .bind(browser_hash)
    .bind(now)
    .fetch_optional(&mut **tx)
    .await
}

/// Deletes expired journeys; returns their number.
pub(super) async fn delete_expired_journeys(tx: &mut Tx, now: Timestamp) -> sqlx::Result<u64> {
    let done = sqlx::query("DELETE FROM provider_sign_ins WHERE expires_at <= $1")
        .bind(now)
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected())
}

pub(super) async fn account_of_identity(tx: &mut Tx, issuer: &str, subject: &str) -> sqlx::Result<Option<Account>> {
    sqlx::query_as(
        "SELECT a.id, a.email, a.plan, a.role, a.limits, a.credits, a.created_at \
         FROM identities i JOIN accounts a ON a.id = i.account_id WHERE i.issuer = $1 AND i.subject = $2",
    )
    .bind(issuer)
    .bind(subject)
    .fetch_optional(&mut **tx)
    .await
}

/// The account's subjects at a provider.
pub(super) async fn subjects(tx: &mut Tx, issuer: &str, account: &AccountId) -> sqlx::Result<Vec<String>> {
    sqlx::query_scalar("SELECT subject FROM identities WHERE account_id = $1 AND issuer = $2")
        .bind(account)
        .bind(issuer)
        .fetch_all(&mut **tx)
        .await
}

pub(super) async fn insert_identity(
    tx: &mut Tx,
    issuer: &str,
    subject: &str,
    account: &AccountId,
    now: Timestamp,
) -> sqlx::Result<()> {
    sqlx::query(
        "INSERT INTO identities (issuer, subject, account_id, created_at) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (issuer, subject) DO NOTHING",
    )
    .bind(issuer)
    .bind(subject)
    .bind(account)
    .bind(now)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

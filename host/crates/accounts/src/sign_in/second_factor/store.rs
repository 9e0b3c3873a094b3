//! The SQL of second factors.
use sqlx::AnyExecutor;

use crate::accounts::Account;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::{Reader, Tx};
use linepress_platform::ids::AccountId;

/// Stores a secret that this session can confirm; returns false when the account has a confirmed one.
pub(super) async fn insert_unconfirmed(
    tx: &mut Tx,
    account: &AccountId,
    encrypted_secret: &str,
    session_hash: &str,
    now: Timestamp,
) -> sqlx::Result<bool> {
    let done = sqlx::query(
        "INSERT INTO second_factors (account_id, encrypted_secret, created_at, session_hash) VALUES ($1, $2, $3, $4) \
         ON CONFLICT (account_id) DO UPDATE SET encrypted_secret = $2, created_at = $3, session_hash = $4 \
           WHERE second_factors.confirmed_at IS NULL",
    )
    .bind(account)
    .bind(encrypted_secret)
    .bind(now)
    .bind(session_hash)
    .execute(&mut **tx)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// The encrypted secret that awaits its confirmation by this session, if it was created after `earliest`.
pub(super) async fn find_unconfirmed<'e>(
    executor: impl AnyExecutor<'e>,
    account: &AccountId,
    session_hash: &str,
    earliest: Timestamp,
) -> sqlx::Result<Option<String>> {
    sqlx::query_scalar(
        "SELECT encrypted_secret FROM second_factors \
         WHERE account_id = $1 AND session_hash = $2 AND confirmed_at IS NULL AND created_at > $3",
    )
    .bind(account)
    .bind(session_hash)
    .bind(earliest)
    .fetch_optional(executor)
    .await
}

pub(super) async fn confirm(tx: &mut Tx, account: &AccountId, time_step: i64, now: Timestamp) -> sqlx::Result<()> {
    let statement =
        "UPDATE second_factors SET confirmed_at = $1, last_time_step = $2, session_hash = NULL WHERE account_id = $3";
    sqlx::query(statement)
        .bind(now)
        .bind(time_step)
        .bind(account)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// The encrypted secret of the account's second factor.
pub(super) async fn find_confirmed(tx: &mut Tx, account: &AccountId) -> sqlx::Result<Option<String>> {
    sqlx::query_scalar("SELECT encrypted_secret FROM second_factors WHERE account_id = $1 AND confirmed_at IS NOT NULL")
        .bind(account)
        .fetch_optional(&mut **tx)
        .await
}

pub(super) async fn confirmed_at(pool: &Reader, account: &AccountId) -> sqlx::Result<Option<Timestamp>> {
    let found: Option<Option<Timestamp>> =
        sqlx::query_scalar("SELECT confirmed_at FROM second_factors WHERE account_id = $1")
            .bind(account)
            .fetch_optional(pool)
            .await?;
    Ok(found.flatten())
}

/// Uses up a time step; returns false when a code of it or of a later one was used before.
pub(super) async fn use_time_step(tx: &mut Tx, account: &AccountId, time_step: i64) -> sqlx::Result<bool> {
    let done =
        sqlx::query("UPDATE second_factors SET last_time_step = $1 WHERE account_id = $2 AND last_time_step < $1")
            .bind(time_step)
            .bind(account)
            .execute(&mut **tx)
            .await?;
    Ok(done.rows_affected() == 1)
}

pub(super) async fn delete(tx: &mut Tx, account: &AccountId) -> sqlx::Result<()> {
    sqlx::query("DELETE FROM second_factors WHERE account_id = $1")
        .bind(account)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Deletes secrets that were created until `latest` and never confirmed; returns their number.
pub(super) async fn delete_unconfirmed(tx: &mut Tx, latest: Timestamp) -> sqlx::Result<u64> {
    let done = sqlx::query("DELETE FROM second_factors WHERE confirmed_at IS NULL AND created_at <= $1")
        .bind(latest)
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected())
}

pub(super) async fn insert_recovery_code(tx: &mut Tx, account: &AccountId, code_hash: &str) -> sqlx::Result<()> {
    sqlx::query("INSERT INTO recovery_codes (account_id, code_hash) VALUES ($1, $2)")
        .bind(account)
        .bind(code_hash)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

pub(super) async fn count_recovery_codes(pool: &Reader, account: &AccountId) -> sqlx::Result<i64> {
    sqlx::query_scalar("SELECT COUNT(*) FROM recovery_codes WHERE account_id = $1")
        .bind(account)
        .fetch_one(pool)
        .await
}

/// Deletes the recovery code; returns false when the account has no such code.
pub(super) async fn use_recovery_code(tx: &mut Tx, account: &AccountId, code_hash: &str) -> sqlx::Result<bool> {
    let done = sqlx::query("DELETE FROM recovery_codes WHERE account_id = $1 AND code_hash = $2")
        .bind(account)
        .bind(code_hash)
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected() == 1)
}

pub(super) async fn delete_recovery_codes(tx: &mut Tx, account: &AccountId) -> sqlx::Result<()> {
    sqlx::query("DELETE FROM recovery_codes WHERE account_id = $1")
        .bind(account)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

pub(super) async fn insert_pending(
    tx: &mut Tx,
    token_hash: &str,
    account: &AccountId,
    now: Timestamp,
    expires_at: Timestamp,
) -> sqlx::Result<()> {
    sqlx::query(
        "INSERT INTO pending_sign_ins (token_hash, account_id, created_at, expires_at) VALUES ($1, $2, $3, $4)",
    )
    .bind(token_hash)
    .bind(account)
    .bind(now)
    .bind(expires_at)
    .execute(&mut **tx)
    .await?;
    Ok(())
}

/// The account of a pending sign-in; `None` when it is unknown or has expired, or the account is closed or suspended.
pub(super) async fn owner_of_pending(pool: &Reader, token_hash: &str, now: Timestamp) -> sqlx::Result<Option<Account>> {
    sqlx::query_as(
        "SELECT a.id, a.email, a.plan, a.role, a.limits, a.credits, a.created_at \
         FROM pending_sign_ins s JOIN accounts a ON a.id = s.account_id \
         WHERE s.token_hash = $1 AND s.expires_at > $2 AND a.closed_at IS NULL AND a.suspended_at IS NULL",
    )
    .bind(token_hash)
    .bind(now)
    .fetch_optional(pool)
    .await
}

/// Deletes a pending sign-in; returns false when it had ended.
pub(super) async fn delete_pending(tx: &mut Tx, token_hash: &str) -> sqlx::Result<bool> {
    let done = sqlx::query("DELETE FROM pending_sign_ins WHERE token_hash = $1")
        .bind(token_hash)
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected() == 1)
}

pub(super) async fn delete_pending_of(tx: &mut Tx, account: &AccountId) -> sqlx::Result<()> {
    sqlx::query("DELETE FROM pending_sign_ins WHERE account_id = $1")
        .bind(account)
        .execute(&mut **tx)
        .await?;
    Ok(())
}

/// Deletes expired pending sign-ins; returns their number.
pub(super) async fn delete_expired_pending(tx: &mut Tx, now: Timestamp) -> sqlx::Result<u64> {
    let done = sqlx::query("DELETE FROM pending_sign_ins WHERE expires_at <= $1")
        .bind(now)
        .execute(&mut **tx)
        .await?;
    Ok(done.rows_affected())
}

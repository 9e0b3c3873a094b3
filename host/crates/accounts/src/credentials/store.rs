//! The SQL of the second check of a caller.
use sqlx::AnyExecutor;

use crate::caller::{ActiveKey, SecretHash};
use linepress_platform::clock::Timestamp;
use linepress_platform::database::{Database, Tx};
use linepress_platform::ids::{AccountId, GrantId};
use linepress_platform::subscription::Plan;

/// Locks the account's row, so that other transactions cannot check its limits until this one has ended.
pub(super) async fn lock_account(database: &Database, tx: &mut Tx, account: &AccountId) -> sqlx::Result<()> {
    if let Some(statement) = database.dialect.lock_account() {
        sqlx::query(statement).bind(account.as_str()).execute(&mut **tx).await?;
    }
    Ok(())
}

/// Returns true when the account is open and has this plan.
pub(super) async fn has_plan(tx: &mut Tx, account: &AccountId, plan: Plan) -> sqlx::Result<bool> {
    let found: Option<i64> = sqlx::query_scalar(
        "SELECT created_at FROM accounts WHERE id = $1 AND plan = $2 AND closed_at IS NULL AND suspended_at IS NULL",
    )
    .bind(account)
    .bind(plan.as_str())
    .fetch_optional(&mut **tx)
    .await?;
    Ok(found.is_some())
}

/// Returns true if the secret that was sent still opens the key.
pub(super) async fn is_key_valid<'e>(
    executor: impl AnyExecutor<'e>,
    key: &ActiveKey,
    now: Timestamp,
) -> sqlx::Result<bool> {
    let found: Option<i64> = sqlx::query_scalar(
        "SELECT created_at FROM api_keys WHERE id = $1 \
           AND (hash = $2 OR (previous_hash = $2 AND previous_expires_at > $3)) AND revoked_at IS NULL \
           AND (expires_at IS NULL OR expires_at > $3)",
    )
    .bind(&key.id)
    .bind(&key.secret.0)
    .bind(now)
    .fetch_optional(executor)
    .await?;
    Ok(found.is_some())
}

pub(super) async fn is_grant_active<'e>(
    executor: impl AnyExecutor<'e>,
    account: &AccountId,
    grant: &GrantId,
    now: Timestamp,
) -> sqlx::Result<bool> {
    let found: Option<i64> = sqlx::query_scalar(
        "SELECT created_at FROM grants \
         WHERE id = $1 AND account_id = $2 AND revoked_at IS NULL AND expires_at > $3",
    )
    .bind(grant)
    .bind(account)
    .bind(now)
    .fetch_optional(executor)
    .await?;
    Ok(found.is_some())
}

/// Returns true if the session with this token has not ended.
pub(super) async fn has_session<'e>(
    executor: impl AnyExecutor<'e>,
    token: &SecretHash,
    now: Timestamp,
) -> sqlx::Result<bool> {
    let found: Option<i64> =
        sqlx::query_scalar("SELECT created_at FROM sessions WHERE token_hash = $1 AND expires_at > $2")
            .bind(&token.0)
            .bind(now)
            .fetch_optional(executor)
            .await?;
    Ok(found.is_some())
}

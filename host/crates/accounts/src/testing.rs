//! Single steps of accounts, grants and sign-in, for tests that decide when each one happens: changes without an
//! operator who makes them and without entries of the audit log, and deletions that are parts of housekeeping.
use linepress_platform::app::App;
use linepress_platform::error::Result;
use linepress_platform::ids::{AccountId, GrantId, KeyId};
use linepress_platform::secrets::Secret;

use crate::accounts::{self, Account, ApiKey, NewApiKey, Plan, SecretKey};
use crate::{credits, grants, idempotency, requests, sign_in, throttle};

/// Creates an account with a first grant of credits.
pub async fn create_account(app: &App, email: &str, plan: Plan, credits: i64) -> Result<Account> {
    let mut tx = app.database.begin().await?;
    let account = accounts::create(app, &mut tx, email, plan, credits).await?;
    tx.commit().await?;
    Ok(account)
}

/// Creates an account that has a password from the beginning.
pub async fn create_account_with_password(
    app: &App,
    email: &str,
    plan: Plan,
    credits: i64,
    password: &str,
) -> Result<Account> {
    let account = create_account(app, email, plan, credits).await?;
    set_password(app, &account, password).await?;
    Ok(account)
}

/// Adds credits to the account; returns the new balance.
pub async fn grant(app: &App, account: &Account, credits: i64) -> Result<i64> {
    let mut tx = app.database.begin().await?;
    let balance = credits::grant(app, &mut tx, &account.id, credits, "").await?;
    tx.commit().await?;
    Ok(balance)
}

/// Withdraws credits; returns the new balance.
pub async fn debit(app: &App, account: &Account, credits: i64, reason: &str) -> Result<i64> {
    let mut tx = app.database.begin().await?;
    let balance = credits::debit(app, &mut tx, &account.id, credits, reason).await?;
    tx.commit().await?;
    Ok(balance)
}

/// Writes the requests that have ended to the request log; returns their number.
pub async fn write_request_log(app: &App) -> Result<usize> {
    requests::Writer::default().write(app).await
}

/// Deletes all but the newest requests of an account from the request log; returns the number of deleted ones.
pub async fn trim_request_log(app: &App, account: &AccountId, keep: i64) -> Result<u64> {
    requests::trim(app, account, keep).await
}

/// Changes the plan. Opens a closed account again.
pub async fn set_plan(app: &App, account: &Account, plan: Plan) -> Result<()> {
    let mut tx = app.database.begin().await?;
    accounts::set_plan(app, &mut tx, &account.id, plan).await?;
    tx.commit().await?;
    Ok(())
}

/// Creates a key that does whatever the account may do. Only the result contains the secret.
pub async fn create_key(app: &App, account: &Account, name: &str) -> Result<(ApiKey, SecretKey)> {
    create_key_with(app, account, &NewApiKey::named(name)).await
}

/// Creates a key with these terms.
pub async fn create_key_with(app: &App, account: &Account, new: &NewApiKey) -> Result<(ApiKey, SecretKey)> {
    let mut tx = app.database.begin().await?;
    let created = accounts::create_key(app, &mut tx, &account.id, new).await?;
    tx.commit().await?;
    Ok(created)
}

/// Revokes the key; returns false when there is no such key.
pub async fn revoke_key(app: &App, key: &KeyId) -> Result<bool> {
    let mut tx = app.database.begin().await?;
    let found = accounts::revoke_key(app, &mut tx, key).await?;
    tx.commit().await?;
    Ok(found)
}

/// Revokes a grant of any account; returns false when there is no active grant with this id.
pub async fn revoke_grant(app: &App, id: &GrantId) -> Result<bool> {
    let mut tx = app.database.begin().await?;
    let revoked = grants::revoke_any(app, &mut tx, id).await?;
    tx.commit().await?;
    Ok(revoked)
}

/// Sets or replaces the password, and ends the account's sessions.
pub async fn set_password(app: &App, account: &Account, password: &str) -> Result<()> {
    let hash = sign_in::PasswordHash::of(app, &account.email, password).await?;
    let mut tx = app.database.begin().await?;
    sign_in::set_password(app, &mut tx, &account.id, &hash).await?;
    tx.commit().await?;
    Ok(())
}

/// Creates the token of a link that resets the account's password. Earlier links become invalid.
pub async fn offer_password_reset(app: &App, account: &Account) -> Result<Secret> {
    let mut tx = app.database.begin().await?;
    let link = sign_in::offer_password_reset(app, &mut tx, &account.id).await?;
    tx.commit().await?;
    Ok(link.token)
}

/// Deletes throttles that have no effect any more; returns their number.
pub async fn forget_throttles(app: &App) -> Result<u64> {
    throttle::forget_old(app).await
}

/// Deletes expired requests, codes, tokens, grants and clients; returns their number.
pub async fn forget_grants(app: &App) -> Result<u64> {
    grants::forget_expired(app).await
}

/// Deletes old idempotency keys; returns their number.
pub async fn forget_idempotency_keys(app: &App) -> Result<u64> {
    idempotency::forget_old_keys(app).await
}

/// Deletes expired sessions; returns their number.
pub async fn forget_sessions(app: &App) -> Result<u64> {
    sign_in::forget_expired(app).await
}

/// Deletes expired single-use links; returns their number.
pub async fn forget_links(app: &App) -> Result<u64> {
    sign_in::forget_expired_links(app).await
}

/// Deletes expired sign-ins that await a code, and unconfirmed second factors; returns their number.
pub async fn forget_pending_sign_ins(app: &App) -> Result<u64> {
    sign_in::second_factor::forget_expired(app).await
}

/// Deletes expired journeys to an OpenID Connect provider; returns their number.
pub async fn forget_journeys(app: &App) -> Result<u64> {
    sign_in::provider::forget_expired_journeys(app).await
}

//! Accounts as tests need them: changes without an operator who makes them, and without entries of the audit log.
use crate::accounts::{self, Account, ApiKey, Plan, SecretKey};
use crate::app::App;
use crate::closing::{self, Closed};
use crate::credits;
use crate::grants;
use crate::sign_in;
use linepress_platform::error::Result;
use linepress_platform::ids::{GrantId, KeyId};
use linepress_platform::secrets::Secret;

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

/// Changes the plan. Opens a closed account again.
pub async fn set_plan(app: &App, account: &Account, plan: Plan) -> Result<()> {
    let mut tx = app.database.begin().await?;
    accounts::set_plan(app, &mut tx, &account.id, plan).await?;
    tx.commit().await?;
    Ok(())
}

/// Creates a key. Only the result contains the secret.
pub async fn create_key(app: &App, account: &Account, name: &str) -> Result<(ApiKey, SecretKey)> {
    let mut tx = app.database.begin().await?;
    let created = accounts::create_key(app, &mut tx, &account.id, name).await?;
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

/// Closes the account.
pub async fn close(app: &App, account: &Account) -> Result<Closed> {
    let mut tx = app.database.begin().await?;
    let closed = closing::close(app, &mut tx, &account.id).await?;
    tx.commit().await?;
    closing::end_late_grants(app, &account.id).await?;
    Ok(closed)
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

//! The second check of a caller, within the transaction of its request.
//!
//! A request is authenticated before its body is read, which may take minutes. Meanwhile the account may be closed or
//! lose its plan, and the credential may end: a key is revoked, an app is disconnected, or the account is handed over
//! to the owner of its address. A transaction that makes something which gives access later checks both again, under
//! the lock of the account's row: either it finds that the credential has ended, or the handover finds what it made.
mod store;

use sqlx::AnyExecutor;

use crate::caller::Caller;
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::Tx;
use linepress_platform::error::{ErrorKind, Result};
use linepress_platform::ids::{AccountId, GrantId};
use linepress_platform::subscription::Plan;

/// Locks the account's row until the transaction ends, so that conflicting changes, and the closing of the account,
/// take turns.
pub async fn lock_account(app: &App, tx: &mut Tx, account: &AccountId) -> Result<()> {
    Ok(store::lock_account(&app.database, tx, account).await?)
}

/// Fails when the account was closed or suspended, or lost its plan, or the caller's credential ended, since the caller
/// was authenticated. Locks the account's row.
pub async fn check_still_allowed(app: &App, tx: &mut Tx, caller: &Caller) -> Result<()> {
    lock_account(app, tx, caller.account_id()).await?;
    if !store::has_plan(tx, caller.account_id(), Plan::Business).await? {
        return Err(ErrorKind::PlanRequired.into());
    }
    check_still_valid(app, tx, caller).await
}

/// Fails when the caller's API key, grant or session has ended since the caller was authenticated.
pub async fn check_still_valid(app: &App, tx: &mut Tx, caller: &Caller) -> Result<()> {
    match reason_of_end(&mut **tx, caller, app.clock.now()).await? {
        Some(reason) => Err(reason.into()),
        None => Ok(()),
    }
}

/// Returns false when the caller's API key, grant or session has ended since the caller was authenticated.
pub(crate) async fn is_still_valid(app: &App, tx: &mut Tx, caller: &Caller) -> Result<bool> {
    Ok(reason_of_end(&mut **tx, caller, app.clock.now()).await?.is_none())
}

/// Fails when the caller's API key, grant or session has ended since the caller was authenticated; for work that takes
/// minutes.
pub async fn check(app: &App, caller: &Caller) -> Result<()> {
    caller.require_reading()?;
    match reason_of_end(&app.database.read, caller, app.clock.now()).await? {
        Some(reason) => Err(reason.into()),
        None => Ok(()),
    }
}

/// The error for a caller whose credential has ended; `None` while it is valid. A link to a file changes nothing.
async fn reason_of_end<'e>(
    executor: impl AnyExecutor<'e>,
    caller: &Caller,
    now: Timestamp,
) -> Result<Option<ErrorKind>> {
    if let Some(key) = caller.key() {
        let is_valid = store::is_key_valid(executor, key, now).await?;
        return Ok((!is_valid).then_some(ErrorKind::KeyRevoked));
    }
    if let Some(grant) = caller.grant() {
        let is_active = store::is_grant_active(executor, caller.account_id(), &grant.id, now).await?;
        return Ok((!is_active).then_some(ErrorKind::GrantRevoked));
    }
    if let Some(session) = caller.session() {
        let has_session = store::has_session(executor, session, now).await?;
        return Ok((!has_session).then_some(ErrorKind::SessionEnded));
    }
    Ok(None)
}

/// Returns true when the account has this grant and it is active.
pub(crate) async fn is_grant_active(app: &App, account: &AccountId, grant: &GrantId) -> Result<bool> {
    Ok(store::is_grant_active(&app.database.read, account, grant, app.clock.now()).await?)
}

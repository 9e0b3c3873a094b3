//! Grants: what people let apps do for them. A person grants scopes to an app, perhaps with a limit on what it may spend; the
//! app gets a code for that, and tokens for the code. All that was issued under a grant ends with it.
//!
//! Whoever issues, rotates or revokes something locks the grant's row first, so that nothing that comes late revives a grant
//! that was revoked. Each approval makes a grant of its own, and an existing one never changes what it allows: an app that
//! several machines run under one name has a grant for each, and more scopes, or another limit, are another approval.
pub mod clients;
pub mod codes;
pub mod consent;
pub mod pkce;
mod spending;
mod store;
mod tokens;

use std::time::Duration;

use serde::Serialize;

use crate::accounts::Account;
use crate::app::App;
use crate::caller::Caller;
use crate::clock::Timestamp;
use crate::database::Tx;
use crate::error::Result;
use crate::ids::{AccountId, ClientId, GrantId};

pub(crate) use spending::{give_back, spend};
pub use tokens::{ACCESS_LIFETIME, Issued, Refusal, caller_of_token, issue, refresh, revoke_token};

/// What a person lets an app do.
#[derive(Clone, Debug)]
pub struct NewGrant<'a> {
    pub account_id: &'a AccountId,
    pub client_id: &'a ClientId,
    pub scopes: Scopes,
    /// The address that its tokens open.
    pub resource: &'a str,
    /// The most that the app may spend; nothing for all that the account has.
    pub credit_cap: Option<i64>,
    /// When it ends unless something is issued under it.
    pub expires_at: Timestamp,
}

/// An app that an account has connected.
#[derive(Clone, Debug, Serialize)]
pub struct ConnectedApp {
    pub grant_id: GrantId,
    /// What the app calls itself. Anybody can call themselves anything.
    pub client_name: String,
    /// The host whose owner vouches for the app; nothing for an app that registered itself.
    pub client_host: Option<String>,
    pub scopes: Scopes,
    pub credit_cap: Option<i64>,
    pub credits_spent: i64,
    pub created_at: Timestamp,
    pub last_used_at: Option<Timestamp>,
}

/// Makes a grant.
pub async fn create(app: &App, tx: &mut Tx, new: &NewGrant<'_>) -> Result<GrantId> {
    let now = app.clock.now();
    let id = GrantId::generate(now, &app.random);
    store::insert(tx, &id, new, now).await?;
    Ok(id)
}

/// The apps that the account has connected, the newest first.
pub async fn list_for(app: &App, caller: &Caller) -> Result<Vec<ConnectedApp>> {
    let rows = store::list(&app.database.read, &caller.account_id, app.clock.now()).await?;
    Ok(rows.into_iter().map(store::GrantRow::into_connected_app).collect())
}

/// A grant as the operator sees it.
#[derive(Clone, Debug, Serialize)]
pub struct GrantOfAccount {
    pub email: String,
    #[serde(flatten)]
    pub app: ConnectedApp,
}

/// The grants of an account, the newest first.
pub async fn list_of(app: &App, account: &Account) -> Result<Vec<GrantOfAccount>> {
    let rows = store::list(&app.database.read, &account.id, app.clock.now()).await?;
    Ok(rows.into_iter().map(store::GrantRow::into_grant_of_account).collect())
}

/// Every grant, the newest first.
pub async fn list_all(app: &App) -> Result<Vec<GrantOfAccount>> {
    let rows = store::list_all(&app.database.read, app.clock.now()).await?;
    Ok(rows.into_iter().map(store::GrantRow::into_grant_of_account).collect())
}

/// Whether the account has such a grant and it has not ended.
pub(crate) async fn stands(app: &App, account: &AccountId, id: &GrantId) -> Result<bool> {
    Ok(store::stands(&app.database.read, account, id, app.clock.now()).await?)
}

/// Ends what the account granted; false when it has no such grant that has not ended.
pub async fn revoke(app: &App, caller: &Caller, id: &GrantId) -> Result<bool> {
    let mut tx = app.database.begin().await?;
    let revoked = store::revoke_of_account(&mut tx, &caller.account_id, id, app.clock.now()).await?;
    tx.commit().await?;
    Ok(revoked)
}

/// Ends a grant of whichever account; false when there is none that has not ended.
pub async fn revoke_any(app: &App, id: &GrantId) -> Result<bool> {
    let mut tx = app.database.begin().await?;
    let revoked = store::revoke(&mut tx, id, app.clock.now()).await?;
    tx.commit().await?;
    Ok(revoked)
}

/// Ends all that the account granted; returns how much that was.
pub(crate) async fn revoke_all(app: &App, tx: &mut Tx, account: &AccountId) -> Result<u64> {
    store::lock_all(&app.database, tx, account).await?;
    Ok(store::revoke_all(tx, account, app.clock.now()).await?)
}

/// Ends all that was granted to a client.
async fn revoke_all_of_client(app: &App, tx: &mut Tx, client: &ClientId, now: Timestamp) -> Result<()> {
    store::lock_all_of_client(&app.database, tx, client).await?;
    Ok(store::revoke_all_of_client(tx, client, now).await?)
}

/// Codes are kept for so long after they have expired, so that the replay of one is noticed; and for so long a grant that has
/// ended.
const KEPT: Duration = Duration::from_secs(24 * 3600);

/// Forgets what has expired.
pub async fn forget_expired(app: &App) -> Result<u64> {
    let mut tx = app.database.begin().await?;
    let now = app.database.shared_time(&mut tx, &app.clock).await?;
    let tokens = store::delete_expired(&mut tx, now, now.minus(KEPT)).await?;
    let clients = clients::delete_expired(&mut tx, now).await?;
    tx.commit().await?;
    Ok(tokens + clients)
}

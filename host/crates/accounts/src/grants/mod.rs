//! Grants of accounts to apps. A person grants scopes to an app, optionally with a spending limit; the app gets a code
//! for the grant, and tokens for the code. Everything issued under a grant ends with it.
//!
//! Every transaction that issues, rotates or revokes something locks the grant's row first, so that a late one cannot
//! revive a revoked grant. Each approval creates a separate grant, and a grant never changes its scopes: an app that
//! runs under one name on several machines has a grant for each, and further scopes require another approval. Its
//! spending limit is changed by the owner of the account alone, in the browser.
pub mod clients;
pub mod codes;
pub mod consent;
mod links;
pub mod pkce;
mod store;
mod tokens;

use std::time::Duration;

use serde::Serialize;

use crate::accounts::Account;
use crate::caller::Caller;
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::Tx;
use linepress_platform::error::{Error, Result};
use linepress_platform::field::Field;
use linepress_platform::ids::{AccountId, ClientId, GrantId};
use linepress_platform::scopes::Scopes;

pub use links::{LINK_LIFETIME, caller_of_link, seal_link};
pub use tokens::{ACCESS_LIFETIME, Issued, Refusal, caller_of_token, issue, refresh, revoke_token};

/// The terms of a new grant.
#[derive(Clone, Debug)]
pub struct NewGrant<'a> {
    pub account_id: &'a AccountId,
    pub client_id: &'a ClientId,
    pub scopes: Scopes,
    /// The URL that its tokens are valid for.
    pub resource: &'a str,
    /// The credits that the app may spend; `None` for no limit.
    pub credit_cap: Option<i64>,
    /// The time at which the grant ends unless a token is issued under it.
    pub expires_at: Timestamp,
}

/// An app that an account has connected.
#[derive(Clone, Debug, Serialize)]
pub struct ConnectedApp {
    pub grant_id: GrantId,
    /// The name that the app chose, which is not verified.
    pub client_name: String,
    /// The host whose owner vouches for the app; `None` for an app that registered itself.
    pub client_host: Option<String>,
    pub scopes: Scopes,
    pub credit_cap: Option<i64>,
    pub credits_spent: i64,
    pub created_at: Timestamp,
    pub last_used_at: Option<Timestamp>,
}

/// Creates a grant.
pub async fn create(app: &App, tx: &mut Tx, new: &NewGrant<'_>) -> Result<GrantId> {
    let now = app.clock.now();
    let id = GrantId::generate(now, &app.random);
    store::insert(tx, &id, new, now).await?;
    Ok(id)
}

/// The apps that the account has connected, newest first.
pub async fn list_for(app: &App, caller: &Caller) -> Result<Vec<ConnectedApp>> {
    caller.require_owner()?;
    let rows = store::list(&app.database.read, caller.account_id(), app.clock.now()).await?;
    Ok(rows.into_iter().map(store::GrantRow::into_connected_app).collect())
}

/// The app through which the caller acts, with what it may still spend; `None` for a caller without a grant.
pub async fn calling_app(app: &App, caller: &Caller) -> Result<Option<ConnectedApp>> {
    caller.require_reading()?;
    let Some(grant) = caller.grant() else {
        return Ok(None);
    };
    let row = store::find(&app.database.read, caller.account_id(), &grant.id, app.clock.now()).await?;
    Ok(row.map(store::GrantRow::into_connected_app))
}

/// A grant in the operator's list.
#[derive(Clone, Debug, Serialize)]
pub struct GrantOfAccount {
    pub email: String,
    #[serde(flatten)]
    pub app: ConnectedApp,
}

/// The active grants of an account, newest first.
pub async fn list_of(app: &App, account: &Account) -> Result<Vec<GrantOfAccount>> {
    let rows = store::list(&app.database.read, &account.id, app.clock.now()).await?;
    Ok(rows.into_iter().map(store::GrantRow::into_grant_of_account).collect())
}

/// Every active grant, newest first.
pub async fn list_all(app: &App) -> Result<Vec<GrantOfAccount>> {
    let rows = store::list_all(&app.database.read, app.clock.now()).await?;
    Ok(rows.into_iter().map(store::GrantRow::into_grant_of_account).collect())
}

/// The highest spending limit of a grant, in credits.
pub const MAX_CAP_CREDITS: i64 = 1_000_000_000;

/// The number of digits of the highest spending limit.
pub const MAX_CAP_DIGITS: u32 = MAX_CAP_CREDITS.ilog10() + 1;

/// The spending limit that a person typed, in credits; `None` if no grant can have it.
pub fn cap_from_text(text: &str) -> Option<i64> {
    let cap = text.trim().parse().ok()?;
    (0..=MAX_CAP_CREDITS).contains(&cap).then_some(cap)
}

/// Changes the spending limit of a grant of the account; `None` removes it. Returns false when the account has no
/// active grant with this id.
pub async fn change_cap(app: &App, caller: &Caller, id: &GrantId, credit_cap: Option<i64>) -> Result<bool> {
    caller.require_owner()?;
    if credit_cap.is_some_and(|cap| !(0..=MAX_CAP_CREDITS).contains(&cap)) {
        let problem = format!("must be a whole number from 0 to {MAX_CAP_CREDITS}");
        return Err(Error::invalid_field(Field::credit_cap(), problem));
    }
    let mut tx = app.database.begin().await?;
    let changed = store::change_cap(&mut tx, caller.account_id(), id, credit_cap, app.clock.now()).await?;
    tx.commit().await?;
    Ok(changed)
}

/// Revokes a grant of the account; returns false when the account has no active grant with this id.
pub async fn revoke(app: &App, caller: &Caller, id: &GrantId) -> Result<bool> {
    caller.require_owner()?;
    let mut tx = app.database.begin().await?;
    let revoked = store::revoke_of_account(&mut tx, caller.account_id(), id, app.clock.now()).await?;
    tx.commit().await?;
    Ok(revoked)
}

/// Revokes a grant of any account; returns false when there is no active grant with this id.
pub async fn revoke_any(app: &App, tx: &mut Tx, id: &GrantId) -> Result<bool> {
    Ok(store::revoke(tx, id, app.clock.now()).await?)
}

/// Revokes all grants of the account; returns their number.
pub async fn revoke_all(app: &App, tx: &mut Tx, account: &AccountId) -> Result<u64> {
    store::lock_all(&app.database, tx, account).await?;
    Ok(store::revoke_all(tx, account, app.clock.now()).await?)
}

/// Revokes all grants to a client.
async fn revoke_all_of_client(app: &App, tx: &mut Tx, client: &ClientId, now: Timestamp) -> Result<()> {
    store::lock_all_of_client(&app.database, tx, client).await?;
    Ok(store::revoke_all_of_client(tx, client, now).await?)
}

/// The time for which expired codes are stored, so that a replay of one is noticed, and for which ended grants are
/// stored.
const EXPIRED_RETENTION: Duration = Duration::from_secs(24 * 3600);

/// Deletes expired requests, codes, tokens, grants and clients; returns their number.
pub async fn forget_expired(app: &App) -> Result<u64> {
    let mut tx = app.database.begin().await?;
    let now = app.database.shared_time(&mut tx, &app.clock).await?;
    let tokens = store::delete_expired(&mut tx, now, now.minus(EXPIRED_RETENTION)).await?;
    let clients = clients::delete_expired(&mut tx, now).await?;
    tx.commit().await?;
    Ok(tokens + clients)
}

//! Consent: an app's request is stored until the person decides, so that nothing the browser sends back needs to be
//! trusted. The approval creates a grant and a code in one transaction.
mod store;

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::NewGrant;
use super::clients::{self, Client};
use super::codes::{self, NewCode};
use crate::accounts;
use crate::caller::Caller;
use crate::credentials;
use crate::throttle::{self, Rate};
use linepress_platform::app::App;
use linepress_platform::error::{Error, Result};
use linepress_platform::ids::AccountId;
use linepress_platform::scopes::Scopes;
use linepress_platform::secrets::Secret;

/// The time limit for the person's decision.
const DECISION_TIMEOUT: Duration = Duration::from_secs(3600);
/// The lifetime of a code, long enough to be carried to another machine by hand.
const CODE_LIFETIME: Duration = Duration::from_secs(300);

const REQUESTS: Rate = Rate::new(60, Duration::from_secs(600));

/// A validated authorization request.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AuthorizationRequest {
    /// The client's `client_id`, which may be the URL of its document.
    pub client_id: String,
    pub redirect_uri: String,
    /// An opaque value that is returned to the client.
    pub state: Option<String>,
    /// Separated by spaces.
    pub scopes: String,
    /// True if the app requested specific scopes; otherwise `scopes` contains all of them.
    #[serde(default)]
    pub names_scopes: bool,
    pub code_challenge: String,
    pub resource: String,
}

impl AuthorizationRequest {
    pub fn scopes(&self) -> Scopes {
        Scopes::parse(&self.scopes)
    }
}

/// Stores an app's request until the person decides; returns the token by which the form refers to it.
pub async fn store_request(app: &App, account: &AccountId, request: &AuthorizationRequest) -> Result<Secret> {
    throttle::take(app, "requests of apps", account.as_str(), REQUESTS).await?;
    let token = Secret::generate(&app.random);
    let expires_at = app.clock.now().plus(DECISION_TIMEOUT);
    let mut tx = app.database.begin().await?;
    store::insert(
        &mut tx,
        &token.hash(),
        account,
        &serde_json::to_string(request)?,
        expires_at,
    )
    .await?;
    tx.commit().await?;
    Ok(token)
}

/// The stored request of this token; `None` when it has been decided or has expired.
pub async fn find_request(app: &App, account: &AccountId, token: &str) -> Result<Option<AuthorizationRequest>> {
    let Some(token) = Secret::from_text(token) else {
        return Ok(None);
    };
    let found = store::find(&app.database.read, &token.hash(), account, app.clock.now()).await?;
    Ok(found.map(|request| serde_json::from_str(&request)).transpose()?)
}

/// The scopes and the spending limit that a person grants.
#[derive(Clone, Copy, Debug)]
pub struct Approval {
    pub scopes: Scopes,
    pub credit_cap: Option<i64>,
}

/// Grants the request or a part of it; returns the code that the app exchanges for tokens. `None` when the request was
/// decided before, or when the client was revoked, the account closed or the session ended in the meantime.
pub async fn approve(
    app: &App,
    caller: &Caller,
    token: &str,
    client: &Client,
    approval: Approval,
) -> Result<Option<Secret>> {
    caller.require_owner()?;
    let account = caller.account_id();
    let Some(token) = Secret::from_text(token) else {
        return Ok(None);
    };
    let now = app.clock.now();
    let mut tx = app.database.begin().await?;
    // Closing the account and handing it over take the same lock, so that neither a closed account nor a former owner
    // grants anything.
    accounts::lock(app, &mut tx, account).await?;
    let Some(request) = store::take(&mut tx, &token.hash(), account, now).await? else {
        return Ok(None);
    };
    if accounts::is_locked_out(&mut tx, account).await? || !credentials::is_still_valid(app, &mut tx, caller).await? {
        return Ok(None);
    }
    if !clients::is_active(&mut tx, &client.id).await? {
        return Ok(None);
    }
    let request: AuthorizationRequest = serde_json::from_str(&request)?;
    if !request.scopes().includes(approval.scopes) || approval.scopes.is_empty() {
        return Err(Error::internal("the approval exceeds the request"));
    }
    let expires_at = now.plus(CODE_LIFETIME);
    let grant = super::create(
        app,
        &mut tx,
        &NewGrant {
            account_id: account,
            client_id: &client.id,
            scopes: approval.scopes,
            resource: &request.resource,
            credit_cap: approval.credit_cap,
            expires_at,
        },
    )
    .await?;
    let new = NewCode {
        redirect_uri: &request.redirect_uri,
        code_challenge: &request.code_challenge,
        expires_at,
    };
    let code = codes::create(app, &mut tx, &grant, &new).await?;
    clients::note_use(&mut tx, &client.id, now).await?;
    tx.commit().await?;
    Ok(Some(code))
}

/// Deletes the request; returns false when it was decided before.
pub async fn deny(app: &App, account: &AccountId, token: &str) -> Result<bool> {
    let Some(token) = Secret::from_text(token) else {
        return Ok(false);
    };
    let mut tx = app.database.begin().await?;
    let taken = store::take(&mut tx, &token.hash(), account, app.clock.now()).await?;
    tx.commit().await?;
    Ok(taken.is_some())
}

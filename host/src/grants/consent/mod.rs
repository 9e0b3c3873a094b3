//! Consent: what an app asks for waits here until its person has decided, so that what the browser sends back need not be
//! trusted; and the approval makes a grant and a code in one transaction.
mod store;

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::clients::{self, Client};
use super::codes::{self, NewCode};
use super::{NewGrant, Scopes};
use crate::accounts;
use crate::app::App;
use crate::error::{Error, Result};
use crate::ids::AccountId;
use crate::secrets::Secret;
use crate::throttle::{self, Rate};

/// How long a person may think about it.
const PATIENCE: Duration = Duration::from_secs(3600);
/// How long a code can be exchanged. Some are carried to another machine by hand.
const CODE_LIFETIME: Duration = Duration::from_secs(300);

const REQUESTS: Rate = Rate::new(60, Duration::from_secs(600));

/// What an app asks for, all of it checked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AuthorizationRequest {
    /// As the client names itself.
    pub client_id: String,
    pub redirect_uri: String,
    /// What the client wants to have back.
    pub state: Option<String>,
    /// Separated by spaces.
    pub scopes: String,
    /// The app named its scopes; otherwise `scopes` are all of them.
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

/// Remembers what an app asks of the account until its person has decided; returns what the form names it by.
pub async fn ask(app: &App, account: &AccountId, request: &AuthorizationRequest) -> Result<Secret> {
    throttle::take(app, "requests of apps", account.as_str(), REQUESTS).await?;
    let token = Secret::generate(&app.random);
    let expires_at = app.clock.now().plus(PATIENCE);
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

/// What was asked of the account under this name; nothing when that is decided, or too long ago.
pub async fn asked(app: &App, account: &AccountId, token: &str) -> Result<Option<AuthorizationRequest>> {
    let Some(token) = Secret::from_text(token) else {
        return Ok(None);
    };
    let found = store::find(&app.database.read, &token.hash(), account, app.clock.now()).await?;
    Ok(found.map(|request| serde_json::from_str(&request)).transpose()?)
}

/// What a person grants.
#[derive(Clone, Copy, Debug)]
pub struct Approval {
    pub scopes: Scopes,
    pub credit_cap: Option<i64>,
}

/// Grants what was asked, or a part of it; returns the code that the app exchanges for tokens. Nothing when it was decided
/// before, or when the app or the account ended meanwhile.
pub async fn approve(
    app: &App,
    account: &AccountId,
    token: &str,
    client: &Client,
    approval: Approval,
) -> Result<Option<Secret>> {
    let Some(token) = Secret::from_text(token) else {
        return Ok(None);
    };
    let now = app.clock.now();
    let mut tx = app.database.begin().await?;
    // Whoever closes the account locks it, too: nothing is granted after that.
    accounts::lock(app, &mut tx, account).await?;
    let Some(request) = store::take(&mut tx, &token.hash(), account, now).await? else {
        return Ok(None);
    };
    if accounts::is_closed(&mut tx, account).await? || !clients::is_active(&mut tx, &client.id).await? {
        return Ok(None);
    }
    let request: AuthorizationRequest = serde_json::from_str(&request)?;
    if !request.scopes().includes(approval.scopes) || approval.scopes.is_empty() {
        return Err(Error::internal("more was approved than was asked"));
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

/// Forgets what was asked; false when it was decided before.
pub async fn deny(app: &App, account: &AccountId, token: &str) -> Result<bool> {
    let Some(token) = Secret::from_text(token) else {
        return Ok(false);
    };
    let mut tx = app.database.begin().await?;
    let taken = store::take(&mut tx, &token.hash(), account, app.clock.now()).await?;
    tx.commit().await?;
    Ok(taken.is_some())
}

//! Tokens: what an app shows to act for somebody, and what it gets the next ones with.
mod store;

use std::time::Duration;

use super::{ActiveGrant, Scopes, clients, store as grant_store};
use crate::app::App;
use crate::caller::Caller;
use crate::clock::Timestamp;
use crate::database::Tx;
use crate::error::Result;
use crate::ids::{ClientId, GrantId};
use crate::secrets::Secret;

/// How long an access token opens what it is for.
pub const ACCESS_LIFETIME: Duration = Duration::from_secs(3600);
/// A refresh token that is not used for so long has expired, and with the last one its grant.
const REFRESH_LIFETIME: Duration = Duration::from_secs(60 * 24 * 3600);
/// For so long a refresh token may be used again: some hosts refresh from several machines at once.
const GRACE: Duration = Duration::from_secs(120);
/// The first use and ten others.
const MOST_USES: i64 = 11;
/// Refresh tokens of one grant that were not used. Each use makes one, so whoever uses one several times would have more and more.
const MOST_UNUSED: i64 = 50;
/// When a grant was used last is written down no more often than this.
const NOTE_EACH: Duration = Duration::from_secs(300);

/// Tokens that were just issued; they are in here and nowhere else.
#[derive(Debug)]
pub struct Issued {
    pub access_token: Secret,
    pub refresh_token: Secret,
    /// Of the access token.
    pub scopes: Scopes,
}

/// Why an app does not get what it asked for. The words are safe to send.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The code or refresh token is not valid for this client.
    Grant(&'static str),
    /// The scopes are more than were granted.
    Scope(&'static str),
    /// The resource is another one.
    Target(&'static str),
}

/// Whose token it is, and what it allows; nothing for a token that is unknown, expired, revoked or for another resource. The
/// plan of the account is left to whoever asks.
pub async fn caller_of_token(app: &App, token: &str, resource: &str) -> Result<Option<Caller>> {
    let Some(token) = Secret::from_text(token) else {
        return Ok(None);
    };
    let now = app.clock.now();
    let Some(found) = store::owner_of_token(&app.database.read, &token.hash(), resource, now).await? else {
        return Ok(None);
    };
    let noted = now.minus(NOTE_EACH);
    if found.last_used_at.is_none_or(|last| last < noted) {
        let mut tx = app.database.begin().await?;
        grant_store::note_use(&mut tx, &found.grant_id, now, noted).await?;
        tx.commit().await?;
    }
    Ok(Some(Caller {
        account_id: found.account_id,
        email: found.email,
        plan: found.plan,
        key_id: None,
        grant: Some(ActiveGrant {
            id: found.grant_id,
            scopes: found.scopes,
        }),
    }))
}

/// Issues an access token and a refresh token under a grant, which whoever calls this has made or locked.
pub async fn issue(
    app: &App,
    tx: &mut Tx,
    (client, grant): (&ClientId, &GrantId),
    scopes: Scopes,
    now: Timestamp,
) -> Result<Issued> {
    let issued = Issued {
        access_token: Secret::generate(&app.random),
        refresh_token: Secret::generate(&app.random),
        scopes,
    };
    let last = now.plus(REFRESH_LIFETIME);
    let access_hash = issued.access_token.hash();
    store::insert_access_token(tx, &access_hash, grant, scopes, now.plus(ACCESS_LIFETIME)).await?;
    let refresh_hash = issued.refresh_token.hash();
    store::insert_refresh_token(tx, &refresh_hash, grant, last).await?;
    store::delete_unused_refresh_tokens(tx, grant, &refresh_hash, MOST_UNUSED - 1).await?;
    grant_store::keep_until(tx, grant, last).await?;
    clients::note_use(tx, client, now).await?;
    Ok(issued)
}

/// Exchanges a refresh token for new tokens. The new refresh token is good for all that was granted, whatever `scopes` the
/// access token is asked for.
///
/// A token that was used is good for a little while more. Whoever uses it later has stolen it, or was stolen from: what was
/// issued under its grant ends.
pub async fn refresh(
    app: &App,
    client: &ClientId,
    token: &str,
    scopes: Option<Scopes>,
    resource: &str,
) -> Result<Result<Issued, Refusal>> {
    const UNKNOWN: Refusal = Refusal::Grant("The refresh token is not valid. It may have expired or been revoked.");
    let Some(hash) = Secret::from_text(token).map(|token| token.hash()) else {
        return Ok(Err(UNKNOWN));
    };
    let mut tx = app.database.begin().await?;
    let Some(found) = store::find_refresh_token(&mut tx, &hash).await? else {
        return Ok(Err(UNKNOWN));
    };
    // Before anything else: what is somebody else's is not touched.
    if found.client_id != *client {
        return Ok(Err(UNKNOWN));
    }
    grant_store::lock(&app.database, &mut tx, &found.grant_id).await?;
    let now = app.database.shared_time(&mut tx, &app.clock).await?;
    // As it is now that nobody else can change it.
    let found = store::find_refresh_token(&mut tx, &hash).await?;
    let Some(found) = found.filter(|found| found.revoked_at.is_none() && found.expires_at > now) else {
        return Ok(Err(UNKNOWN));
    };
    if let Some(first) = found.used_at {
        if now.since(first) > GRACE {
            grant_store::revoke(&mut tx, &found.grant_id, now).await?;
            tx.commit().await?;
            return Ok(Err(Refusal::Grant(
                "The refresh token was used before. To be safe, all tokens of this app were revoked: connect it again.",
            )));
        }
        if found.uses >= MOST_USES {
            return Ok(Err(Refusal::Grant("The refresh token was used too often.")));
        }
    }
    if found.resource != resource {
        return Ok(Err(Refusal::Target("The token was granted for another resource.")));
    }
    let scopes = scopes.unwrap_or(found.scopes);
    if !found.scopes.includes(scopes) || scopes.is_empty() {
        return Ok(Err(Refusal::Scope("More was asked for than was granted.")));
    }
    store::use_refresh_token(&mut tx, &hash, now).await?;
    let issued = issue(app, &mut tx, (client, &found.grant_id), scopes, now).await?;
    tx.commit().await?;
    Ok(Ok(issued))
}

/// Ends what a token stands for: with a refresh token its grant, with an access token that token alone. Tokens of others,
/// and what is none, are left alone.
pub async fn revoke_token(app: &App, client: &ClientId, token: &str) -> Result<()> {
    let Some(hash) = Secret::from_text(token).map(|token| token.hash()) else {
        return Ok(());
    };
    let mut tx = app.database.begin().await?;
    match store::find_refresh_token(&mut tx, &hash).await? {
        Some(found) if found.client_id == *client => {
            grant_store::revoke(&mut tx, &found.grant_id, app.clock.now()).await?;
        }
        Some(_) => {}
        None => store::delete_access_token(&mut tx, &hash, client).await?,
    }
    tx.commit().await?;
    Ok(())
}

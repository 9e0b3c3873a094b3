//! Access tokens, with which an app acts for an account, and refresh tokens, which it exchanges for new ones.
mod store;

use std::time::Duration;

use super::{clients, store as grant_store};
use crate::caller::{ActiveGrant, Caller};
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::Tx;
use linepress_platform::error::Result;
use linepress_platform::ids::{ClientId, GrantId};
use linepress_platform::scopes::Scopes;
use linepress_platform::secrets::Secret;

/// The lifetime of an access token.
pub const ACCESS_LIFETIME: Duration = Duration::from_secs(3600);
/// The lifetime of an unused refresh token. The grant expires with its last refresh token.
const REFRESH_LIFETIME: Duration = Duration::from_secs(60 * 24 * 3600);
/// The time after its first use for which a refresh token may be used again: some apps refresh from several machines at
/// once.
const REUSE_GRACE_PERIOD: Duration = Duration::from_secs(120);
/// The number of uses of a refresh token: the first and ten repetitions.
const MAX_USES: i64 = 11;
/// The number of unused refresh tokens of one grant. Each use issues a new one, so repeated uses would accumulate them.
const MAX_UNUSED_TOKENS: i64 = 50;
/// The minimum time between two updates of a grant's last use.
const LAST_USE_INTERVAL: Duration = Duration::from_secs(300);

/// Tokens that were just issued. Only their hashes are stored.
#[derive(Debug)]
pub struct Issued {
    pub access_token: Secret,
    pub refresh_token: Secret,
    /// The scopes of the access token.
    pub scopes: Scopes,
}

/// The reason why a token request is refused. The text is safe to send to the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// The code or refresh token is not valid for this client.
    Grant(&'static str),
    /// The requested scopes exceed the grant.
    Scope(&'static str),
    /// The grant is for another resource.
    Target(&'static str),
}

/// The caller that an access token authenticates; `None` for a token that is unknown, expired, revoked or for another
/// resource. Does not check the account's plan.
pub async fn caller_of_token(app: &App, token: &str, resource: &str) -> Result<Option<Caller>> {
    let Some(token) = Secret::from_text(token) else {
        return Ok(None);
    };
    let now = app.clock.now();
    let Some(found) = store::owner_of_token(&app.database.read, &token.hash(), resource, now).await? else {
        return Ok(None);
    };
    let noted = now.minus(LAST_USE_INTERVAL);
    if found.last_used_at.is_none_or(|last| last < noted) {
        let mut tx = app.database.begin().await?;
        grant_store::note_use(&mut tx, &found.grant_id, now, noted).await?;
        tx.commit().await?;
    }
    let grant = ActiveGrant {
        id: found.grant_id,
        scopes: found.scopes,
        credit_cap: found.credit_cap,
        credits_spent: found.credits_spent,
    };
    Ok(Some(Caller::from_grant(found.account, grant)))
}

/// Issues an access token and a refresh token under a grant, which the calling function has created or locked.
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
    store::delete_unused_refresh_tokens(tx, grant, &refresh_hash, MAX_UNUSED_TOKENS - 1).await?;
    grant_store::keep_until(tx, grant, last).await?;
    clients::note_use(tx, client, now).await?;
    Ok(issued)
}

/// Exchanges a refresh token for new tokens. The new refresh token is valid for the whole grant, even when the access
/// token is requested for fewer `scopes`.
///
/// A used token remains valid for a short time. A later use means that it was stolen, by its sender or from its sender,
/// so everything issued under its grant is revoked.
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
    // Checked first, so that another client's token is not affected.
    if found.client_id != *client {
        return Ok(Err(UNKNOWN));
    }
    grant_store::lock(&app.database, &mut tx, &found.grant_id).await?;
    let now = app.database.shared_time(&mut tx, &app.clock).await?;
    // Read again under the lock, because it may have changed since.
    let found = store::find_refresh_token(&mut tx, &hash).await?;
    let Some(found) = found.filter(|found| found.revoked_at.is_none() && found.expires_at > now) else {
        return Ok(Err(UNKNOWN));
    };
    if let Some(first) = found.used_at {
        if now.since(first) > REUSE_GRACE_PERIOD {
            grant_store::revoke(&mut tx, &found.grant_id, now).await?;
            tx.commit().await?;
            return Ok(Err(Refusal::Grant(
                "The refresh token was used before. To be safe, all tokens of this app were revoked: connect it again.",
            )));
        }
        if found.uses >= MAX_USES {
            return Ok(Err(Refusal::Grant("The refresh token was used too often.")));
        }
    }
    if found.resource != resource {
        return Ok(Err(Refusal::Target("The token was granted for another resource.")));
    }
    let scopes = scopes.unwrap_or(found.scopes);
    if !found.scopes.includes(scopes) || scopes.is_empty() {
        return Ok(Err(Refusal::Scope("The requested scopes exceed the grant.")));
    }
    store::use_refresh_token(&mut tx, &hash, now).await?;
    let issued = issue(app, &mut tx, (client, &found.grant_id), scopes, now).await?;
    tx.commit().await?;
    Ok(Ok(issued))
}

/// Revokes the grant of a refresh token, or an access token alone. Unknown tokens and those of other clients are
/// ignored.
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

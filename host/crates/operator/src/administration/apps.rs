//! Apps that act for accounts, and their grants.
use super::audit_log::{Change, Target};
use super::{Actor, begin, finish};
use linepress_accounts::grants::{self, clients};
use linepress_platform::app::App;
use linepress_platform::error::Result;
use linepress_platform::ids::{ClientId, GrantId};

/// Revokes an app and all grants to it, at once; returns false when there is no active app with this id.
pub async fn revoke(app: &App, actor: &Actor, id: &ClientId) -> Result<bool> {
    actor.require_operator()?;
    let mut tx = begin(app, actor).await?;
    if !clients::revoke_within(app, &mut tx, id).await? {
        return Ok(false);
    }
    finish(app, tx, actor, Target::App(id), Change::RevokeApp).await?;
    Ok(true)
}

/// Revokes every app that publishes its document on this host; returns their number.
pub async fn revoke_host(app: &App, actor: &Actor, host: &str) -> Result<usize> {
    actor.require_operator()?;
    let clients = clients::list(app).await?;
    let of_host = clients
        .iter()
        .filter(|client| client.revoked_at.is_none() && client.host().as_deref() == Some(host));
    let mut revoked = 0;
    for client in of_host {
        revoked += usize::from(revoke(app, actor, &client.id).await?);
    }
    Ok(revoked)
}

/// Revokes a grant of any account, at once; returns false when there is no active grant with this id.
pub async fn revoke_grant(app: &App, actor: &Actor, id: &GrantId) -> Result<bool> {
    actor.require_operator()?;
    let mut tx = begin(app, actor).await?;
    if !grants::revoke_any(app, &mut tx, id).await? {
        return Ok(false);
    }
    finish(app, tx, actor, Target::Grant(id), Change::RevokeGrant).await?;
    Ok(true)
}

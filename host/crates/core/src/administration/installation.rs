//! Changes of the installation: its secrets and its object store. Only the command line makes them.
use super::audit_log::{Change, Target};
use super::{Actor, begin, finish};
use crate::app::App;
use crate::objects::{Moved, Relocation};
use linepress_platform::config::ObjectPlace;
use linepress_platform::error::Result;
use linepress_platform::secrets;

/// Replaces the secrets that sign links, cursors and confirmations. Running servers use the old ones until they are
/// restarted.
pub async fn renew_secrets(app: &App, actor: &Actor) -> Result<()> {
    actor.require_operator()?;
    let mut tx = begin(app, actor).await?;
    secrets::renew(&mut tx, &app.random).await?;
    finish(app, tx, actor, Target::Secrets, Change::RenewSecrets).await
}

/// Moves all objects to another store, which takes as long as copying them. The entry of the audit log is written
/// afterwards.
pub async fn move_objects(
    app: &App,
    actor: &Actor,
    relocation: &Relocation<'_>,
    (from, to): (&ObjectPlace, &ObjectPlace),
) -> Result<Moved> {
    actor.require_operator()?;
    let moved = relocation.run().await?;
    let tx = begin(app, actor).await?;
    let (from, to) = (from.to_string(), to.to_string());
    let change = Change::MoveObjects {
        from: &from,
        to: &to,
        objects: moved.objects,
    };
    finish(app, tx, actor, Target::ObjectStore, change).await?;
    Ok(moved)
}

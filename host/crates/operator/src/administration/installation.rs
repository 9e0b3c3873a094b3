//! Changes of the installation: its secrets, its object store and its maintenance. Only the command line makes them.
use super::audit_log::{Change, Target};
use super::{Actor, begin, finish};
use crate::relocation::{Moved, Relocation};
use linepress_platform::app::App;
use linepress_platform::config::ObjectPlace;
use linepress_platform::error::Result;
use linepress_platform::maintenance::{self, Maintenance, Message};
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

/// Makes the server read-only. If it is already, only the message changes.
pub async fn begin_maintenance(app: &App, actor: &Actor, message: &Message) -> Result<Maintenance> {
    actor.require_operator()?;
    let mut tx = begin(app, actor).await?;
    let maintenance = maintenance::begin(app, &mut tx, message).await?;
    let change = Change::BeginMaintenance { message };
    finish(app, tx, actor, Target::Maintenance, change).await?;
    Ok(maintenance)
}

/// Makes the server writable; returns false, and records nothing, if it already was.
pub async fn end_maintenance(app: &App, actor: &Actor) -> Result<bool> {
    actor.require_operator()?;
    let mut tx = begin(app, actor).await?;
    let ended = maintenance::end(&mut tx).await?;
    if ended {
        finish(app, tx, actor, Target::Maintenance, Change::EndMaintenance).await?;
    }
    app.wake_workers();
    Ok(ended)
}

//! What becomes of objects that nothing refers to: they are marked in the database, and swept when they are due.
//!
//! A row and its object cannot change in one step. So whoever writes an object announces it first, and keeps it in the
//! transaction that refers to it; whoever stops referring to one marks it in that same transaction. Whatever dies in
//! between leaves a mark, and no orphan.
mod compare;
mod store;

use std::time::Duration;

use crate::app::App;
use crate::clock::Timestamp;
use crate::database::Tx;
use crate::error::Result;

pub use compare::{Begun, Comparison, NamedObject, Thoroughness, begin_comparison, compare};

/// Longer than anything takes between writing an object and referring to it.
const ANNOUNCED: Duration = Duration::from_secs(24 * 3600);

/// Longer than anything takes between finding an object's key and having opened it: a download, or a print that waits for
/// its place. Objects pile up for so long, so it is no longer than that.
const DISCARDED: Duration = Duration::from_secs(600);

/// What cannot be deleted is tried again after this.
const RETRY: Duration = Duration::from_secs(3600);

/// Says that these objects are about to be written. They go away again unless they are kept.
pub async fn announce(app: &App, keys: &[&str]) -> Result<()> {
    expire_in(app, keys, ANNOUNCED).await
}

/// The same within a transaction. It must be one that knows that nothing refers to them yet: they would go away all the
/// same.
pub async fn announce_within(app: &App, tx: &mut Tx, keys: &[&str]) -> Result<()> {
    mark_in(app, tx, keys, ANNOUNCED).await
}

/// Says that these objects are about to be written, and can be made again when they are gone.
pub async fn expire_in(app: &App, keys: &[&str], lifetime: Duration) -> Result<()> {
    let mut tx = app.database.begin().await?;
    mark_in(app, &mut tx, keys, lifetime).await?;
    tx.commit().await?;
    Ok(())
}

/// Marks objects for the moment when this time has passed on the clock that all nodes share: another node may sweep them.
async fn mark_in(app: &App, tx: &mut Tx, keys: &[&str], lifetime: Duration) -> Result<()> {
    let now = app.database.shared_time(tx, &app.clock).await?;
    Ok(store::mark(tx, keys, now.plus(lifetime)).await?)
}

/// Keeps announced objects: from now on something refers to them.
pub async fn keep(tx: &mut Tx, keys: &[&str]) -> Result<()> {
    Ok(store::unmark(tx, keys).await?)
}

/// Gives up objects that nothing refers to any more.
pub async fn discard(app: &App, tx: &mut Tx, keys: &[&str]) -> Result<()> {
    mark_in(app, tx, keys, DISCARDED).await
}

/// Gives up objects that nobody reads any more from `moment` on.
pub async fn discard_at(tx: &mut Tx, keys: &[&str], moment: Timestamp) -> Result<()> {
    Ok(store::mark(tx, keys, moment).await?)
}

/// Deletes objects that are marked already and that nothing is going to refer to. What cannot be deleted now is swept
/// later.
pub async fn abandon(app: &App, keys: &[&str]) {
    for key in keys {
        delete(app, key).await;
    }
}

/// Whether it is gone.
async fn delete(app: &App, key: &str) -> bool {
    let deleted = app.storage.delete(key).await;
    if let Err(error) = &deleted {
        tracing::warn!(key, cause = error.cause(), "an object could not be deleted yet");
    }
    deleted.is_ok()
}

/// Deletes what is due; returns how many objects that were. What cannot be deleted does not hold up the rest.
pub async fn sweep(app: &App) -> Result<u64> {
    const AT_A_TIME: i64 = 100;
    let mut swept = 0;
    loop {
        let now = app.database.shared_time_now(&app.clock).await?;
        let due = store::due(&app.database.read, now, AT_A_TIME).await?;
        if due.is_empty() {
            return Ok(swept);
        }
        let (mut gone, mut stuck) = (Vec::new(), Vec::new());
        for key in &due {
            let keys = if delete(app, key).await { &mut gone } else { &mut stuck };
            keys.push(key.as_str());
        }
        let mut tx = app.database.begin().await?;
        store::unmark_due(&mut tx, &gone, now).await?;
        store::mark(&mut tx, &stuck, now.plus(RETRY)).await?;
        tx.commit().await?;
        swept += gone.len() as u64;
    }
}

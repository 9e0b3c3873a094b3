//! Deletion of objects to which nothing refers: they are marked in the database, and swept when they are due.
//!
//! A row and its object cannot change in one step. So a writer announces its object first, and removes the mark in the
//! transaction that refers to the object; a transaction that removes the last reference marks the object. A crash in
//! between leaves a marked object and never an orphan.
mod compare;
mod orphans;
mod store;

use std::time::Duration;

use linepress_accounts::idempotency::Done;
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::database::Tx;
use linepress_platform::error::{Error, Result};

pub(crate) use compare::begin_comparison;
pub use compare::{Comparison, NamedObject, StartedComparison, Thoroughness, compare};
pub use orphans::{DeletedOrphans, MIN_ORPHAN_AGE, delete_orphans};

/// The lifetime of an announced object: longer than any time between writing an object and referring to it.
const ANNOUNCEMENT_LIFETIME: Duration = Duration::from_secs(24 * 3600);

/// The delay before a discarded object is deleted: longer than any time between reading an object's key and opening the
/// object, for a download or a queued print. It is short, because discarded objects take space until then.
const DISCARD_DELAY: Duration = Duration::from_secs(600);

/// The delay before a failed deletion is retried.
const DELETE_RETRY_DELAY: Duration = Duration::from_secs(3600);

/// Marks objects that are about to be written. They are swept unless `keep` removes the mark.
pub(crate) async fn announce(app: &App, keys: &[&str]) -> Result<()> {
    expire_in(app, keys, ANNOUNCEMENT_LIFETIME).await
}

/// Like `announce`, within a transaction. The transaction must know that nothing refers to the objects yet, because
/// they would be swept nevertheless.
pub(crate) async fn announce_within(app: &App, tx: &mut Tx, keys: &[&str]) -> Result<()> {
    mark_in(app, tx, keys, ANNOUNCEMENT_LIFETIME).await
}

/// Marks objects that are about to be written and that can be made again after they are swept.
pub(crate) async fn expire_in(app: &App, keys: &[&str], lifetime: Duration) -> Result<()> {
    let mut tx = app.database.begin().await?;
    mark_in(app, &mut tx, keys, lifetime).await?;
    tx.commit().await?;
    Ok(())
}

/// Marks objects as due after `lifetime` on the clock that all nodes share, because another node may sweep them.
async fn mark_in(app: &App, tx: &mut Tx, keys: &[&str], lifetime: Duration) -> Result<()> {
    let now = app.database.shared_time(tx, &app.clock).await?;
    Ok(store::mark(tx, keys, now.plus(lifetime)).await?)
}

/// Removes the marks of announced objects: from this transaction on, a row refers to them.
pub async fn keep(tx: &mut Tx, keys: &[&str]) -> Result<()> {
    Ok(store::unmark(tx, keys).await?)
}

/// Discards objects to which nothing refers any more.
pub async fn discard(app: &App, tx: &mut Tx, keys: &[&str]) -> Result<()> {
    mark_in(app, tx, keys, DISCARD_DELAY).await
}

/// Discards objects that are no longer read from `moment` on.
pub(crate) async fn discard_at(tx: &mut Tx, keys: &[&str], moment: Timestamp) -> Result<()> {
    Ok(store::mark(tx, keys, moment).await?)
}

/// Deletes objects that are already marked and will never be referred to. A later sweep deletes those that cannot be
/// deleted now, or that the snapshot of a running backup may name.
pub async fn abandon(app: &App, keys: &[&str]) {
    if keys.is_empty() || !matches!(is_backup_running(app).await, Ok(false)) {
        return;
    }
    for key in keys {
        delete(app, key).await;
    }
}

/// Deletes objects if the request did not use them: it was rejected, found no target, or was a repeat. After an
/// internal error it is unknown whether they are used, and the sweep of unused objects decides.
pub(crate) async fn abandon_unless_used<T>(app: &App, keys: &[&str], outcome: Result<Option<&Done<T>>, &Error>) {
    let unused = match outcome {
        Ok(done) => done.is_none_or(|done| done.replayed),
        Err(error) => !error.is_internal(),
    };
    if unused {
        abandon(app, keys).await;
    }
}

/// Returns true while a backup is being made, so that no object may be deleted.
pub async fn is_backup_running(app: &App) -> Result<bool> {
    Ok(store::is_backup_running(app.lease_clock()).await?)
}

/// Deletes an object; returns true when it is gone.
async fn delete(app: &App, key: &str) -> bool {
    let deleted = app.storage.delete(key).await;
    if let Err(error) = &deleted {
        tracing::warn!(
            key,
            cause = error.cause(),
            "object could not be deleted; a later sweep retries it"
        );
    }
    deleted.is_ok()
}

/// Deletes all objects that are due; returns their number. A failed deletion does not delay the others. While a backup
/// is being made, nothing is deleted, because its snapshot may name an object that was discarded since.
pub async fn sweep(app: &App) -> Result<u64> {
    const BATCH_SIZE: i64 = 100;
    let mut swept = 0;
    loop {
        if is_backup_running(app).await? {
            return Ok(swept);
        }
        let now = app.database.shared_time_now(&app.clock).await?;
        let due = store::due(&app.database.read, now, BATCH_SIZE).await?;
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
        store::mark(&mut tx, &stuck, now.plus(DELETE_RETRY_DELAY)).await?;
        tx.commit().await?;
        swept += gone.len() as u64;
    }
}

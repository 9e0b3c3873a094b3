//! Deletion of objects to which nothing in the database refers, at the request of an operator. They remain after the
//! restore of an older copy of the database.
use std::time::Duration;

use super::{delete, store};
use linepress_platform::app::App;
use linepress_platform::error::Result;

/// The age from which an orphan is deleted: longer than any time between writing an object and referring to it.
pub const MIN_ORPHAN_AGE: Duration = Duration::from_secs(24 * 3600);

/// The numbers of orphans that were deleted, and that were not.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct DeletedOrphans {
    pub deleted: usize,
    /// Younger than `MIN_ORPHAN_AGE`, or no orphans any more.
    pub spared: usize,
    pub failed: usize,
}

/// Deletes the orphans of a comparison that are old enough.
pub async fn delete_orphans(app: &App, orphans: &[String]) -> Result<DeletedOrphans> {
    let now = app.database.shared_time_now(&app.clock).await?;
    let mut done = DeletedOrphans::default();
    for key in orphans {
        let written = app.storage.written_at(key).await?;
        let is_old = written.is_some_and(|written| now.since(written) >= MIN_ORPHAN_AGE);
        // A running server may have begun to write the object again since the comparison.
        let outcome = if !is_old || store::is_marked(&app.database.read, key).await? {
            &mut done.spared
        } else if delete(app, key).await {
            &mut done.deleted
        } else {
            &mut done.failed
        };
        *outcome += 1;
    }
    Ok(done)
}

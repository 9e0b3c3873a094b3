//! Deletion of old snapshots, and of the contents that no snapshot refers to any more.
use std::collections::HashSet;

use super::copying::entries_of;
use super::target::{CONTENTS, Target, content_key, is_content};
use super::{BackupError, snapshot::Entry};

/// Deletes the oldest snapshots beyond `keep`, and what interrupted backups left; returns the names of the deleted
/// snapshots. No other backup may be running.
pub(super) async fn prune(target: &Target, keep: Option<usize>) -> Result<Vec<String>, BackupError> {
    let found = target.listing().await?;
    let excess = keep.map_or(0, |keep| found.complete.len().saturating_sub(keep));
    let (old, kept) = found.complete.split_at(excess);
    for name in old {
        target.delete(name).await?;
    }
    for file in &found.leftovers {
        target.storage.delete(file).await?;
    }
    if !old.is_empty() || !found.leftovers.is_empty() {
        delete_unused_contents(target, kept).await?;
    }
    Ok(old.to_vec())
}

/// Deletes the contents that none of these snapshots refers to. A snapshot that cannot be read refers to any of them.
async fn delete_unused_contents(target: &Target, snapshots: &[String]) -> Result<(), BackupError> {
    let mut used = HashSet::new();
    for name in snapshots {
        let snapshot = target.find(Some(name)).await?;
        let mut entries = entries_of(target, &snapshot).await?;
        while let Some(Entry { digest, .. }) = entries.next().await? {
            used.insert(content_key(&digest));
        }
    }
    for (content, _) in target.storage.list_below(CONTENTS).await? {
        if is_content(&content) && !used.contains(&content) {
            target.storage.delete(&content).await?;
        }
    }
    Ok(())
}

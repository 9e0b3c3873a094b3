//! The place of backups: a folder with snapshots, and with the contents of objects, which the snapshots share.
//!
//! ```text
//! snapshots/<name>/database.jsonl.gz   the rows of every table
//! snapshots/<name>/objects.jsonl.gz    the keys of the objects with their digests
//! snapshots/<name>/snapshot.json       written last
//! objects/<2 digits>/<SHA-256>             the content of an object, under its digest
//! ```
use std::path::Path;

use super::error::BackupError;
use super::snapshot::Snapshot;
use linepress_platform::storage::{Digest, Storage};

const SNAPSHOTS: &str = "snapshots";
pub(super) const CONTENTS: &str = "objects";
/// The description of a snapshot.
const SNAPSHOT_FILE: &str = "snapshot.json";

/// The place of backups.
#[derive(Clone, Debug)]
pub struct Target {
    pub(super) storage: Storage,
    place: String,
}

impl Target {
    /// Opens a place to write backups to; creates a folder that is missing.
    pub fn create(place: &str) -> Result<Self, BackupError> {
        if place.contains("://") {
            return Err(BackupError::Unsupported(place.into()));
        }
        let folder = std::path::absolute(place)?;
        Ok(Self {
            storage: Storage::folder(&folder)?,
            place: folder.display().to_string(),
        })
    }

    /// Opens a place with backups.
    pub fn open(place: &str) -> Result<Self, BackupError> {
        if !place.contains("://") && !Path::new(place).is_dir() {
            return Err(BackupError::NoBackup(place.into()));
        }
        Self::create(place)
    }

    /// The folder, as an absolute path.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// All snapshots, the oldest first. A snapshot of a newer program, or one whose description is damaged, is an error.
    pub async fn list(&self) -> Result<Vec<Snapshot>, BackupError> {
        let mut snapshots = Vec::new();
        for name in self.listing().await?.complete {
            snapshots.push(self.snapshot(&name).await?);
        }
        Ok(snapshots)
    }

    /// The snapshot with this name, or the newest one.
    pub async fn find(&self, name: Option<&str>) -> Result<Snapshot, BackupError> {
        let newest = self.listing().await?.complete.pop();
        let newest = newest.ok_or_else(|| BackupError::NoBackup(self.place.clone()))?;
        self.snapshot(name.unwrap_or(&newest)).await
    }

    async fn snapshot(&self, name: &str) -> Result<Snapshot, BackupError> {
        let file = file_of(name, SNAPSHOT_FILE);
        let bytes = self.storage.get(&file).await?;
        let bytes = bytes.ok_or_else(|| BackupError::NoSnapshot {
            snapshot: name.into(),
            place: self.place.clone(),
        })?;
        Snapshot::parse(name, &bytes)?.ok_or(BackupError::Damaged(file))
    }

    pub(super) async fn put_snapshot(&self, snapshot: &Snapshot) -> Result<(), BackupError> {
        let file = file_of(&snapshot.name, SNAPSHOT_FILE);
        Ok(self.storage.put(&file, snapshot.to_bytes()).await?)
    }

    /// The names of all snapshots, the oldest first.
    pub(super) async fn listing(&self) -> Result<Listing, BackupError> {
        let mut found = Listing::default();
        let mut all = Vec::new();
        for (file, _) in self.storage.list_below(SNAPSHOTS).await? {
            let Some((name, file_name)) = file.strip_prefix("snapshots/").and_then(|file| file.split_once('/')) else {
                continue;
            };
            if file_name == SNAPSHOT_FILE {
                found.complete.push(name.to_owned());
            }
            all.push((name.to_owned(), file.clone()));
        }
        // The names begin with the time.
        found.complete.sort_unstable();
        all.retain(|(name, _)| found.complete.binary_search(name).is_err());
        found.leftovers = all.into_iter().map(|(_, file)| file).collect();
        Ok(found)
    }

    /// Deletes a snapshot. It no longer exists when its description is deleted.
    pub(super) async fn delete(&self, name: &str) -> Result<(), BackupError> {
        self.storage.delete(&file_of(name, SNAPSHOT_FILE)).await?;
        for (file, _) in self.storage.list_below(&format!("{SNAPSHOTS}/{name}")).await? {
            self.storage.delete(&file).await?;
        }
        Ok(())
    }
}

/// The snapshots of a place by their names.
#[derive(Debug, Default)]
pub(super) struct Listing {
    /// The snapshots with a description, the oldest first.
    pub complete: Vec<String>,
    /// Files of snapshots without a description, which interrupted backups left.
    pub leftovers: Vec<String>,
}

/// The key of the file with the rows of a snapshot.
pub(super) fn database_file(name: &str) -> String {
    file_of(name, "database.jsonl.gz")
}

/// The key of the file with the objects of a snapshot.
pub(super) fn objects_file(name: &str) -> String {
    file_of(name, "objects.jsonl.gz")
}

fn file_of(name: &str, file_name: &str) -> String {
    format!("{SNAPSHOTS}/{name}/{file_name}")
}

/// The key of the content of an object.
pub(super) fn content_key(digest: &Digest) -> String {
    let name = digest.sha256.to_string();
    format!("{CONTENTS}/{}/{name}", &name[..2])
}

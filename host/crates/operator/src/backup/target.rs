//! The place of backups: a folder or a bucket with snapshots, and with the contents of objects, which the snapshots
//! share.
//!
//! ```text
//! snapshots/<name>/database.jsonl.gz   the rows of every table
//! snapshots/<name>/objects.jsonl.gz    the keys of the objects with their digests
//! snapshots/<name>/snapshot.json       written last
//! objects/<2 digits>/<SHA-256>             the content of an object, under its digest
//! ```
use std::path::{Path, PathBuf};

use super::error::BackupError;
use super::snapshot::Snapshot;
use linepress_platform::config::{BackupSettings, Config, ObjectPlace};
use linepress_platform::error::Error;
use linepress_platform::storage::{Digest, Storage};
use url::Url;

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
    /// Opens a place to write backups of this server to; creates a folder that is missing.
    pub fn create(place: &str, config: &Config) -> Result<Self, BackupError> {
        let place = parse(place)?;
        refuse_overlap(&place, config)?;
        Self::at(&place, config)
    }

    /// Like `create`, on a thread that may block: a network share whose server is gone does not respond.
    pub async fn create_on_thread(place: &str, config: &Config) -> Result<Self, BackupError> {
        let (place, config) = (place.to_owned(), config.clone());
        let created = tokio::task::spawn_blocking(move || Self::create(&place, &config)).await;
        created.map_err(Error::internal)?
    }

    /// Opens a place with backups.
    pub fn open(place: &str, config: &Config) -> Result<Self, BackupError> {
        let parsed = parse(place)?;
        if matches!(&parsed, ObjectPlace::Folder(folder) if !folder.is_dir()) {
            return Err(BackupError::NoBackup(place.into()));
        }
        Self::at(&parsed, config)
    }

    /// Like `open`, on a thread that may block: a network share whose server is gone does not respond.
    pub async fn open_on_thread(place: &str, config: &Config) -> Result<Self, BackupError> {
        let (place, config) = (place.to_owned(), config.clone());
        let opened = tokio::task::spawn_blocking(move || Self::open(&place, &config)).await;
        opened.map_err(Error::internal)?
    }

    fn at(place: &ObjectPlace, config: &Config) -> Result<Self, BackupError> {
        Ok(Self {
            storage: Storage::of_backups(place, config)?,
            place: place.to_string(),
        })
    }

    /// The absolute path of the folder, or the URL of the bucket.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// All snapshots, the oldest first, and the problems of those that cannot be read.
    pub async fn list(&self) -> Result<(Vec<Snapshot>, Vec<BackupError>), BackupError> {
        self.list_newest(usize::MAX).await
    }

    /// At most this number of snapshots, the newest ones, in the same order, and the problems of those that cannot be
    /// read.
    pub async fn list_newest(&self, limit: usize) -> Result<(Vec<Snapshot>, Vec<BackupError>), BackupError> {
        let (mut snapshots, mut problems) = (Vec::new(), Vec::new());
        let names = self.listing().await?.complete;
        for name in &names[names.len().saturating_sub(limit)..] {
            match self.snapshot(name).await {
                Ok(snapshot) => snapshots.push(snapshot),
                // It was deleted since the names were listed.
                Err(BackupError::NoSnapshot { .. }) => {}
                Err(problem @ (BackupError::Newer(_) | BackupError::Damaged(_))) => problems.push(problem),
                Err(error) => return Err(error),
            }
        }
        Ok((snapshots, problems))
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

/// The place that a command or a setting names, with the absolute path of a folder.
fn parse(place: &str) -> Result<ObjectPlace, BackupError> {
    match BackupSettings::place_of(place) {
        Ok(ObjectPlace::Folder(folder)) => {
            // Without a slash at the end, so that each folder has one name.
            Ok(ObjectPlace::Folder(std::path::absolute(folder)?.components().collect()))
        }
        Ok(bucket) => Ok(bucket),
        Err(problem) => Err(BackupError::Unsupported {
            place: place.into(),
            problem,
        }),
    }
}

/// The name of the place, as that of a target at this place.
pub(super) fn place_name(place: &str) -> Result<String, BackupError> {
    Ok(parse(place)?.to_string())
}

/// Fails when backups would be among the objects of the server, or the objects among the backups: the deletion of
/// unreferenced objects would delete backups, and the deletion of unused contents would delete objects.
fn refuse_overlap(place: &ObjectPlace, config: &Config) -> Result<(), BackupError> {
    let Ok(objects) = config.object_place() else {
        return Ok(());
    };
    let paths = match (place, &objects) {
        (ObjectPlace::Folder(backups), ObjectPlace::Folder(objects)) => Some((real_path(backups), real_path(objects))),
        (ObjectPlace::Bucket(backups), ObjectPlace::Bucket(objects))
            if backups.name == objects.name
                && is_same_server(&config.s3_of_backups().endpoint, &config.s3.endpoint) =>
        {
            Some((backups.prefix.clone().into(), objects.prefix.clone().into()))
        }
        _ => None,
    };
    let overlaps = |backups: &Path, objects: &Path| {
        let mut folders = [SNAPSHOTS, CONTENTS].map(|name| backups.join(name)).into_iter();
        folders.any(|folder| folder.starts_with(objects) || objects.starts_with(folder))
    };
    if paths.is_some_and(|(backups, objects)| overlaps(&backups, &objects)) {
        return Err(BackupError::Overlap {
            place: place.to_string(),
            objects: objects.to_string(),
        });
    }
    Ok(())
}

/// Returns true if both are the address of one server, however it is written.
fn is_same_server(one: &str, other: &str) -> bool {
    let server = |endpoint: &str| {
        let url = Url::parse(endpoint).ok()?;
        Some((url.origin(), url.path().trim_end_matches('/').to_owned()))
    };
    one == other || server(one).is_some_and(|one| server(other) == Some(one))
}

/// The path with the symbolic links of its existing part resolved.
fn real_path(path: &Path) -> PathBuf {
    let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let real = absolute.ancestors().find_map(|existing| {
        let rest = absolute.strip_prefix(existing).ok()?;
        Some(existing.canonicalize().ok()?.join(rest))
    });
    real.unwrap_or(absolute)
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

/// Returns true for the key of a content, which consists of its digest. Nothing else is ever deleted as unused.
pub(super) fn is_content(key: &str) -> bool {
    let rest = key.strip_prefix(CONTENTS).and_then(|rest| rest.strip_prefix('/'));
    let is_hex = |text: &str| text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    rest.and_then(|rest| rest.split_once('/'))
        .is_some_and(|(folder, name)| folder.len() == 2 && name.len() == 64 && is_hex(name) && name.starts_with(folder))
}

/// The key of the content of an object.
pub(super) fn content_key(digest: &Digest) -> String {
    let name = digest.sha256.to_string();
    format!("{CONTENTS}/{}/{name}", &name[..2])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_the_same_however_its_address_is_written() {
        let same = |other| is_same_server("https://s3.example.com", other);
        assert!(
            ["https://s3.example.com/", "https://S3.example.com:443"]
                .into_iter()
                .all(same)
        );
        assert!(
            !["", "https://s3.example.com:8443", "https://s3.example.com/other"]
                .into_iter()
                .any(same)
        );
        assert!(is_same_server("", ""));
    }

    #[test]
    fn only_a_content_has_the_key_of_a_content() {
        let digest = "0f".repeat(32);
        assert!(is_content(&format!("objects/0f/{digest}")));
        for other in [
            "objects/1f/",
            "objects/0f/0f",
            "objects/drawings/1/image.png",
            "snapshots/0f/",
        ] {
            assert!(!is_content(other), "{other}");
        }
        assert!(!is_content(&format!("objects/1f/{digest}")));
    }
}

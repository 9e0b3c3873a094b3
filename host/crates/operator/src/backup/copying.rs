//! Copying the objects of a snapshot. An object whose content is already in the target is not copied again, and one
//! that the previous snapshot contains is not even read, because the bytes under a key never change.
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use futures::{StreamExt as _, TryStreamExt as _};

use super::lines::{LineReader, LineWriter};
use super::snapshot::{Entry, Objects, Snapshot};
use super::target::{CONTENTS, Target, content_key, objects_file};
use super::{BackupError, Origin};
use linepress_platform::storage::{CopyError, Digest};

/// The number of objects that are copied at the same time.
pub(super) const MAX_CONCURRENT_COPIES: usize = 8;

/// The objects that were copied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Copied {
    pub objects: u64,
    /// In bytes.
    pub size: u64,
}

/// The result of looking for one object.
enum Found {
    Missing,
    /// The content is in the target.
    Present(Digest),
    Copied(Digest),
}

/// Copies the objects with these keys, and stores the list of them.
pub(super) async fn copy_objects(
    origin: Origin<'_>,
    target: &Target,
    name: &str,
    keys: BTreeSet<String>,
    scratch: &Path,
) -> Result<(Objects, Copied), BackupError> {
    let known = digests_of_newest(target).await?;
    let present: HashMap<String, u64> = target.storage.list_below(CONTENTS).await?.into_iter().collect();
    let is_present = |digest: &Digest| present.get(&content_key(digest)) == Some(&digest.size);
    let (known, is_present) = (&known, &is_present);
    let look = |key: String| async move {
        let found = match known.get(&key).filter(|digest| is_present(digest)) {
            Some(digest) => Found::Present(*digest),
            None => copy(origin, target, &key, is_present).await?,
        };
        Ok::<_, BackupError>((key, found))
    };
    let mut found = futures::stream::iter(keys)
        .map(look)
        .buffer_unordered(MAX_CONCURRENT_COPIES);
    let (mut entries, mut missing, mut copied) = (BTreeMap::new(), BTreeSet::new(), Copied::default());
    while let Some((key, found)) = found.try_next().await? {
        match found {
            Found::Missing => {
                missing.insert(key);
                continue;
            }
            Found::Copied(digest) => {
                copied.objects += 1;
                copied.size += digest.size;
                entries.insert(key, digest);
            }
            Found::Present(digest) => {
                entries.insert(key, digest);
            }
        }
    }
    drop(found);
    let (count, size) = (entries.len() as u64, entries.values().map(|digest| digest.size).sum());
    let mut list = LineWriter::new(scratch)?;
    let entries: Vec<Entry> = entries.into_iter().map(|(key, digest)| Entry { key, digest }).collect();
    for some in entries.chunks(1000) {
        list = list.write(some).await?;
    }
    let objects = Objects {
        count,
        size,
        missing: missing.into_iter().collect(),
        list: list.store(&target.storage, &objects_file(name)).await?,
    };
    Ok((objects, copied))
}

async fn copy(
    origin: Origin<'_>,
    target: &Target,
    key: &str,
    is_present: impl Fn(&Digest) -> bool,
) -> Result<Found, BackupError> {
    let Some(digest) = origin.storage.digest(key).await? else {
        return Ok(Found::Missing);
    };
    if is_present(&digest) {
        return Ok(Found::Present(digest));
    }
    let content = content_key(&digest);
    let copied = origin.storage.copy_to(key, &target.storage, &content, Some(digest));
    match copied.await {
        Ok(_) => Ok(Found::Copied(digest)),
        Err(CopyError::Missing(_)) => Ok(Found::Missing),
        Err(error) => Err(error.into()),
    }
}

/// The digests of the newest snapshot's objects by their keys. A damaged list only means that objects are read again.
async fn digests_of_newest(target: &Target) -> Result<HashMap<String, Digest>, BackupError> {
    let Some(newest) = target.listing().await?.complete.pop() else {
        return Ok(HashMap::new());
    };
    let read = async {
        let snapshot = target.find(Some(&newest)).await?;
        let mut known = HashMap::new();
        let mut list = entries_of(target, &snapshot).await?;
        while let Some(Entry { key, digest }) = list.next().await? {
            known.insert(key, digest);
        }
        Ok::<_, BackupError>(known)
    };
    match read.await {
        Err(BackupError::Damaged(file)) => {
            tracing::warn!(file, "file of the last backup is damaged; reading every object again");
            Ok(HashMap::new())
        }
        read => read,
    }
}

/// The list of a snapshot's objects.
pub(super) async fn entries_of(target: &Target, snapshot: &Snapshot) -> Result<LineReader<Entry>, BackupError> {
    let file = objects_file(&snapshot.name);
    LineReader::open(&target.storage, &file, snapshot.objects.list).await
}

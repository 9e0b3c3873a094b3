//! The mark of an object store: a file that names the database to which its objects belong.
//!
//! While a network share is not mounted, its mount point is an empty folder that can often be written. Objects stored
//! there disappear when the share is mounted again, and those on the share seem to be missing. So a folder without the
//! mark is not accepted as the store, and neither is a bucket, which may be another one than before.
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use object_store::ObjectStoreExt as _;
use object_store::path::Path as Key;

use super::{Place, Storage};
use crate::error::{Error, Result};

/// A file with a mark. No object has its name as key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkFile {
    /// In the store of the marked database.
    Current,
    /// In a store whose objects are being moved, or were moved, to another one.
    Leaving,
    /// In a store to which objects are being moved.
    Arriving,
}

impl MarkFile {
    const ALL: [Self; 3] = [Self::Current, Self::Leaving, Self::Arriving];

    /// The name of the file, which is also its key.
    const fn name(self) -> &'static str {
        match self {
            Self::Current => "linepress-store",
            Self::Leaving => "linepress-store-leaving",
            Self::Arriving => "linepress-store-arriving",
        }
    }
}

/// Returns true for the key of a file with a mark.
pub(super) fn is_mark(key: &str) -> bool {
    MarkFile::ALL.iter().any(|file| file.name() == key)
}

/// Longer than any mark.
const MAX_MARK_BYTES: usize = 200;

/// The time for which the mark of a bucket counts as read: a bucket cannot be unmounted, and each reading is a request.
const MARK_LIFETIME: Duration = Duration::from_secs(60);

/// The last time that the mark of a bucket was read and was right.
#[derive(Debug, Default)]
pub(super) struct ReadMark(Mutex<Option<Instant>>);

impl ReadMark {
    fn is_fresh(&self) -> bool {
        let read = *self.0.lock().unwrap_or_else(PoisonError::into_inner);
        read.is_some_and(|read| read.elapsed() < MARK_LIFETIME)
    }

    fn set(&self, is_right: bool) {
        let read = is_right.then(Instant::now);
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = read;
    }
}

impl Storage {
    /// Reads a mark; `None` when the store does not have it.
    pub async fn mark(&self, file: MarkFile) -> Result<Option<String>> {
        let read = match self.store.get(&Key::from(file.name())).await {
            Ok(object) => object.bytes().await,
            Err(error) => Err(error),
        };
        match read {
            Ok(mark) => {
                let mark = String::from_utf8_lossy(&mark[..mark.len().min(MAX_MARK_BYTES)]);
                Ok(Some(mark.trim().to_owned()))
            }
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(Error::unavailable(error)),
        }
    }

    /// Writes a mark into the store.
    pub async fn set_mark(&self, file: MarkFile, mark: &str) -> Result<()> {
        let written = self
            .store
            .put(&Key::from(file.name()), format!("{mark}\n").into())
            .await;
        written.map(drop).map_err(Error::unavailable)
    }

    /// Removes a mark if the store has it. Without its current mark, no server writes into the store.
    pub async fn remove_mark(&self, file: MarkFile) -> Result<()> {
        match self.store.delete(&Key::from(file.name())).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(Error::unavailable(error)),
        }
    }

    /// The same store, which is unavailable while it does not have this mark.
    pub fn marked(self, mark: &str) -> Self {
        Self {
            expected_mark: Some(Arc::from(mark)),
            ..self
        }
    }

    /// Fails while the store is not that of this database.
    pub async fn check_mark(&self) -> Result<()> {
        let Some(expected) = &self.expected_mark else {
            return Ok(());
        };
        let is_right = self.mark(MarkFile::Current).await?.as_deref() == Some(expected);
        self.read_mark.set(is_right);
        if is_right {
            return Ok(());
        }
        let place = self.place_name();
        let advice = match &self.place {
            Place::Memory | Place::Folder(_) => "Mount the share that holds it.",
            Place::Bucket(_) => "Check `storage_url` and the table `s3`, which may name another bucket or server.",
        };
        if self.mark(MarkFile::Leaving).await?.as_deref() == Some(expected) {
            return Err(Error::unavailable(format!(
                "{place} is not the object store of this database any more: its objects were moved. Set `storage_url` to \
                 the new store, or finish `linepress storage move`."
            )));
        }
        if self.mark(MarkFile::Arriving).await?.as_deref() == Some(expected) {
            return Err(Error::unavailable(format!(
                "{place} is not the object store of this database yet: finish `linepress storage move`."
            )));
        }
        Err(Error::unavailable(format!(
            "{place} is not the object store of this database. {advice} If the objects were moved here or are lost, \
             write {expected} into {place}/{}.",
            MarkFile::Current.name()
        )))
    }

    /// Like `check_mark`, but a bucket whose mark was right a moment ago is not asked again.
    pub(super) async fn check_mark_before_writing(&self) -> Result<()> {
        if matches!(self.place, Place::Bucket(_)) && self.read_mark.is_fresh() {
            return Ok(());
        }
        self.check_mark().await
    }
}

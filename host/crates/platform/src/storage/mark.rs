//! The mark of an object store: a file that names the database to which its objects belong.
//!
//! While a network share is not mounted, its mount point is an empty folder that can often be written. Objects stored
//! there disappear when the share is mounted again, and those on the share seem to be missing. So a folder without the
//! mark is not accepted as the store, and neither is a bucket, which may be another one than before.
use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use object_store::ObjectStoreExt as _;
use object_store::path::Path as Key;

use super::{Place, Storage};
use crate::error::{Error, Result};

/// The name of the mark file. No object has this key.
pub(super) const MARK_FILE_NAME: &str = "linepress-store";

/// The name of the mark file of a store from which or to which objects are being moved. No object has this key.
pub(super) const MOVING_MARK_FILE_NAME: &str = "linepress-store-moving";

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
    /// The mark of the store; `None` when it has none.
    pub async fn mark(&self) -> Result<Option<String>> {
        self.read_mark_file(MARK_FILE_NAME).await
    }

    /// Writes the mark into the store.
    pub async fn set_mark(&self, mark: &str) -> Result<()> {
        self.write_mark_file(MARK_FILE_NAME, mark).await
    }

    /// Removes the mark, so that no server writes into the store any more.
    pub async fn remove_mark(&self) -> Result<()> {
        self.remove_mark_file(MARK_FILE_NAME).await
    }

    /// The mark of the store whose objects are being moved from or to this one; `None` when none are.
    pub async fn moving_mark(&self) -> Result<Option<String>> {
        self.read_mark_file(MOVING_MARK_FILE_NAME).await
    }

    pub async fn set_moving_mark(&self, mark: &str) -> Result<()> {
        self.write_mark_file(MOVING_MARK_FILE_NAME, mark).await
    }

    pub async fn remove_moving_mark(&self) -> Result<()> {
        self.remove_mark_file(MOVING_MARK_FILE_NAME).await
    }

    async fn read_mark_file(&self, name: &str) -> Result<Option<String>> {
        let mark = match &self.place {
            Place::Folder(folder) => match tokio::fs::read(folder.join(name)).await {
                Ok(mark) => mark,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(Error::unavailable(error)),
            },
            Place::Memory | Place::Bucket(_) => match self.read_mark_object(name).await {
                Ok(mark) => mark,
                Err(object_store::Error::NotFound { .. }) => return Ok(None),
                Err(error) => return Err(Error::unavailable(error)),
            },
        };
        let mark = String::from_utf8_lossy(&mark[..mark.len().min(MAX_MARK_BYTES)]);
        Ok(Some(mark.trim().to_owned()))
    }

    async fn read_mark_object(&self, name: &str) -> object_store::Result<Vec<u8>> {
        let object = self.store.get(&Key::from(name)).await?;
        Ok(object.bytes().await?.into())
    }

    async fn write_mark_file(&self, name: &str, mark: &str) -> Result<()> {
        let mark = format!("{mark}\n");
        if let Place::Folder(folder) = &self.place {
            let written = tokio::fs::write(folder.join(name), mark).await;
            return written.map_err(Error::unavailable);
        }
        let written = self.store.put(&Key::from(name), mark.into()).await;
        written.map(drop).map_err(Error::unavailable)
    }

    async fn remove_mark_file(&self, name: &str) -> Result<()> {
        match self.store.delete(&Key::from(name)).await {
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
        let is_right = self.mark().await?.as_deref() == Some(expected);
        self.read_mark.set(is_right);
        if is_right {
            return Ok(());
        }
        let place = self.place_name();
        let advice = match &self.place {
            Place::Memory | Place::Folder(_) => "Mount the share that holds it.",
            Place::Bucket(_) => "Check `storage_url` and the table `s3`, which may name another bucket or server.",
        };
        if self.moving_mark().await?.as_deref() == Some(expected) {
            return Err(Error::unavailable(format!(
                "{place} is not the object store of this database any more: its objects were moved. Set `storage_url` to \
                 the new store, or finish `linepress storage move`."
            )));
        }
        Err(Error::unavailable(format!(
            "{place} is not the object store of this database. {advice} If the objects were moved here or are lost, \
             write {expected} into {place}/{MARK_FILE_NAME}."
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

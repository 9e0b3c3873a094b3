//! The mark of an object store: a file that names the database to which its objects belong.
//!
//! While a network share is not mounted, its mount point is an empty folder that can often be written. Objects stored
//! there disappear when the share is mounted again, and those on the share seem to be missing. So a folder without the
//! mark is not accepted as the store.
use std::io;
use std::sync::Arc;

use super::Storage;
use crate::error::{Error, Result};

/// The name of the mark file. No object has this key.
pub(super) const MARK_FILE_NAME: &str = "linepress-store";

/// Longer than any mark.
const MAX_MARK_BYTES: usize = 200;

impl Storage {
    /// The mark in the folder; `None` when it has none.
    pub async fn mark(&self) -> Result<Option<String>> {
        match tokio::fs::read(self.folder.join(MARK_FILE_NAME)).await {
            Ok(mark) => {
                let mark = String::from_utf8_lossy(&mark[..mark.len().min(MAX_MARK_BYTES)]);
                Ok(Some(mark.trim().to_owned()))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::unavailable(error)),
        }
    }

    /// Writes the mark into the folder.
    pub async fn set_mark(&self, mark: &str) -> Result<()> {
        let written = tokio::fs::write(self.folder.join(MARK_FILE_NAME), format!("{mark}\n")).await;
        written.map_err(Error::unavailable)
    }

    /// The same store, which is unavailable while its folder does not have this mark.
    pub fn marked(self, mark: &str) -> Self {
        Self {
            expected_mark: Some(Arc::from(mark)),
            ..self
        }
    }

    /// Fails while the folder is not the store of this database.
    pub async fn check_mark(&self) -> Result<()> {
        let Some(expected) = &self.expected_mark else {
            return Ok(());
        };
        if self.mark().await?.as_deref() == Some(expected) {
            return Ok(());
        }
        let folder = self.folder.display();
        Err(Error::unavailable(format!(
            "{folder} is not the object store of this database. Mount the share that holds it. If the objects were \
             moved here or are lost, write {expected} into {folder}/{MARK_FILE_NAME}."
        )))
    }
}

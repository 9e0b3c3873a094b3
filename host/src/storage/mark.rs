//! The mark of a store: a file that says which database its objects belong to.
//!
//! Where a share is not mounted, its mount point is an empty folder that can often be written. What is stored there vanishes
//! when the share is back, and what is on the share seems to be missing: without its mark a folder is not the store.
use std::io;
use std::sync::Arc;

use super::Storage;
use crate::error::{Error, Result};

/// The name of the file. No object has it.
pub(super) const MARK: &str = "linepress-store";

/// More than any mark has.
const MAX_MARK_BYTES: usize = 200;

impl Storage {
    /// The mark that the folder has.
    pub async fn mark(&self) -> Result<Option<String>> {
        match tokio::fs::read(self.folder.join(MARK)).await {
            Ok(mark) => {
                let mark = String::from_utf8_lossy(&mark[..mark.len().min(MAX_MARK_BYTES)]);
                Ok(Some(mark.trim().to_owned()))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::unavailable(error)),
        }
    }

    /// Marks the folder.
    pub async fn set_mark(&self, mark: &str) -> Result<()> {
        let written = tokio::fs::write(self.folder.join(MARK), format!("{mark}\n")).await;
        written.map_err(Error::unavailable)
    }

    /// The same store, which is unavailable while its folder does not have this mark.
    pub fn marked(self, mark: &str) -> Self {
        Self {
            expected_mark: Some(Arc::from(mark)),
            ..self
        }
    }

    /// An error while the folder is not the store of the database.
    pub async fn check_mark(&self) -> Result<()> {
        let Some(expected) = &self.expected_mark else {
            return Ok(());
        };
        if self.mark().await?.as_deref() == Some(expected) {
            return Ok(());
        }
        let folder = self.folder.display();
        Err(Error::unavailable(format!(
            "{folder} is not the object store of this database. Mount the share that is. If it is, because the objects were \
             moved or are lost, write {expected} into {folder}/{MARK}."
        )))
    }
}

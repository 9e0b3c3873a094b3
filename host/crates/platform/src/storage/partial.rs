//! Deletion of partial files that a killed process left in a folder.
use std::io;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use super::{Place, Storage, is_foreign};
use crate::clock::Timestamp;
use crate::error::{Error, Result};

impl Storage {
    /// Deletes partial files of objects that a killed process left before this moment; returns their number. Their
    /// names are those of the objects, followed by `#` and a number. An S3 server lists no partial objects, and deletes
    /// their parts by a rule of the bucket.
    pub async fn delete_partial_files(&self, before: Timestamp) -> Result<u64> {
        let Place::Folder(folder) = &self.place else {
            return Ok(0);
        };
        let folder = folder.clone();
        tokio::task::spawn_blocking(move || {
            delete_partial_files(&folder, UNIX_EPOCH + before.since(Timestamp::from_microseconds(0)))
        })
        .await
        .map_err(Error::internal)?
        .map_err(Error::internal)
    }
}

fn delete_partial_files(folder: &Path, before: SystemTime) -> io::Result<u64> {
    let mut deleted = 0;
    // Other nodes delete and write here as well, so a file that has disappeared is not an error.
    let Some(entries) = unless_gone(std::fs::read_dir(folder))? else {
        return Ok(0);
    };
    for entry in entries {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            if entry.file_name().to_str().is_some_and(is_foreign) {
                continue;
            }
            deleted += delete_partial_files(&entry.path(), before)?;
            continue;
        }
        let name = entry.file_name();
        let is_partial = name
            .to_str()
            .and_then(|name| name.rsplit_once('#'))
            .is_some_and(|(_, number)| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()));
        if !is_partial {
            continue;
        }
        let is_old = match unless_gone(entry.metadata())? {
            Some(metadata) => metadata.modified()? < before,
            None => false,
        };
        if is_old && unless_gone(std::fs::remove_file(entry.path()))?.is_some() {
            deleted += 1;
        }
    }
    Ok(deleted)
}

fn unless_gone<T>(done: io::Result<T>) -> io::Result<Option<T>> {
    match done {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        done => done.map(Some),
    }
}

//! Object storage: images, print masters and finished PDFs. Keys are deterministic, so that a
//! step that runs twice writes the same object.
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use object_store::local::LocalFileSystem;
use object_store::path::Path as Key;
use object_store::{ObjectStore, ObjectStoreExt};

use crate::error::{Error, Result};

/// Where objects are kept.
#[derive(Clone, Debug)]
pub struct Storage(Arc<dyn ObjectStore>);

impl Storage {
    /// A local folder, created when it is missing.
    pub fn folder(folder: &Path) -> Result<Self> {
        std::fs::create_dir_all(folder).map_err(Error::internal)?;
        let store = LocalFileSystem::new_with_prefix(folder).map_err(Error::internal)?;
        Ok(Self(Arc::new(store.with_automatic_cleanup(true).with_fsync(true))))
    }

    /// Writes the whole object or nothing.
    pub async fn put(&self, key: &str, bytes: impl Into<Bytes>) -> Result<()> {
        self.0
            .put(&Key::from(key), bytes.into().into())
            .await
            .map_err(Error::internal)?;
        Ok(())
    }

    pub async fn get(&self, key: &str) -> Result<Option<Bytes>> {
        match self.0.get(&Key::from(key)).await {
            Ok(object) => Ok(Some(object.bytes().await.map_err(Error::internal)?)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(Error::internal(error)),
        }
    }

    /// Deletes the object, if it is there.
    pub async fn delete(&self, key: &str) -> Result<()> {
        match self.0.delete(&Key::from(key)).await {
            Ok(()) | Err(object_store::Error::NotFound { .. }) => Ok(()),
            Err(error) => Err(Error::internal(error)),
        }
    }

    /// Writes, reads and deletes a small object, and says what does not work.
    pub async fn probe(&self) -> Result<()> {
        self.put("probe", Bytes::from_static(b"probe")).await?;
        let read = self.get("probe").await?;
        self.delete("probe").await?;
        match read.as_deref() {
            Some(b"probe") => Ok(()),
            _ => Err(Error::internal(
                "the object store gives back something other than it was given",
            )),
        }
    }
}

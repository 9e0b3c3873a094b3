//! Object storage: images, print masters and finished PDFs. Keys are deterministic, so that a step that runs twice
//! writes the same object.
mod copy;
mod list;
mod mark;
mod object;
mod partial;
mod probe;
mod s3;
mod upload;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path as Key;
use object_store::{ObjectStore, ObjectStoreExt as _};
use sha2::{Digest as _, Sha256};

use crate::clock::Timestamp;
use crate::config::{Config, ObjectPlace, S3};
use crate::error::{Error, Result};
use crate::probe::Probe;

use mark::ReadMark;

pub use copy::{CopyError, Digest, DigestReader, Sha256Sum};
pub use list::Listed;
pub use mark::MarkFile;
pub use object::StoredObject;

/// The object store.
#[derive(Clone, Debug)]
pub struct Storage {
    store: Arc<dyn ObjectStore>,
    place: Place,
    expected_mark: Option<Arc<str>>,
    read_mark: Arc<ReadMark>,
    probe: Arc<Probe>,
}

/// The kind of a store, and its place for messages.
#[derive(Clone, Debug)]
enum Place {
    Memory,
    Folder(PathBuf),
    /// An S3 bucket, as its URL.
    Bucket(Arc<str>),
}

/// The key of the object that is written to check that the store is writable. No other object has it.
const PROBE_KEY: &str = "probe";

/// The size of the chunks in which a file is read.
const CHUNK_BYTES: usize = 64 * 1024;

/// The longest time for which requests to an S3 server are repeated.
const MAX_RETRY_TIME: Duration = Duration::from_secs(10);

impl Storage {
    /// An empty store in memory, for commands that use no objects.
    pub fn in_memory() -> Self {
        Self::new(Arc::new(InMemory::new()), Place::Memory)
    }

    /// A store in a local folder, which is created when it is missing.
    pub fn folder(folder: &Path) -> Result<Self> {
        std::fs::create_dir_all(folder).map_err(Error::unavailable)?;
        let store = LocalFileSystem::new_with_prefix(folder).map_err(Error::unavailable)?;
        let store = store.with_automatic_cleanup(true).with_fsync(true);
        Ok(Self::new(Arc::new(store), Place::Folder(folder.to_owned())))
    }

    /// The store at this place, with the settings of the server. A bucket is not requested yet.
    pub fn at(place: &ObjectPlace, config: &Config) -> Result<Self> {
        Self::on(&config.s3, place, config)
    }

    /// The store of backups at this place. A bucket is on the server of the table `backup.s3`, or else on that of `s3`.
    pub fn of_backups(place: &ObjectPlace, config: &Config) -> Result<Self> {
        Self::on(config.s3_of_backups(), place, config)
    }

    fn on(server: &S3, place: &ObjectPlace, config: &Config) -> Result<Self> {
        match place {
            ObjectPlace::Folder(folder) => Self::folder(folder),
            ObjectPlace::Bucket(bucket) => {
                // Repeated requests end well before a lease does: a worker that waits for longer would store a picture
                // that another one draws again.
                let retry_time = (config.lease() / 2).min(MAX_RETRY_TIME);
                let store = s3::open(server, bucket, &config.denied_networks, retry_time)?;
                Ok(Self::new(store, Place::Bucket(place.to_string().into())))
            }
        }
    }

    fn new(store: Arc<dyn ObjectStore>, place: Place) -> Self {
        Self {
            store,
            place,
            expected_mark: None,
            read_mark: Arc::default(),
            probe: Arc::default(),
        }
    }

    /// The folder or the URL of the store, for messages.
    pub fn place_name(&self) -> String {
        match &self.place {
            Place::Memory => "memory".into(),
            Place::Folder(folder) => folder.display().to_string(),
            Place::Bucket(url) => url.to_string(),
        }
    }

    /// Writes the object atomically.
    pub async fn put(&self, key: &str, bytes: impl Into<Bytes>) -> Result<()> {
        self.check_mark_before_writing().await?;
        self.store
            .put(&Key::from(key), bytes.into().into())
            .await
            .map_err(Error::unavailable)?;
        Ok(())
    }

    /// Reads the whole object; `None` when it does not exist.
    pub async fn get(&self, key: &str) -> Result<Option<Bytes>> {
        match self.store.get(&Key::from(key)).await {
            Ok(object) => Ok(Some(object.bytes().await.map_err(Error::unavailable)?)),
            Err(error) => self.missing(error).await,
        }
    }

    /// Opens an object; `None` when it does not exist. The content of an object in a bucket is requested when it is
    /// read, so that its size or a part of it can be had without the rest.
    pub async fn open(&self, key: &str) -> Result<Option<StoredObject>> {
        if !matches!(self.place, Place::Bucket(_)) {
            return self.open_whole(key).await;
        }
        let location = Key::from(key);
        match self.store.head(&location).await {
            Ok(object) => Ok(Some(StoredObject::remote(self.store.clone(), location, object.size))),
            Err(error) => self.missing(error).await,
        }
    }

    /// Like `open`, but the object may be deleted once this returns, because its content has been requested.
    pub async fn open_whole(&self, key: &str) -> Result<Option<StoredObject>> {
        match self.store.get(&Key::from(key)).await {
            Ok(object) => Ok(Some(StoredObject::opened(key, object))),
            Err(error) => self.missing(error).await,
        }
    }

    /// Distinguishes a missing object from a failure. The object may also be missing because the store itself is
    /// another one, as when a share is not mounted.
    async fn missing<T>(&self, error: object_store::Error) -> Result<Option<T>> {
        match error {
            object_store::Error::NotFound { .. } => {
                self.check_mark().await?;
                Ok(None)
            }
            error => Err(Error::unavailable(error)),
        }
    }

    /// The time at which the object was written; `None` when it does not exist.
    pub async fn written_at(&self, key: &str) -> Result<Option<Timestamp>> {
        match self.store.head(&Key::from(key)).await {
            Ok(object) => Ok(Some(Timestamp::from_microseconds(
                object.last_modified.timestamp_micros(),
            ))),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(Error::unavailable(error)),
        }
    }

    /// Deletes the object if it exists.
    pub async fn delete(&self, key: &str) -> Result<()> {
        self.check_mark_before_writing().await?;
        match self.store.delete(&Key::from(key)).await {
            Ok(()) => Ok(()),
            Err(error) => self.missing(error).await.map(|_: Option<()>| ()),
        }
    }
}

fn version_of(key: &str) -> String {
    hex::encode(&Sha256::digest(key)[..8])
}

/// Returns true for a folder within the store that does not belong to it: `lost+found` of ext4, which only root may
/// read, or a hidden folder such as the snapshots of a file server.
pub fn is_foreign(folder: &str) -> bool {
    folder == "lost+found" || folder.starts_with('.')
}

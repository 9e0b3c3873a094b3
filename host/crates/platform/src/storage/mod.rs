//! Object storage: images, print masters and finished PDFs. Keys are deterministic, so that a step that runs twice
//! writes the same object.
mod copy;
mod list;
mod mark;
mod probe;

use std::fmt;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use futures::stream::BoxStream;
use futures::{StreamExt as _, TryStreamExt as _};
use object_store::buffered::BufWriter;
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use object_store::path::Path as Key;
use object_store::{GetResultPayload, ObjectStore, ObjectStoreExt};
use sha2::{Digest as _, Sha256};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio_util::io::ReaderStream;

use crate::clock::Timestamp;
use crate::error::{Error, Result};
use crate::probe::Probe;

pub use copy::{CopyError, Digest, DigestReader, Sha256Sum};
pub use list::Listed;

/// The object store.
#[derive(Clone, Debug)]
pub struct Storage {
    store: Arc<dyn ObjectStore>,
    /// The folder of a local store.
    folder: PathBuf,
    expected_mark: Option<Arc<str>>,
    probe: Arc<Probe>,
}

/// An object that is being read in chunks.
pub struct StoredObject {
    /// In bytes.
    pub size: u64,
    pub chunks: BoxStream<'static, io::Result<Bytes>>,
    /// An entity tag that changes with the bytes; `None` when it is not known.
    pub version: Option<String>,
    /// The file from which the chunks are read; `None` when they come from another source.
    file: Option<std::fs::File>,
}

impl fmt::Debug for StoredObject {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("StoredObject")
            .field("size", &self.size)
            .finish()
    }
}

impl StoredObject {
    /// Wraps bytes that were made for this response and are not stored.
    pub fn from_bytes(bytes: impl Into<Bytes>) -> Self {
        let bytes = bytes.into();
        Self {
            size: bytes.len() as u64,
            chunks: futures::stream::once(std::future::ready(Ok(bytes))).boxed(),
            version: None,
            file: None,
        }
    }

    /// Gives the object the version of the stored object from which it was made, deterministically.
    pub fn made_from(self, key: &str) -> Self {
        Self {
            version: Some(version_of(key)),
            ..self
        }
    }

    /// The same object, with its stream of chunks transformed.
    pub fn with_chunks(
        self,
        change: impl FnOnce(BoxStream<'static, io::Result<Bytes>>) -> BoxStream<'static, io::Result<Bytes>>,
    ) -> Self {
        Self {
            chunks: change(self.chunks),
            ..self
        }
    }

    /// A range of the object, in bytes.
    pub fn part(mut self, part: Range<u64>) -> Self {
        let size = part.end.min(self.size).saturating_sub(part.start);
        if let Some(mut file) = self.file.take()
            && io::Seek::seek(&mut file, io::SeekFrom::Start(part.start)).is_ok()
        {
            let file = tokio::fs::File::from_std(file).take(size);
            // The stream of the whole object is not read any more, but it may hold a permit of the account's transfers.
            let whole = self.chunks;
            let chunks = ReaderStream::with_capacity(file, CHUNK_BYTES).map(move |chunk| {
                let _ = &whole;
                chunk
            });
            return Self {
                size,
                chunks: chunks.boxed(),
                version: self.version,
                file: None,
            };
        }
        self.part_of_chunks(part)
    }

    /// Like `part`, for an object without a file: reads and skips the bytes before the range.
    fn part_of_chunks(self, part: Range<u64>) -> Self {
        let size = part.end.min(self.size).saturating_sub(part.start);
        let mut at = 0;
        let chunks = self.chunks.map_ok(move |chunk| {
            let begin = part.start.saturating_sub(at).min(chunk.len() as u64);
            let end = part.end.saturating_sub(at).min(chunk.len() as u64).max(begin);
            at += chunk.len() as u64;
            // Both indexes lie within the chunk.
            chunk.slice(begin as usize..end as usize)
        });
        let mut sent = 0;
        let until_the_end = move |chunk: &io::Result<Bytes>| {
            let goes_on = sent < size;
            sent += chunk.as_ref().map_or(0, |chunk| chunk.len() as u64);
            std::future::ready(goes_on)
        };
        Self {
            size,
            chunks: chunks
                .try_filter(|chunk| std::future::ready(!chunk.is_empty()))
                .take_while(until_the_end)
                .boxed(),
            version: self.version,
            file: None,
        }
    }
}

/// The key of the object that is written to check that the store is writable. No other object has it.
const PROBE_KEY: &str = "probe";

/// The sizes of the chunks that are read, and of the parts in which a larger object is written. S3 accepts no part
/// below 5 MiB except the last.
const CHUNK_BYTES: usize = 64 * 1024;
const PART_BYTES: usize = 5 * 1024 * 1024;

impl Storage {
    /// An empty store in memory, for commands that use no objects.
    pub fn in_memory() -> Self {
        Self {
            store: Arc::new(InMemory::new()),
            folder: PathBuf::new(),
            expected_mark: None,
            probe: Arc::default(),
        }
    }

    /// A store in a local folder, which is created when it is missing.
    pub fn folder(folder: &Path) -> Result<Self> {
        std::fs::create_dir_all(folder).map_err(Error::unavailable)?;
        let store = LocalFileSystem::new_with_prefix(folder).map_err(Error::unavailable)?;
        Ok(Self {
            store: Arc::new(store.with_automatic_cleanup(true).with_fsync(true)),
            folder: folder.to_owned(),
            expected_mark: None,
            probe: Arc::default(),
        })
    }

    /// Writes the object atomically.
    pub async fn put(&self, key: &str, bytes: impl Into<Bytes>) -> Result<()> {
        self.check_mark().await?;
        self.store
            .put(&Key::from(key), bytes.into().into())
            .await
            .map_err(Error::unavailable)?;
        Ok(())
    }

    /// Writes the object atomically from a reader, in parts.
    pub async fn put_from(&self, key: &str, mut source: impl AsyncRead + Unpin) -> Result<()> {
        self.check_mark().await?;
        let mut object = BufWriter::with_capacity(self.store.clone(), Key::from(key), PART_BYTES);
        let mut source = tokio::io::BufReader::with_capacity(CHUNK_BYTES, &mut source);
        if let Err(error) = tokio::io::copy_buf(&mut source, &mut object).await {
            // The partial data has no final name, so the store may delete it at once.
            let _ = object.abort().await;
            return Err(Error::unavailable(error));
        }
        // A failed shutdown has already aborted the upload; aborting twice would panic.
        object.shutdown().await.map_err(Error::unavailable)
    }

    pub async fn get(&self, key: &str) -> Result<Option<Bytes>> {
        let Some(object) = self.open(key).await? else {
            return Ok(None);
        };
        let pieces: Vec<Bytes> = object.chunks.try_collect().await.map_err(Error::unavailable)?;
        Ok(Some(pieces.concat().into()))
    }

    /// Opens an object without reading it; `None` when it does not exist.
    pub async fn open(&self, key: &str) -> Result<Option<StoredObject>> {
        let object = match self.store.get(&Key::from(key)).await {
            Ok(object) => object,
            Err(object_store::Error::NotFound { .. }) => {
                // The object may be missing because the store itself is not mounted.
                self.check_mark().await?;
                return Ok(None);
            }
            Err(error) => return Err(Error::unavailable(error)),
        };
        let size = object.meta.size;
        let (chunks, file) = match object.payload {
            GetResultPayload::File(file, _) => {
                let same = file.try_clone().ok();
                let chunks = ReaderStream::with_capacity(tokio::fs::File::from_std(file), CHUNK_BYTES);
                (chunks.boxed(), same)
            }
            GetResultPayload::Stream(stream) => (stream.map_err(io::Error::other).boxed(), None),
        };
        Ok(Some(StoredObject {
            size,
            chunks,
            // A key is only ever written with the same bytes.
            version: Some(version_of(key)),
            file,
        }))
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
        match self.store.delete(&Key::from(key)).await {
            Ok(()) => Ok(()),
            Err(object_store::Error::NotFound { .. }) => self.check_mark().await,
            Err(error) => Err(Error::unavailable(error)),
        }
    }

    /// Deletes partial files of objects that a killed process left before this moment; returns their number. Their
    /// names are those of the objects, followed by `#` and a number.
    pub async fn delete_partial_files(&self, before: Timestamp) -> Result<u64> {
        let folder = self.folder.clone();
        tokio::task::spawn_blocking(move || {
            delete_partial_files(&folder, UNIX_EPOCH + before.since(Timestamp::from_microseconds(0)))
        })
        .await
        .map_err(Error::internal)?
        .map_err(Error::internal)
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

#[cfg(test)]
mod tests {
    use super::*;

    async fn part_of(chunks: &[&'static str], part: Range<u64>) -> (u64, Vec<u8>) {
        let size = chunks.iter().map(|chunk| chunk.len() as u64).sum();
        let chunks = chunks.iter().map(|chunk| Ok(Bytes::from_static(chunk.as_bytes())));
        let whole = StoredObject {
            size,
            chunks: futures::stream::iter(chunks.collect::<Vec<_>>()).boxed(),
            version: None,
            file: None,
        };
        let part = whole.part(part);
        let pieces: Vec<Bytes> = part.chunks.try_collect().await.expect("read");
        (part.size, pieces.concat())
    }

    #[tokio::test]
    async fn a_part_is_cut_across_chunks() {
        let chunks = ["abc", "def", "ghi"];
        assert_eq!(part_of(&chunks, 0..9).await, (9, b"abcdefghi".to_vec()));
        assert_eq!(part_of(&chunks, 2..7).await, (5, b"cdefg".to_vec()));
        assert_eq!(part_of(&chunks, 3..4).await, (1, b"d".to_vec()));
        assert_eq!(part_of(&chunks, 8..99).await, (1, b"i".to_vec()));
    }

    #[tokio::test]
    async fn a_part_of_a_file_is_read_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let storage = Storage::folder(folder.path()).expect("storage");
        storage.put("a", "abcdefghi").await.expect("put");
        for (part, expected) in [(0..9, "abcdefghi"), (2..7, "cdefg"), (8..99, "i")] {
            let object = storage.open("a").await.expect("opened").expect("there");
            // The stream of the whole object is empty, so only the file itself can yield the part.
            let object = object.with_chunks(|_| futures::stream::empty().boxed());
            let part = object.part(part);
            let pieces: Vec<Bytes> = part.chunks.try_collect().await.expect("read");
            assert_eq!(pieces.concat(), expected.as_bytes());
            assert_eq!(part.size, expected.len() as u64);
        }
    }
}

//! Object storage: images, print masters and finished PDFs. Keys are deterministic, so that a
//! step that runs twice writes the same object.
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

pub use list::Listed;

/// Where objects are kept.
#[derive(Clone, Debug)]
pub struct Storage {
    store: Arc<dyn ObjectStore>,
    /// The folder of a local store.
    folder: PathBuf,
    expected_mark: Option<Arc<str>>,
    probe: Arc<Probe>,
}

/// An object that is being read, piece by piece.
pub struct StoredObject {
    /// Bytes.
    pub size: u64,
    pub chunks: BoxStream<'static, io::Result<Bytes>>,
    /// The same for the same bytes only, where that is known.
    pub version: Option<String>,
    /// What the chunks are read from, where it is a file.
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
    /// What is not kept but was made for the moment, read like what is.
    pub fn of(bytes: impl Into<Bytes>) -> Self {
        let bytes = bytes.into();
        Self {
            size: bytes.len() as u64,
            chunks: futures::stream::once(std::future::ready(Ok(bytes))).boxed(),
            version: None,
            file: None,
        }
    }

    /// The same object, made from the one under this key in a way that never changes.
    pub fn made_from(self, key: &str) -> Self {
        Self {
            version: Some(version_of(key)),
            ..self
        }
    }

    /// The same object, whose chunks are read and changed by the way.
    pub fn with_chunks(
        self,
        change: impl FnOnce(BoxStream<'static, io::Result<Bytes>>) -> BoxStream<'static, io::Result<Bytes>>,
    ) -> Self {
        Self {
            chunks: change(self.chunks),
            ..self
        }
    }

    /// A part of it, counted in bytes.
    pub fn part(mut self, part: Range<u64>) -> Self {
        let size = part.end.min(self.size).saturating_sub(part.start);
        if let Some(mut file) = self.file.take()
            && io::Seek::seek(&mut file, io::SeekFrom::Start(part.start)).is_ok()
        {
            let file = tokio::fs::File::from_std(file).take(size);
            // The stream of the whole is read no more, but it may hold a place among the account's transfers.
            let whole = self.chunks;
            let chunks = ReaderStream::with_capacity(file, PIECE).map(move |chunk| {
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

    /// The same where the chunks are all there is: what stands before the part is read and left out.
    fn part_of_chunks(self, part: Range<u64>) -> Self {
        let size = part.end.min(self.size).saturating_sub(part.start);
        let mut at = 0;
        let chunks = self.chunks.map_ok(move |chunk| {
            let begin = part.start.saturating_sub(at).min(chunk.len() as u64);
            let end = part.end.saturating_sub(at).min(chunk.len() as u64).max(begin);
            at += chunk.len() as u64;
            // Both lie within the chunk.
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

/// The key of the object that is written to see whether one can be. Nothing else has it.
const PROBE: &str = "probe";

/// What is read and written of an object at a time. An object of several pieces is sent in parts, of which S3 takes none
/// below 5 MiB but the last.
const PIECE: usize = 64 * 1024;
const PART: usize = 5 * 1024 * 1024;

impl Storage {
    /// Nothing that lasts, for commands that touch no object.
    pub fn in_memory() -> Self {
        Self {
            store: Arc::new(InMemory::new()),
            folder: PathBuf::new(),
            expected_mark: None,
            probe: Arc::default(),
        }
    }

    /// A local folder, created when it is missing.
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

    /// Writes the whole object or nothing.
    pub async fn put(&self, key: &str, bytes: impl Into<Bytes>) -> Result<()> {
        self.check_mark().await?;
        self.store
            .put(&Key::from(key), bytes.into().into())
            .await
            .map_err(Error::unavailable)?;
        Ok(())
    }

    /// The same, read to its end piece by piece.
    pub async fn put_from(&self, key: &str, mut source: impl AsyncRead + Unpin) -> Result<()> {
        self.check_mark().await?;
        let mut object = BufWriter::with_capacity(self.store.clone(), Key::from(key), PART);
        let mut source = tokio::io::BufReader::with_capacity(PIECE, &mut source);
        if let Err(error) = tokio::io::copy_buf(&mut source, &mut object).await {
            // What was written so far is under no final name; the store may drop it at once.
            let _ = object.abort().await;
            return Err(Error::unavailable(error));
        }
        // What fails here has been aborted already: a second time would panic.
        object.shutdown().await.map_err(Error::unavailable)
    }

    pub async fn get(&self, key: &str) -> Result<Option<Bytes>> {
        let Some(object) = self.open(key).await? else {
            return Ok(None);
        };
        let pieces: Vec<Bytes> = object.chunks.try_collect().await.map_err(Error::unavailable)?;
        Ok(Some(pieces.concat().into()))
    }

    /// Opens an object; nothing is read of it yet.
    pub async fn open(&self, key: &str) -> Result<Option<StoredObject>> {
        let object = match self.store.get(&Key::from(key)).await {
            Ok(object) => object,
            Err(object_store::Error::NotFound { .. }) => {
                // It may be in the store that is not there.
                self.check_mark().await?;
                return Ok(None);
            }
            Err(error) => return Err(Error::unavailable(error)),
        };
        let size = object.meta.size;
        let (chunks, file) = match object.payload {
            GetResultPayload::File(file, _) => {
                let same = file.try_clone().ok();
                let chunks = ReaderStream::with_capacity(tokio::fs::File::from_std(file), PIECE);
                (chunks.boxed(), same)
            }
            GetResultPayload::Stream(stream) => (stream.map_err(io::Error::other).boxed(), None),
        };
        Ok(Some(StoredObject {
            size,
            chunks,
            // A key is written once, or again with the same bytes.
            version: Some(version_of(key)),
            file,
        }))
    }

    /// Deletes the object, if it is there.
    pub async fn delete(&self, key: &str) -> Result<()> {
        match self.store.delete(&Key::from(key)).await {
            Ok(()) => Ok(()),
            Err(object_store::Error::NotFound { .. }) => self.check_mark().await,
            Err(error) => Err(Error::unavailable(error)),
        }
    }

    /// Deletes the beginnings of objects that a process which died left before this moment; returns how many. Nothing names
    /// them: their files are called as the object and `#` and a number.
    pub async fn delete_beginnings(&self, before: Timestamp) -> Result<u64> {
        let folder = self.folder.clone();
        tokio::task::spawn_blocking(move || {
            delete_beginnings(&folder, UNIX_EPOCH + before.since(Timestamp::from_microseconds(0)))
        })
        .await
        .map_err(Error::internal)?
        .map_err(Error::internal)
    }
}

fn version_of(key: &str) -> String {
    hex::encode(&Sha256::digest(key)[..8])
}

/// Whether a folder within that of the store is none of ours: of a file system (`lost+found` of ext4, which nobody but root may
/// read), or hidden (snapshots of a file server).
pub fn is_foreign(folder: &str) -> bool {
    folder == "lost+found" || folder.starts_with('.')
}

fn delete_beginnings(folder: &Path, before: SystemTime) -> io::Result<u64> {
    let mut deleted = 0;
    // Other nodes clear away and write here, too: what is gone meanwhile is no fault.
    let Some(entries) = unless_gone(std::fs::read_dir(folder))? else {
        return Ok(0);
    };
    for entry in entries {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            if entry.file_name().to_str().is_some_and(is_foreign) {
                continue;
            }
            deleted += delete_beginnings(&entry.path(), before)?;
            continue;
        }
        let name = entry.file_name();
        let is_beginning = name
            .to_str()
            .and_then(|name| name.rsplit_once('#'))
            .is_some_and(|(_, number)| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()));
        if !is_beginning {
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
            // What the whole would be read from is empty, so only the file itself can give the part.
            let object = object.with_chunks(|_| futures::stream::empty().boxed());
            let part = object.part(part);
            let pieces: Vec<Bytes> = part.chunks.try_collect().await.expect("read");
            assert_eq!(pieces.concat(), expected.as_bytes());
            assert_eq!(part.size, expected.len() as u64);
        }
    }
}

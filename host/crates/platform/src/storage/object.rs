//! An object that is being read.
use std::fmt;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use futures::stream::BoxStream;
use futures::{StreamExt as _, TryStreamExt as _};
use object_store::path::Path as Key;
use object_store::{GetOptions, GetRange, GetResult, GetResultPayload, ObjectStore};
use tokio::io::AsyncReadExt as _;
use tokio_util::io::ReaderStream;

use super::{CHUNK_BYTES, version_of};

/// An object that is being read in chunks.
pub struct StoredObject {
    /// In bytes.
    pub size: u64,
    pub chunks: BoxStream<'static, io::Result<Bytes>>,
    /// An entity tag that changes with the bytes; `None` when it is not known.
    pub version: Option<String>,
    source: Source,
}

/// The origin of the chunks, from which a range can be read alone.
enum Source {
    File(std::fs::File),
    Remote(Remote),
    /// The chunks themselves.
    Chunks,
}

/// An object in a store that is requested over the network.
struct Remote {
    store: Arc<dyn ObjectStore>,
    key: Key,
}

impl Remote {
    /// The chunks of the object or of a range. They are requested when the first chunk is read.
    fn chunks(&self, range: Option<GetRange>) -> BoxStream<'static, io::Result<Bytes>> {
        let (store, key) = (self.store.clone(), self.key.clone());
        let request = async move {
            let options = GetOptions {
                range,
                ..GetOptions::default()
            };
            Ok::<_, object_store::Error>(store.get_opts(&key, options).await?.into_stream())
        };
        futures::stream::once(request)
            .try_flatten()
            .map_err(io::Error::other)
            .boxed()
    }
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
            source: Source::Chunks,
        }
    }

    /// Reads all chunks.
    pub async fn whole(self) -> io::Result<Bytes> {
        let mut whole = BytesMut::with_capacity(usize::try_from(self.size).unwrap_or_default());
        let mut chunks = self.chunks;
        while let Some(chunk) = chunks.try_next().await? {
            whole.extend_from_slice(&chunk);
        }
        Ok(whole.freeze())
    }

    /// An object of this size whose content is requested when it is read.
    pub(super) fn remote(store: Arc<dyn ObjectStore>, key: Key, size: u64) -> Self {
        let version = Some(version_of(key.as_ref()));
        let remote = Remote { store, key };
        Self {
            size,
            chunks: remote.chunks(None),
            version,
            source: Source::Remote(remote),
        }
    }

    /// An object whose content has been requested.
    pub(super) fn opened(key: &str, object: GetResult) -> Self {
        let size = object.meta.size;
        let (chunks, source) = match object.payload {
            GetResultPayload::File(file, _) => {
                let same = file.try_clone().map_or(Source::Chunks, Source::File);
                let chunks = ReaderStream::with_capacity(tokio::fs::File::from_std(file), CHUNK_BYTES);
                (chunks.boxed(), same)
            }
            GetResultPayload::Stream(stream) => (stream.map_err(io::Error::other).boxed(), Source::Chunks),
        };
        Self {
            size,
            chunks,
            // A key is only ever written with the same bytes.
            version: Some(version_of(key)),
            source,
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
        let chunks = match std::mem::replace(&mut self.source, Source::Chunks) {
            Source::File(file) if io::Seek::seek(&mut &file, io::SeekFrom::Start(part.start)).is_ok() => {
                let file = tokio::fs::File::from_std(file).take(size);
                ReaderStream::with_capacity(file, CHUNK_BYTES).boxed()
            }
            Source::Remote(remote) if size > 0 => remote.chunks(Some(GetRange::Bounded(part.start..part.start + size))),
            _ => return self.part_of_chunks(part),
        };
        // The stream of the whole object is not read any more, but it may hold a permit of the account's transfers.
        let whole = self.chunks;
        let chunks = chunks.map(move |chunk| {
            let _ = &whole;
            chunk
        });
        Self {
            size,
            chunks: chunks.boxed(),
            version: self.version,
            source: Source::Chunks,
        }
    }

    /// Like `part`, for an object of which only the chunks are known: reads and skips the bytes before the range.
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
            source: Source::Chunks,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::Storage;

    async fn part_of(chunks: &[&'static str], part: Range<u64>) -> (u64, Vec<u8>) {
        let size = chunks.iter().map(|chunk| chunk.len() as u64).sum();
        let chunks = chunks.iter().map(|chunk| Ok(Bytes::from_static(chunk.as_bytes())));
        let whole = StoredObject {
            size,
            chunks: futures::stream::iter(chunks.collect::<Vec<_>>()).boxed(),
            version: None,
            source: Source::Chunks,
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
    async fn a_part_of_a_file_or_of_a_remote_object_is_read_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let storage = Storage::folder(folder.path()).expect("storage");
        storage.put("a", "abcdefghi").await.expect("put");
        for (part, expected) in [(0..9, "abcdefghi"), (2..7, "cdefg"), (8..99, "i")] {
            let file = storage.open("a").await.expect("opened").expect("there");
            let remote = StoredObject::remote(storage.store.clone(), Key::from("a"), 9);
            for object in [file, remote] {
                // The stream of the whole object is empty, so only the source itself can yield the part.
                let object = object.with_chunks(|_| futures::stream::empty().boxed());
                let part = object.part(part.clone());
                let pieces: Vec<Bytes> = part.chunks.try_collect().await.expect("read");
                assert_eq!(pieces.concat(), expected.as_bytes());
                assert_eq!(part.size, expected.len() as u64);
            }
        }
    }
}

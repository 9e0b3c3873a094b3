//! Copies objects to other stores, and compares objects by their digests.
use std::fmt;
use std::io;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use futures::stream::{BoxStream, try_unfold};
use futures::{StreamExt as _, TryStreamExt as _};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha2::{Digest as _, Sha256};
use tokio_util::io::StreamReader;

use super::Storage;
use crate::error::{Error, Result};

/// The size and the SHA-256 of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Digest {
    /// In bytes.
    pub size: u64,
    pub sha256: Sha256Sum,
}

/// A SHA-256, in text as hexadecimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sha256Sum([u8; 32]);

impl fmt::Display for Sha256Sum {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&hex::encode(self.0))
    }
}

impl Serialize for Sha256Sum {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Sha256Sum {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let mut bytes = [0; 32];
        hex::decode_to_slice(text, &mut bytes).map_err(de::Error::custom)?;
        Ok(Self(bytes))
    }
}

/// A digest that is being computed.
#[derive(Default)]
struct Digester {
    size: u64,
    sha256: Sha256,
}

impl Digester {
    fn add(&mut self, bytes: &[u8]) {
        self.size += bytes.len() as u64;
        self.sha256.update(bytes);
    }

    fn finish(self) -> Digest {
        Digest {
            size: self.size,
            sha256: Sha256Sum(self.sha256.finalize().into()),
        }
    }
}

/// A reader that computes the digest of what is read from it.
pub struct DigestReader<R> {
    reader: R,
    digester: Digester,
}

impl<R: io::Read> DigestReader<R> {
    pub fn new(reader: R) -> Self {
        Self {
            reader,
            digester: Digester::default(),
        }
    }

    /// Reads the rest; returns the digest of everything.
    pub fn finish(mut self) -> io::Result<Digest> {
        io::copy(&mut self, &mut io::sink())?;
        Ok(self.digester.finish())
    }
}

impl<R: io::Read> io::Read for DigestReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.reader.read(buffer)?;
        self.digester.add(&buffer[..length]);
        Ok(length)
    }
}

/// The reason why an object was not copied.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    #[error("the object {0} is missing")]
    Missing(String),
    #[error("the object {0} is damaged: its digest has changed since it was written")]
    Changed(String),
    #[error("{}", .0.for_operator())]
    Storage(#[from] Error),
}

impl Storage {
    /// Reads the whole object and returns its digest; `None` when it does not exist.
    pub async fn digest(&self, key: &str) -> Result<Option<Digest>> {
        let Some(object) = self.open_whole(key).await? else {
            return Ok(None);
        };
        let mut chunks = object.chunks;
        let mut digester = Digester::default();
        while let Some(chunk) = chunks.try_next().await.map_err(Error::unavailable)? {
            digester.add(&chunk);
        }
        Ok(Some(digester.finish()))
    }

    /// Copies an object into another store, and returns the digest of what was read. Nothing is written if it differs
    /// from the expected digest.
    pub async fn copy_to(
        &self,
        key: &str,
        target: &Self,
        target_key: &str,
        expected: Option<Digest>,
    ) -> Result<Digest, CopyError> {
        let missing = || CopyError::Missing(key.into());
        let object = self.open_whole(key).await?.ok_or_else(missing)?;
        let read = Arc::<OnceLock<Digest>>::default();
        let chunks = digested(object.chunks, expected, read.clone());
        let written = target.put_from(target_key, StreamReader::new(chunks)).await;
        match read.get() {
            Some(read) if expected.is_some_and(|expected| expected != *read) => Err(CopyError::Changed(key.into())),
            Some(read) => Ok(written.map(|()| *read)?),
            None => Err(written.map_or_else(CopyError::from, |()| missing())),
        }
    }
}

/// The same chunks, whose digest is in `read` at their end. They end with an error if it differs from the expected one,
/// so that their reader does not complete the copy.
fn digested(
    chunks: BoxStream<'static, io::Result<Bytes>>,
    expected: Option<Digest>,
    read: Arc<OnceLock<Digest>>,
) -> BoxStream<'static, io::Result<Bytes>> {
    let next = move |(mut chunks, mut digester): (BoxStream<'static, io::Result<Bytes>>, Digester)| {
        let read = read.clone();
        async move {
            if let Some(chunk) = chunks.try_next().await? {
                digester.add(&chunk);
                return Ok(Some((chunk, (chunks, digester))));
            }
            let digest = *read.get_or_init(|| digester.finish());
            match expected {
                Some(expected) if expected != digest => Err(io::Error::other("the object has changed")),
                _ => Ok(None),
            }
        }
    };
    try_unfold((chunks, Digester::default()), next).boxed()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest_of(text: &str) -> Digest {
        DigestReader::new(text.as_bytes()).finish().expect("read")
    }

    #[tokio::test]
    async fn a_copy_that_differs_leaves_nothing() {
        let (from, to) = (Storage::in_memory(), Storage::in_memory());
        from.put("a", "abc").await.expect("put");
        let digest = from.digest("a").await.expect("read").expect("there");
        assert_eq!(digest, digest_of("abc"));
        let copied = from.copy_to("a", &to, "b/c", Some(digest)).await;
        assert_eq!(copied.expect("copied"), digest);
        assert_eq!(to.get("b/c").await.expect("read").expect("there"), "abc");
        let other = digest_of("abd");
        let changed = from.copy_to("a", &to, "d", Some(other)).await;
        assert!(matches!(changed, Err(CopyError::Changed(key)) if key == "a"));
        assert!(to.get("d").await.expect("read").is_none());
        let missing = from.copy_to("x", &to, "d", None).await;
        assert!(matches!(missing, Err(CopyError::Missing(_))));
    }

    #[test]
    fn a_digest_is_read_as_it_was_written() {
        let digest = digest_of("abc");
        let text = serde_json::to_string(&digest).unwrap();
        assert!(
            text.contains("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            "{text}"
        );
        assert_eq!(serde_json::from_str::<Digest>(&text).unwrap(), digest);
    }
}

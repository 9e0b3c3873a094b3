//! Copies an object to another store, and compares objects by their digests.
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use futures::stream::BoxStream;
use futures::{StreamExt as _, TryStreamExt as _};
use sha2::{Digest as _, Sha256};
use tokio_util::io::StreamReader;

use super::Storage;
use crate::error::{Error, Result};

/// The SHA-256 digest of an object.
pub type ObjectDigest = [u8; 32];

impl Storage {
    /// Reads the whole object and returns its digest; `None` when it does not exist.
    pub async fn digest(&self, key: &str) -> Result<Option<ObjectDigest>> {
        let Some(object) = self.open_whole(key).await? else {
            return Ok(None);
        };
        let mut chunks = object.chunks;
        let mut hasher = Sha256::new();
        while let Some(chunk) = chunks.try_next().await.map_err(Error::unavailable)? {
            hasher.update(&chunk);
        }
        Ok(Some(hasher.finalize().into()))
    }

    /// Writes the object into another store under the same key. Returns the digest of what was read; `None` when the
    /// object does not exist.
    pub async fn copy_to(&self, other: &Self, key: &str) -> Result<Option<ObjectDigest>> {
        let Some(object) = self.open_whole(key).await? else {
            return Ok(None);
        };
        let hasher = Arc::<Mutex<Sha256>>::default();
        other
            .put_from(key, StreamReader::new(hashed(object.chunks, hasher.clone())))
            .await?;
        let hasher = hasher.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Ok(Some(hasher.finalize().into()))
    }
}

fn hashed(
    chunks: BoxStream<'static, io::Result<Bytes>>,
    hasher: Arc<Mutex<Sha256>>,
) -> BoxStream<'static, io::Result<Bytes>> {
    let update = move |chunk: &Bytes| hasher.lock().unwrap_or_else(PoisonError::into_inner).update(chunk);
    chunks.inspect_ok(update).boxed()
}

//! Writes an object of unknown size in parts.
use bytes::Bytes;
use object_store::path::Path as Key;
use object_store::{MultipartUpload, ObjectStoreExt as _, PutPayload};
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::runtime::Handle;

use super::Storage;
use crate::error::{Error, Result};

/// The size of a part. S3 accepts no part below 5 MiB except the last, and R2 only parts of one size.
const PART_BYTES: usize = 5 * 1024 * 1024;

impl Storage {
    /// Writes the object atomically from a reader, in parts.
    pub async fn put_from(&self, key: &str, mut source: impl AsyncRead + Unpin) -> Result<()> {
        self.check_mark_before_writing().await?;
        let first = read_part(&mut source).await?;
        let key = Key::from(key);
        if first.len() < PART_BYTES {
            self.store.put(&key, first.into()).await.map_err(Error::unavailable)?;
            return Ok(());
        }
        let mut upload = self.begin_upload(key).await?;
        let written = async {
            let mut part = first;
            while !part.is_empty() {
                upload.put(part).await?;
                part = read_part(&mut source).await?;
            }
            // The objects of the store may have been moved since the upload began.
            self.check_mark().await?;
            upload.complete().await
        };
        let written = written.await;
        if written.is_err() {
            upload.abort().await;
        }
        written
    }

    /// Begins an upload in a task of its own. If the caller is canceled while the store responds, the task drops the
    /// upload, which aborts it.
    async fn begin_upload(&self, key: Key) -> Result<Upload> {
        let store = self.store.clone();
        let begun = tokio::spawn(async move { store.put_multipart(&key).await.map(|upload| Upload(Some(upload))) });
        begun.await.map_err(Error::internal)?.map_err(Error::unavailable)
    }
}

/// Reads a whole part, or the rest of the source.
async fn read_part(source: &mut (impl AsyncRead + Unpin)) -> Result<Bytes> {
    let mut part = Vec::new();
    let mut limited = source.take(PART_BYTES as u64);
    limited.read_to_end(&mut part).await.map_err(Error::unavailable)?;
    Ok(part.into())
}

/// A begun upload, which is aborted when it is dropped: the store would keep its parts, without any key that names
/// them, and the request or the attempt that writes it can be canceled at any time.
struct Upload(Option<Box<dyn MultipartUpload>>);

impl Upload {
    async fn put(&mut self, part: Bytes) -> Result<()> {
        let upload = self.0.as_mut().ok_or_else(|| Error::internal("the upload has ended"))?;
        upload
            .put_part(PutPayload::from(part))
            .await
            .map_err(Error::unavailable)
    }

    async fn complete(&mut self) -> Result<()> {
        let upload = self.0.as_mut().ok_or_else(|| Error::internal("the upload has ended"))?;
        upload.complete().await.map_err(Error::unavailable)?;
        self.0 = None;
        Ok(())
    }

    async fn abort(&mut self) {
        if let Some(upload) = self.0.take() {
            abort(upload).await;
        }
    }
}

impl Drop for Upload {
    fn drop(&mut self) {
        if let (Some(upload), Ok(runtime)) = (self.0.take(), Handle::try_current()) {
            runtime.spawn(abort(upload));
        }
    }
}

/// The partial data has no key, so a failure costs space and nothing else.
async fn abort(mut upload: Box<dyn MultipartUpload>) {
    if let Err(error) = upload.abort().await {
        tracing::debug!(%error, "a partial upload could not be aborted");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_object_is_written_in_one_part_or_in_several() {
        let storage = Storage::in_memory();
        for size in [0, 1, PART_BYTES - 1, PART_BYTES, PART_BYTES + 1, 2 * PART_BYTES] {
            let bytes: Vec<u8> = (0..size).map(|number| (number % 251) as u8).collect();
            storage.put_from("a", &bytes[..]).await.expect("put");
            assert!(storage.get("a").await.expect("read").expect("there") == bytes, "{size}");
        }
    }

    #[tokio::test]
    async fn an_upload_that_fails_or_is_canceled_leaves_nothing_behind() {
        let folder = tempfile::tempdir().expect("a folder");
        let storage = Storage::folder(folder.path()).expect("storage");
        let files = || std::fs::read_dir(folder.path()).expect("a folder").count();
        let begin = vec![7; PART_BYTES + 1];
        let broken = reader(&begin, Some(std::io::ErrorKind::ConnectionReset));
        storage.put_from("a", broken).await.expect_err("a broken source");
        assert_eq!(files(), 0);
        let endless = storage.put_from("a", reader(&begin, None));
        let begun = async {
            while files() == 0 {
                tokio::task::yield_now().await;
            }
        };
        tokio::select! {
            written = endless => unreachable!("the reader never ends: {written:?}"),
            () = begun => {}
        }
        while files() > 0 {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    }

    /// A reader that yields the bytes and then fails, or never ends.
    fn reader(bytes: &[u8], error: Option<std::io::ErrorKind>) -> impl AsyncRead + Unpin + use<> {
        use futures::StreamExt as _;
        let begin = futures::stream::once(std::future::ready(Ok::<_, std::io::Error>(Bytes::copy_from_slice(
            bytes,
        ))));
        let end = match error {
            Some(kind) => futures::stream::once(std::future::ready(Err(kind.into()))).boxed(),
            None => futures::stream::pending().boxed(),
        };
        tokio_util::io::StreamReader::new(begin.chain(end))
    }
}

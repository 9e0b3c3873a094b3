//! The finished files of an archive, on disk while the archive is sent: the pictures of a long book would fill the
//! memory.
use std::fs::File;
use std::io::{self, Write as _};
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::sync::Arc;

use bytes::Bytes;
use futures::StreamExt as _;
use futures::stream::{BoxStream, try_unfold};
use linepress_platform::error::{Error, Result};

use super::archive;

/// The number of bytes that are read at a time.
const CHUNK_BYTES: u64 = 64 * 1024;

/// One unnamed file, to which files are appended.
pub(crate) struct Spool {
    file: Arc<File>,
    end: u64,
}

/// A file in the spool.
pub(crate) struct SpooledFile {
    name: String,
    range: Range<u64>,
}

impl Spool {
    pub(crate) fn new(file: File) -> Self {
        Self {
            file: Arc::new(file),
            end: 0,
        }
    }

    /// Appends a file.
    pub(crate) async fn add(&mut self, name: &str, content: Bytes) -> Result<SpooledFile> {
        let range = self.end..self.end + content.len() as u64;
        let file = Arc::clone(&self.file);
        let written = tokio::task::spawn_blocking(move || (&*file).write_all(&content));
        written.await.map_err(Error::internal)?.map_err(Error::unavailable)?;
        self.end = range.end;
        Ok(SpooledFile {
            name: name.to_owned(),
            range,
        })
    }

    /// A file of the spool, as a file of an archive. It is read while the archive is sent.
    pub(crate) fn read(&self, file: SpooledFile) -> archive::File {
        archive::File {
            name: file.name,
            content: chunks(Arc::clone(&self.file), file.range),
        }
    }
}

fn chunks(file: Arc<File>, range: Range<u64>) -> BoxStream<'static, io::Result<Bytes>> {
    let next = move |start: u64| {
        let file = Arc::clone(&file);
        let end = range.end.min(start + CHUNK_BYTES);
        async move {
            if start >= end {
                return Ok(None);
            }
            let chunk = tokio::task::spawn_blocking(move || read(&file, start..end));
            let chunk = chunk.await.map_err(io::Error::other)??;
            Ok(Some((chunk, end)))
        }
    };
    try_unfold(range.start, next).boxed()
}

fn read(file: &File, range: Range<u64>) -> io::Result<Bytes> {
    let length = usize::try_from(range.end - range.start).map_err(io::Error::other)?;
    let mut chunk = vec![0; length];
    file.read_exact_at(&mut chunk, range.start)?;
    Ok(chunk.into())
}

#[cfg(test)]
mod tests {
    use futures::TryStreamExt as _;

    use super::*;

    #[tokio::test]
    async fn files_are_read_as_they_were_added() {
        let mut spool = Spool::new(tempfile::tempfile().unwrap());
        let long = Bytes::from([b"line art ".repeat(20_000), b"end".to_vec()].concat());
        let contents = [Bytes::from("first"), Bytes::new(), long];
        let mut files = Vec::new();
        for content in &contents {
            files.push(spool.add("name", content.clone()).await.unwrap());
        }
        for (file, content) in files.into_iter().zip(&contents) {
            let read: Vec<Bytes> = spool.read(file).content.try_collect().await.unwrap();
            assert!(read.concat() == *content);
        }
    }
}

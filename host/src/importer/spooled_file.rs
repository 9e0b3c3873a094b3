//! A file on its way in: received into a temporary file without a name, so that many at once cost disk and not memory,
//! and nothing is left of one that was refused, nor of a server that was killed.
use std::io::{self, BufRead, BufReader, Read as _, Seek, SeekFrom};
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use bytes::Bytes;
use futures::{Stream, StreamExt as _};
use linepress_imaging::{HEAD, may_be_picture};
use sha2::{Digest as _, Sha256};
use tokio::io::AsyncWriteExt as _;

use crate::folders;

/// A file without a name. The folder may have been deleted since the server started: it holds nothing that lasts.
pub(super) fn create_in(folder: &Path) -> io::Result<std::fs::File> {
    match tempfile::tempfile_in(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            folders::make_private(folder).map_err(io::Error::other)?;
            tempfile::tempfile_in(folder)
        }
        created => created,
    }
}

/// A whole file that arrived and was not looked at yet.
#[derive(Debug)]
pub struct SpooledFile {
    file: std::fs::File,
    bytes: u64,
}

/// Why a file did not arrive.
#[derive(Debug, thiserror::Error)]
pub enum ReceiveError<E> {
    #[error("the file is larger than {limit} bytes")]
    TooLarge { limit: u64 },
    /// Whoever sends broke off.
    #[error("the file did not arrive whole: {0}")]
    Source(E),
    #[error("the file could not be kept: {0}")]
    Keep(#[from] io::Error),
}

impl SpooledFile {
    /// Receives a stream of at most `limit` bytes into a file on the disk of `folder`.
    pub(super) async fn receive<E>(
        folder: &Path,
        stream: impl Stream<Item = Result<Bytes, E>>,
        limit: u64,
    ) -> Result<Self, ReceiveError<E>> {
        let mut file = tokio::fs::File::from_std(create_in(folder)?);
        let mut bytes = 0_u64;
        let mut stream = std::pin::pin!(stream);
        while let Some(chunk) = stream.next().await {
            let chunk = chunk.map_err(ReceiveError::Source)?;
            bytes += chunk.len() as u64;
            if bytes > limit {
                return Err(ReceiveError::TooLarge { limit });
            }
            file.write_all(&chunk).await?;
        }
        file.flush().await?;
        Ok(Self {
            file: file.into_std().await,
            bytes,
        })
    }

    /// In bytes.
    pub fn size(&self) -> u64 {
        self.bytes
    }

    /// Whether it begins like a picture of a kind that is taken. It was written just now, so no disk is waited for.
    pub fn may_be_picture(&self) -> io::Result<bool> {
        let mut head = [0; HEAD];
        let mut read = 0;
        while read < HEAD {
            match self.file.read_at(&mut head[read..], read as u64)? {
                0 => break,
                more => read += more,
            }
        }
        Ok(may_be_picture(&head[..read]))
    }

    /// The SHA-256 of its bytes, in hexadecimal.
    pub async fn digest(&self) -> io::Result<String> {
        let file = self.file.try_clone()?;
        let digest = tokio::task::spawn_blocking(move || {
            let mut reader = BufReader::with_capacity(64 << 10, file);
            reader.seek(SeekFrom::Start(0))?;
            let mut hash = Sha256::new();
            loop {
                let read = reader.fill_buf()?;
                if read.is_empty() {
                    return Ok(hex::encode(hash.finalize()));
                }
                hash.update(read);
                let read = read.len();
                reader.consume(read);
            }
        });
        digest.await.map_err(io::Error::other)?
    }

    /// Reads from the start, and skips without reading; blocks.
    pub(super) fn reader(&mut self) -> io::Result<impl BufRead + Seek> {
        self.file.seek(SeekFrom::Start(0))?;
        Ok(BufReader::new(&self.file))
    }

    /// Reads it from the start, piece by piece.
    pub fn into_reader(mut self) -> io::Result<tokio::fs::File> {
        self.file.seek(SeekFrom::Start(0))?;
        Ok(tokio::fs::File::from_std(self.file))
    }

    /// All bytes; blocks.
    pub fn read(mut self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::with_capacity(usize::try_from(self.bytes).unwrap_or(0));
        self.file.seek(SeekFrom::Start(0))?;
        self.file.read_to_end(&mut bytes)?;
        Ok(bytes)
    }
}

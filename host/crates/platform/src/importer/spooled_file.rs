//! A received file. It is stored in a temporary file without a name: concurrent uploads take disk space instead of
//! memory, and nothing remains of a refused file or after the server is killed.
use std::io::{self, BufRead, BufReader, Read as _, Seek, SeekFrom};
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use bytes::Bytes;
use futures::{Stream, StreamExt as _};
use linepress_imaging::{ArtworkError, HEAD, check_kind};
use sha2::{Digest as _, Sha256};
use tokio::io::AsyncWriteExt as _;

use crate::folders;

/// Creates a file without a name. The folder is created again if it was deleted since the server started, which loses
/// nothing.
pub(super) fn create_in(folder: &Path) -> io::Result<std::fs::File> {
    match tempfile::tempfile_in(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            folders::make_private(folder).map_err(io::Error::other)?;
            tempfile::tempfile_in(folder)
        }
        created => created,
    }
}

/// A complete file that was received and not yet examined.
#[derive(Debug)]
pub struct SpooledFile {
    file: std::fs::File,
    bytes: u64,
}

/// The reason why a file was not received.
#[derive(Debug, thiserror::Error)]
pub enum ReceiveError<E> {
    #[error("the file is larger than {limit} bytes")]
    TooLarge { limit: u64 },
    /// The sender stopped early.
    #[error("the file was not received completely: {0}")]
    Source(E),
    #[error("the file could not be stored: {0}")]
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

    /// Returns an error when the file does not begin like a picture of a supported kind. The file was just written, so
    /// this does not wait for the disk.
    pub fn check_kind(&self) -> Result<(), ArtworkError> {
        let mut head = [0; HEAD];
        let mut read = 0;
        while read < HEAD {
            let more = self.file.read_at(&mut head[read..], read as u64);
            match more.map_err(ArtworkError::processing)? {
                0 => break,
                more => read += more,
            }
        }
        check_kind(&head[..read])
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

    /// A reader from the start of the file that seeks without reading; blocks.
    pub(super) fn reader(&mut self) -> io::Result<impl BufRead + Seek> {
        self.file.seek(SeekFrom::Start(0))?;
        Ok(BufReader::new(&self.file))
    }

    /// Converts the file to an asynchronous reader from its start.
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

//! Compressed files of JSON lines: written to a temporary file, so that a slow target does not hold up the database,
//! and read from the target line by line.
use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read, Seek as _, Write as _};
use std::marker::PhantomData;
use std::path::Path;

use bytes::{Buf as _, Bytes};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use futures::StreamExt as _;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::sync::mpsc;
use tokio::task::spawn_blocking;

use super::error::BackupError;
use linepress_platform::error::Error;
use linepress_platform::storage::{Digest, DigestReader, Storage};

/// A file that is being written.
pub(super) struct LineWriter {
    encoder: GzEncoder<File>,
}

impl LineWriter {
    /// Creates an unnamed temporary file in the folder.
    pub(super) fn new(folder: &Path) -> io::Result<Self> {
        let file = tempfile::tempfile_in(folder)?;
        Ok(Self {
            encoder: GzEncoder::new(file, Compression::default()),
        })
    }

    /// Appends one line for each item.
    pub(super) async fn write<T: Serialize>(self, items: &[T]) -> io::Result<Self> {
        let mut lines = Vec::new();
        for item in items {
            serde_json::to_writer(&mut lines, item)?;
            lines.push(b'\n');
        }
        let mut encoder = self.encoder;
        let written = spawn_blocking(move || encoder.write_all(&lines).map(|()| encoder)).await;
        Ok(Self {
            encoder: written.map_err(io::Error::other)??,
        })
    }

    /// Stores the file under this key; returns its digest.
    pub(super) async fn store(self, storage: &Storage, key: &str) -> Result<Digest, BackupError> {
        let finished = spawn_blocking(move || {
            let mut file = self.encoder.finish()?;
            file.rewind()?;
            let digest = DigestReader::new(&file).finish()?;
            file.rewind()?;
            io::Result::Ok((file, digest))
        });
        let (file, digest) = finished.await.map_err(io::Error::other)??;
        storage.put_from(key, tokio::fs::File::from_std(file)).await?;
        Ok(digest)
    }
}

/// The number of lines that are read ahead.
const LINES_PER_BATCH: usize = 200;
const MAX_BATCHES_AHEAD: usize = 2;
const MAX_CHUNKS_AHEAD: usize = 16;

/// A file that is being read. Its digest is checked after the last line: what was read before may be wrong.
pub(super) struct LineReader<T> {
    batches: mpsc::Receiver<Result<Vec<String>, BackupError>>,
    ready: VecDeque<String>,
    key: String,
    items: PhantomData<T>,
}

impl<T: DeserializeOwned> LineReader<T> {
    pub(super) async fn open(storage: &Storage, key: &str, expected: Digest) -> Result<Self, BackupError> {
        let object = storage.open(key).await?;
        let mut object = object.ok_or_else(|| BackupError::Damaged(key.into()))?.chunks;
        let (chunks, received) = mpsc::channel(MAX_CHUNKS_AHEAD);
        tokio::spawn(async move {
            while let Some(chunk) = object.next().await {
                // The reader was dropped before the end.
                if chunks.send(chunk).await.is_err() {
                    return;
                }
            }
        });
        let (lines, batches) = mpsc::channel(MAX_BATCHES_AHEAD);
        let file = key.to_owned();
        spawn_blocking(move || {
            let reader = ChunkReader {
                chunks: received,
                current: Bytes::new(),
            };
            if let Err(error) = read_lines(DigestReader::new(reader), &expected, &file, &lines) {
                // The receiver was dropped before the end.
                let _ = lines.blocking_send(Err(error));
            }
        });
        Ok(Self {
            batches,
            ready: VecDeque::new(),
            key: key.to_owned(),
            items: PhantomData,
        })
    }

    /// The next item; `None` after the last one.
    pub(super) async fn next(&mut self) -> Result<Option<T>, BackupError> {
        while self.ready.is_empty() {
            match self.batches.recv().await {
                Some(batch) => self.ready = batch?.into(),
                None => return Ok(None),
            }
        }
        let line = self.ready.pop_front().unwrap_or_default();
        let item = serde_json::from_str(&line);
        item.map(Some).map_err(|_| BackupError::Damaged(self.key.clone()))
    }
}

type Batches = mpsc::Sender<Result<Vec<String>, BackupError>>;

fn read_lines(
    reader: DigestReader<ChunkReader>,
    expected: &Digest,
    file: &str,
    batches: &Batches,
) -> Result<(), BackupError> {
    let damaged = |error: io::Error| match error.kind() {
        io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput | io::ErrorKind::UnexpectedEof => {
            BackupError::Damaged(file.into())
        }
        _ => BackupError::Server(Error::unavailable(error)),
    };
    let mut decoder = BufReader::new(GzDecoder::new(reader));
    let mut batch = Vec::new();
    loop {
        let mut line = String::new();
        let is_last = decoder.read_line(&mut line).map_err(damaged)? == 0;
        if !is_last {
            batch.push(line);
        }
        let is_full = batch.len() == LINES_PER_BATCH;
        if (is_full || is_last) && !batch.is_empty() && batches.blocking_send(Ok(std::mem::take(&mut batch))).is_err() {
            return Ok(());
        }
        if is_last {
            break;
        }
    }
    let digest = decoder.into_inner().into_inner().finish().map_err(damaged)?;
    if digest == *expected {
        Ok(())
    } else {
        Err(BackupError::Damaged(file.into()))
    }
}

/// The chunks of an object as a blocking reader.
struct ChunkReader {
    chunks: mpsc::Receiver<io::Result<Bytes>>,
    current: Bytes,
}

impl Read for ChunkReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.current.is_empty() {
            match self.chunks.blocking_recv() {
                Some(chunk) => self.current = chunk?,
                None => return Ok(0),
            }
        }
        let length = buffer.len().min(self.current.len());
        self.current.copy_to_slice(&mut buffer[..length]);
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(storage: &Storage, digest: Digest) -> Result<Vec<u64>, BackupError> {
        let mut reader = LineReader::<u64>::open(storage, "numbers", digest).await?;
        let mut numbers = Vec::new();
        while let Some(number) = reader.next().await? {
            numbers.push(number);
        }
        Ok(numbers)
    }

    #[tokio::test]
    async fn a_file_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let storage = Storage::in_memory();
        let numbers: Vec<u64> = (0..1000).collect();
        let writer = LineWriter::new(folder.path()).unwrap();
        let writer = writer.write(&numbers[..300]).await.unwrap();
        let writer = writer.write(&numbers[300..]).await.unwrap();
        let digest = writer.store(&storage, "numbers").await.unwrap();
        assert_eq!(read(&storage, digest).await.unwrap(), numbers);

        let whole = storage.get("numbers").await.unwrap().unwrap();
        for position in [0, whole.len() / 2, whole.len() - 1] {
            let mut damaged = whole.to_vec();
            damaged[position] ^= 1;
            storage.put("numbers", damaged).await.unwrap();
            let error = read(&storage, digest).await.unwrap_err();
            assert!(matches!(error, BackupError::Damaged(_)), "{position}: {error}");
        }
        storage.put("numbers", whole.slice(..whole.len() - 20)).await.unwrap();
        assert!(matches!(read(&storage, digest).await, Err(BackupError::Damaged(_))));
    }
}

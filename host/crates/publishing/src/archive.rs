//! A ZIP archive that is written while it is sent: no more than a chunk of it is in memory.
use std::future::ready;
use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::{Bytes, BytesMut};
use futures::stream::{self, BoxStream};
use futures::{Stream, StreamExt as _, TryStreamExt as _};
use zip::write::{SimpleFileOptions, StreamWriter};
use zip::{CompressionMethod, DateTime, ZipWriter};

/// Fast, because nearly all bytes are of PDFs and pictures that are compressed already. Some programs cannot unpack a
/// stored file whose size comes after it, as in every archive that is written while it is sent.
const LEVEL: i64 = 1;
/// The size of the chunks that are compressed.
const CHUNK_BYTES: usize = 64 * 1024;
/// Everyone may read the unpacked files.
const MODE: u32 = 0o644;

/// A file of an archive.
pub(crate) struct File {
    /// The path within the folder of the archive.
    pub name: String,
    pub content: BoxStream<'static, io::Result<Bytes>>,
}

/// A step of writing an archive.
enum Step {
    Begin(String),
    Bytes(Bytes),
    End,
}

/// The archive of one folder with these files. Equal files give equal bytes: no time is recorded.
pub(crate) fn archive(folder: &str, files: Vec<File>) -> impl Stream<Item = io::Result<Bytes>> + Send + 'static {
    let folder = folder.to_owned();
    let of_file = move |file: File| {
        let begin = stream::once(ready(Ok(Step::Begin(format!("{folder}/{}", file.name)))));
        begin.chain(even_chunks(file.content).map_ok(Step::Bytes))
    };
    let steps = stream::iter(files).flat_map(of_file);
    let mut writer = Writer::new();
    steps
        .chain(stream::once(ready(Ok(Step::End))))
        .map(move |step| writer.write(step?))
        .try_filter(|bytes| ready(!bytes.is_empty()))
}

/// The same bytes in chunks of one size. What is compressed depends on where it is cut, and a network cuts differently
/// each time.
fn even_chunks(content: BoxStream<'static, io::Result<Bytes>>) -> impl Stream<Item = io::Result<Bytes>> + Send {
    stream::try_unfold((content, BytesMut::new()), async |(mut content, mut waiting)| {
        while waiting.len() < CHUNK_BYTES {
            match content.try_next().await? {
                Some(chunk) => waiting.extend_from_slice(&chunk),
                None if waiting.is_empty() => return Ok(None),
                None => return Ok(Some((waiting.split().freeze(), (content, waiting)))),
            }
        }
        Ok(Some((waiting.split_to(CHUNK_BYTES).freeze(), (content, waiting))))
    })
}

struct Writer {
    /// `None` after the end.
    zip: Option<ZipWriter<StreamWriter<Written>>>,
    written: Written,
}

impl Writer {
    fn new() -> Self {
        let written = Written::default();
        Self {
            zip: Some(ZipWriter::new_stream(written.clone())),
            written,
        }
    }

    /// Takes a step and returns the bytes that it wrote.
    fn write(&mut self, step: Step) -> io::Result<Bytes> {
        let Some(mut zip) = self.zip.take() else {
            return Err(io::Error::other("the archive has ended"));
        };
        match step {
            Step::Begin(name) => zip.start_file(name, options()).map_err(io::Error::other)?,
            Step::Bytes(bytes) => zip.write_all(&bytes)?,
            Step::End => {
                zip.finish().map_err(io::Error::other)?;
                return Ok(self.written.take());
            }
        }
        self.zip = Some(zip);
        Ok(self.written.take())
    }
}

fn options() -> SimpleFileOptions {
    SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .compression_level(Some(LEVEL))
        .last_modified_time(DateTime::default())
        .unix_permissions(MODE)
}

/// The bytes that were written and are not sent yet.
#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Written {
    fn take(&self) -> Bytes {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner)).into()
    }
}

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut written = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        written.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Read as _};

    use zip::ZipArchive;

    use super::*;

    fn pieces(of: &'static [&'static [u8]]) -> BoxStream<'static, io::Result<Bytes>> {
        stream::iter(of.iter().map(|piece| Ok(Bytes::from_static(piece)))).boxed()
    }

    async fn archived() -> Vec<u8> {
        let files = vec![
            File {
                name: "README.txt".into(),
                content: pieces(&[b"Read me."]),
            },
            File {
                name: "interior.pdf".into(),
                content: pieces(&[b"%PDF", b"-1.7", b""]),
            },
            File {
                name: "pages/page-001.png".into(),
                content: pieces(&[&[7; 100_000]]),
            },
        ];
        let pieces: Vec<Bytes> = archive("folder", files).try_collect().await.unwrap();
        pieces.concat()
    }

    #[tokio::test]
    async fn an_archive_contains_its_files_and_is_the_same_each_time() {
        let bytes = archived().await;
        assert_eq!(bytes, archived().await);
        let mut archive = ZipArchive::new(Cursor::new(bytes)).unwrap();
        let mut found = Vec::new();
        for index in 0..archive.len() {
            let mut file = archive.by_index(index).unwrap();
            let mut content = Vec::new();
            file.read_to_end(&mut content).unwrap();
            assert_eq!(file.last_modified().unwrap().year(), 1980);
            found.push((file.name().unwrap().into_owned(), content));
        }
        assert_eq!(
            found,
            [
                ("folder/README.txt".to_owned(), b"Read me.".to_vec()),
                ("folder/interior.pdf".to_owned(), b"%PDF-1.7".to_vec()),
                ("folder/pages/page-001.png".to_owned(), vec![7; 100_000]),
            ]
        );
    }

    #[tokio::test]
    async fn the_bytes_of_an_archive_do_not_depend_on_how_its_files_arrive() {
        let content: Vec<u8> = (0..300_000_u32)
            .flat_map(|number| (number % 977).to_le_bytes())
            .collect();
        let mut archives = Vec::new();
        for size in [1_000_000, 65_536, 7_001] {
            let chunks: Vec<_> = content.chunks(size).map(Bytes::copy_from_slice).map(Ok).collect();
            let file = File {
                name: "interior.pdf".into(),
                content: stream::iter(chunks).boxed(),
            };
            let pieces: Vec<Bytes> = archive("folder", vec![file]).try_collect().await.unwrap();
            archives.push(pieces.concat());
        }
        assert!(archives.iter().all(|archive| *archive == archives[0]));
    }

    #[tokio::test]
    async fn a_file_that_cannot_be_read_ends_the_archive_with_its_error() {
        let broken = stream::iter([
            Ok(Bytes::from_static(b"half")),
            Err(io::Error::other("the disk is gone")),
        ]);
        let files = vec![File {
            name: "interior.pdf".into(),
            content: broken.boxed(),
        }];
        let archived: io::Result<Vec<Bytes>> = archive("folder", files).try_collect().await;
        assert_eq!(archived.unwrap_err().to_string(), "the disk is gone");
    }
}

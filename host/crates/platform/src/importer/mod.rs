//! Receives imported pictures on disk and prepares them on threads of the importer, within a memory budget.
mod spooled_file;

use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::Stream;
use linepress_imaging::{
    ArtworkError, LEAST_IMPORT_MEMORY, Prepared, color_import_memory, import_memory, prepare_color_import,
    prepare_import, prepare_source, print_picture, thumbnail,
};
use linepress_model::Aspect;
use tokio::runtime::Runtime;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use crate::clock::Timestamp;
use crate::error::{Error, ErrorKind};
use crate::fair_share::{FairShare, Permit};
use crate::folders;
use crate::ids::AccountId;
use crate::probe::Probe;

pub use spooled_file::{ReceiveError, SpooledFile};

const MEBIBYTE: u64 = 1024 * 1024;

/// Prepares imported pictures within a memory budget and a time limit.
#[derive(Clone, Debug)]
pub struct Importer {
    /// The free part of the budget, in MiB.
    memory: Arc<Semaphore>,
    budget: u32,
    /// The smallest share of the budget that a picture takes, in MiB, such that no more pictures are prepared at a time
    /// than there are threads.
    min_share_mib: u32,
    threads: Arc<Threads>,
    time_limit: Duration,
    incoming: Arc<PathBuf>,
    probe: Arc<Probe>,
    shares: FairShare,
    /// Limits the pictures that are derived from stored ones, per account.
    derived: FairShare,
    max_wait: Duration,
}

/// The limits of imports.
#[derive(Clone, Debug)]
pub struct ImportSettings {
    /// The folder in which files are received. It may hold many files at a time, so it should not be `/tmp`, which is
    /// often held in memory.
    pub incoming: PathBuf,
    /// The memory for all pictures that are prepared at a time. A picture that needs more than this is prepared alone.
    pub budget_mebibytes: u32,
    /// The time limit for preparing one picture.
    pub time_limit: Duration,
    /// The number of imports of one account that are fetched and prepared at a time.
    pub per_account: usize,
    /// The number of imports of all accounts that are fetched and prepared at a time.
    pub total: usize,
    /// The time for which an import beyond these limits waits before it is refused.
    pub max_wait: Duration,
}

/// The delay before a client may retry a refused import.
const IMPORT_RETRY_DELAY: Duration = Duration::from_secs(10);

/// Threads that only prepare pictures, at most as many as can run at a time. An allocator may retain tens of megabytes
/// for each thread that ever prepared a picture (glibc: an arena, trimmed above twice the largest block that was
/// freed); over all blocking threads of a server that exceeds the budget.
#[derive(Debug)]
struct Threads(Option<Runtime>);

impl Threads {
    /// Starts each thread when it is first needed; idle threads live on for a day.
    fn new(count: usize) -> Self {
        const IDLE_THREAD_LIFETIME: Duration = Duration::from_secs(24 * 3600);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .max_blocking_threads(count)
            .thread_keep_alive(IDLE_THREAD_LIFETIME)
            .build();
        Self(Some(
            runtime.expect("a runtime without drivers needs no system resources"),
        ))
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, ArtworkError> + Send + 'static,
    ) -> Result<T, ArtworkError> {
        let runtime = self.0.as_ref().expect("the runtime exists until `Threads` is dropped");
        joined(runtime.spawn_blocking(work)).await
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        // A plain drop would wait for the running preparations, which would block an asynchronous thread.
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// What a received picture is decoded to, which decides the memory that it takes.
#[derive(Clone, Copy, Debug)]
enum Pixels {
    Tones,
    Colors,
}

impl Importer {
    pub fn new(settings: ImportSettings) -> Self {
        let budget = settings.budget_mebibytes.max(1);
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        let max_concurrent = usize::try_from(u64::from(budget) * MEBIBYTE / LEAST_IMPORT_MEMORY).unwrap_or(cores);
        let threads = max_concurrent.clamp(1, cores);
        Self {
            min_share_mib: u32::try_from(threads).map_or(1, |threads| budget.div_ceil(threads)),
            threads: Arc::new(Threads::new(threads)),
            memory: Arc::new(Semaphore::new(budget as usize)),
            budget,
            time_limit: settings.time_limit,
            incoming: Arc::new(settings.incoming),
            probe: Arc::default(),
            shares: FairShare::new(settings.per_account, settings.total),
            // The pictures of one account may occupy every thread, but pictures of other accounts never wait behind
            // more than that number.
            derived: FairShare::new(threads, Semaphore::MAX_PERMITS),
            max_wait: settings.max_wait,
        }
    }

    /// Waits for a permit to import, or fails with `RateLimited`. The caller drops the permit when all work for the
    /// import has ended, because neither a name lookup nor decoding can be interrupted.
    pub async fn admit(&self, account: &AccountId) -> Result<Permit, Error> {
        let admitted = self.shares.within(account, self.max_wait).await;
        admitted.map_err(|_| {
            let kind = ErrorKind::RateLimited {
                what: "imports of this account are running at the same time",
                retry_after: IMPORT_RETRY_DELAY,
            };
            kind.into()
        })
    }

    /// Returns true when a file can be received, or could be in the last seconds.
    pub async fn is_writable(&self, now: Timestamp) -> bool {
        let folder = Arc::clone(&self.incoming);
        let written = async {
            let check = move || folders::make_private(&folder).and_then(|()| folders::check(&folder));
            let checked = tokio::task::spawn_blocking(check).await;
            checked.map_err(Error::internal)?.map_err(Error::unavailable)
        };
        self.probe.works("the folder for incoming files", now, written).await
    }

    /// Creates a file without a name, for data that is being received.
    pub fn create_file(&self) -> std::io::Result<std::fs::File> {
        spooled_file::create_in(&self.incoming)
    }

    /// Receives a file of at most `limit` bytes.
    pub async fn receive<E>(
        &self,
        stream: impl Stream<Item = Result<Bytes, E>>,
        limit: u64,
    ) -> Result<SpooledFile, ReceiveError<E>> {
        SpooledFile::receive(&self.incoming, stream, limit).await
    }

    /// Prepares a received picture with `prepare_import`, as soon as enough memory is free.
    ///
    /// The time limit counts from then on. A thread cannot be interrupted: the caller stops waiting for one that
    /// exceeds the limit, but the thread holds its memory until it ends, also when the caller goes away. It holds
    /// `held` for the same time.
    pub async fn import(
        &self,
        file: SpooledFile,
        aspect: Option<Aspect>,
        held: impl Send + 'static,
    ) -> Result<(Prepared, Aspect), ArtworkError> {
        self.prepare(file, held, Pixels::Tones, move |bytes| prepare_import(bytes, aspect))
            .await
    }

    /// Prepares a received cover in color with `prepare_color_import`, under the same limits.
    pub async fn import_in_color(
        &self,
        file: SpooledFile,
        aspect: Option<Aspect>,
        held: impl Send + 'static,
    ) -> Result<(Prepared, Aspect), ArtworkError> {
        self.prepare(file, held, Pixels::Colors, move |bytes| {
            prepare_color_import(bytes, aspect)
        })
        .await
    }

    /// Prepares a received picture with `prepare_source`, under the same limits.
    pub async fn source(&self, file: SpooledFile, held: impl Send + 'static) -> Result<Vec<u8>, ArtworkError> {
        self.prepare(file, held, Pixels::Tones, prepare_source).await
    }

    /// Makes a gray thumbnail of a received picture, under the same limits.
    pub async fn source_thumbnail(
        &self,
        file: SpooledFile,
        held: impl Send + 'static,
        longest_side: u32,
        most_bytes: usize,
    ) -> Result<Vec<u8>, ArtworkError> {
        let work = move |bytes: &[u8]| thumbnail(&prepare_source(bytes)?, longest_side, most_bytes);
        self.prepare(file, held, Pixels::Tones, work).await
    }

    async fn prepare<T: Send + 'static>(
        &self,
        mut file: SpooledFile,
        held: impl Send + 'static,
        pixels: Pixels,
        work: impl FnOnce(&[u8]) -> Result<T, ArtworkError> + Send + 'static,
    ) -> Result<T, ArtworkError> {
        let (file, cost) = blocking(move || {
            let reader = file.reader().map_err(ArtworkError::processing)?;
            let memory = match pixels {
                Pixels::Tones => import_memory(reader)?,
                Pixels::Colors => color_import_memory(reader)?,
            };
            let cost = file.size() + memory;
            Ok((file, cost))
        })
        .await?;
        let permit = Arc::clone(&self.memory)
            .acquire_many_owned(self.share_of(cost))
            .await
            .map_err(ArtworkError::processing)?;
        let work = self.threads.run(move || {
            // Declared first, and therefore released last.
            let _held = (permit, held);
            let bytes = file.read().map_err(ArtworkError::processing)?;
            work(&bytes)
        });
        tokio::time::timeout(self.time_limit, work)
            .await
            .unwrap_or(Err(ArtworkError::TookTooLong { limit: self.time_limit }))
    }

    /// Waits for a permit to derive a picture from a stored one of the account. The caller passes it to the function
    /// that derives the picture.
    pub async fn acquire_turn(&self, account: &AccountId) -> Result<Permit, Error> {
        let turn = self.derived.within(account, self.max_wait).await;
        turn.map_err(|_| {
            let kind = ErrorKind::RateLimited {
                what: "pictures of this account are being made at the same time",
                retry_after: IMPORT_RETRY_DELAY,
            };
            kind.into()
        })
    }

    /// Makes a thumbnail of a stored picture.
    pub async fn thumbnail(
        &self,
        turn: Permit,
        picture: Bytes,
        longest_side: u32,
        most_bytes: usize,
    ) -> Result<Vec<u8>, ArtworkError> {
        self.make(turn, move || thumbnail(&picture, longest_side, most_bytes))
            .await
    }

    /// Makes a picture from a stored print master.
    pub async fn print_picture(&self, turn: Permit, master: Bytes) -> Result<Vec<u8>, ArtworkError> {
        self.make(turn, move || print_picture(&master)).await
    }

    /// Runs `work` on an importer's thread as soon as the smallest share of memory is free.
    async fn make(
        &self,
        turn: Permit,
        work: impl FnOnce() -> Result<Vec<u8>, ArtworkError> + Send + 'static,
    ) -> Result<Vec<u8>, ArtworkError> {
        let permit = Arc::clone(&self.memory)
            .acquire_many_owned(self.min_share_mib)
            .await
            .map_err(ArtworkError::processing)?;
        let work = self.threads.run(move || {
            let _held = (permit, turn);
            work()
        });
        tokio::time::timeout(self.time_limit, work)
            .await
            .unwrap_or(Err(ArtworkError::TookTooLong { limit: self.time_limit }))
    }

    /// The share of the budget that a picture takes, in MiB.
    fn share_of(&self, cost: u64) -> u32 {
        u32::try_from(cost.div_ceil(MEBIBYTE)).map_or(self.budget, |share| share.clamp(self.min_share_mib, self.budget))
    }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ArtworkError> + Send + 'static,
) -> Result<T, ArtworkError> {
    joined(tokio::task::spawn_blocking(work)).await
}

async fn joined<T>(work: JoinHandle<Result<T, ArtworkError>>) -> Result<T, ArtworkError> {
    work.await.unwrap_or_else(|error| Err(ArtworkError::processing(error)))
}

impl From<ArtworkError> for Error {
    fn from(error: ArtworkError) -> Self {
        match error {
            ArtworkError::TooLarge { limit } => ErrorKind::FileTooLarge {
                field: None,
                limit: limit as u64,
            }
            .into(),
            ArtworkError::Processing(cause) => Self::internal(cause),
            refused => ErrorKind::UnsupportedImage(sentence(&refused.to_string())).into(),
        }
    }
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string());
    format!("{}{}.", first.unwrap_or_default(), letters.as_str())
}

#[cfg(test)]
mod tests {
    use futures::stream;

    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    fn importer(budget_mebibytes: u32, time_limit: Duration) -> Importer {
        Importer::new(ImportSettings {
            incoming: std::env::temp_dir(),
            budget_mebibytes,
            time_limit,
            per_account: 2,
            total: 3,
            max_wait: Duration::ZERO,
        })
    }

    #[tokio::test]
    async fn an_account_at_its_import_limit_is_asked_to_retry() {
        let importer = importer(500, MINUTE);
        let (ada, bob) = (AccountId::from_text("ada"), AccountId::from_text("bob"));
        let _held = [importer.admit(&ada).await.unwrap(), importer.admit(&ada).await.unwrap()];
        let refusal = importer.admit(&ada).await.unwrap_err();
        assert_eq!(refusal.retry_after(), Some(IMPORT_RETRY_DELAY), "{refusal}");
        importer.admit(&bob).await.unwrap();
    }

    async fn spooled(bytes: impl Into<Bytes>) -> SpooledFile {
        let chunks = stream::iter([Ok::<_, std::convert::Infallible>(bytes.into())]);
        SpooledFile::receive(&std::env::temp_dir(), chunks, u64::MAX)
            .await
            .unwrap()
    }

    fn picture() -> Vec<u8> {
        let paper = image::GrayImage::from_pixel(400, 300, image::Luma([255]));
        let mut png = std::io::Cursor::new(Vec::new());
        paper.write_to(&mut png, image::ImageFormat::Png).unwrap();
        png.into_inner()
    }

    #[tokio::test]
    async fn a_picture_that_costs_more_than_the_budget_is_prepared_alone() {
        let importer = importer(1, MINUTE);
        let several = futures::future::join_all(
            std::iter::repeat_with(|| async {
                importer
                    .import(spooled(picture()).await, None, ())
                    .await
                    .map(|(_, aspect)| aspect)
            })
            .take(3),
        );
        for aspect in several.await {
            assert_eq!(aspect.unwrap(), Aspect::Landscape);
        }
        assert_eq!(importer.memory.available_permits(), 1);
    }

    #[tokio::test]
    async fn a_timed_out_import_holds_its_memory_until_its_thread_ends() {
        let importer = importer(500, Duration::ZERO);
        let refusal = importer
            .import(spooled(picture()).await, None, ())
            .await
            .map(|_| ())
            .unwrap_err();
        assert!(matches!(refusal, ArtworkError::TookTooLong { .. }), "{refusal}");
        // The thread still runs; the whole budget is free once it has ended.
        let whole = importer.memory.acquire_many(500).await.unwrap();
        assert_eq!(whole.num_permits(), 500);
    }

    #[tokio::test]
    async fn a_refused_picture_takes_no_memory() {
        let importer = importer(500, MINUTE);
        for bytes in [&b"<svg/>"[..], b""] {
            let refusal = importer
                .import(spooled(bytes).await, None, ())
                .await
                .map(|_| ())
                .unwrap_err();
            assert!(matches!(refusal, ArtworkError::NotAnImage), "{refusal}");
        }
        assert_eq!(importer.memory.available_permits(), 500);
    }

    #[tokio::test]
    async fn the_header_is_found_after_any_amount_of_metadata() {
        let image = image::GrayImage::from_pixel(300, 300, image::Luma([200]));
        let mut jpeg = std::io::Cursor::new(Vec::new());
        image.write_to(&mut jpeg, image::ImageFormat::Jpeg).unwrap();
        let jpeg = jpeg.into_inner();
        let segment = [&[0xFF, 0xE2, 0xFF, 0xFF][..], &[0; 65_533]].concat();
        let bytes = [&jpeg[..2], &segment.repeat(100), &jpeg[2..]].concat();
        let (prepared, aspect) = importer(200, MINUTE)
            .import(spooled(bytes).await, None, ())
            .await
            .unwrap();
        assert_eq!((aspect, prepared.width), (Aspect::Square, 1024));
    }
}

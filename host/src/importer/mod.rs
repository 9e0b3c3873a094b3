//! Where imports are received and prepared: on a disk, off the asynchronous threads, and never more at once than memory allows.
mod spooled_file;

use std::num::NonZero;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::Stream;
use linepress_imaging::{
    ArtworkError, LEAST_IMPORT_MEMORY, Prepared, import_memory, prepare_import, prepare_source, print_picture,
    thumbnail,
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

/// Prepares imported pictures within a budget of memory and a limit of time.
#[derive(Clone, Debug)]
pub struct Importer {
    /// In MiB.
    memory: Arc<Semaphore>,
    budget: u32,
    /// What a picture takes at least, so that no more are prepared at a time than there are threads.
    least: u32,
    threads: Arc<Threads>,
    time_limit: Duration,
    incoming: Arc<PathBuf>,
    probe: Arc<Probe>,
    shares: FairShare,
    /// Pictures that are made of stored ones.
    made: FairShare,
    patience: Duration,
}

/// What imports may take.
#[derive(Clone, Debug)]
pub struct ImportSettings {
    /// The folder in which files are received. Many at a time may lie there: `/tmp` is often a part of the memory.
    pub incoming: PathBuf,
    /// Memory for all that are prepared at a time. A picture that costs more than all of it is prepared alone.
    pub budget_mebibytes: u32,
    /// How long preparing one may take.
    pub time_limit: Duration,
    /// How many of one account are fetched and prepared at a time.
    pub per_account: usize,
    /// How many of all accounts.
    pub total: usize,
    /// How long an import beyond that waits.
    pub patience: Duration,
}

/// After this time an import that found no place may be sent again.
const RETRY_AFTER: Duration = Duration::from_secs(10);

/// Threads that do nothing else, and no more than can work at a time. An allocator may keep tens of megabytes for each
/// thread that ever prepared a picture (glibc: an arena, trimmed above twice the largest block that was freed); spread
/// over all the blocking threads of a server that is more than the budget.
#[derive(Debug)]
struct Threads(Option<Runtime>);

impl Threads {
    /// Started when they are needed, and kept.
    fn new(count: usize) -> Self {
        const KEPT: Duration = Duration::from_secs(24 * 3600);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .max_blocking_threads(count)
            .thread_keep_alive(KEPT)
            .build();
        Self(Some(
            runtime.expect("a runtime without drivers asks nothing of the system"),
        ))
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, ArtworkError> + Send + 'static,
    ) -> Result<T, ArtworkError> {
        let runtime = self.0.as_ref().expect("it is there until it is dropped");
        joined(runtime.spawn_blocking(work)).await
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        // A plain drop would wait for what is being prepared, which asynchronous code must not.
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

impl Importer {
    pub fn new(settings: ImportSettings) -> Self {
        let budget = settings.budget_mebibytes.max(1);
        let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
        let side_by_side = usize::try_from(u64::from(budget) * MEBIBYTE / LEAST_IMPORT_MEMORY).unwrap_or(cores);
        let threads = side_by_side.clamp(1, cores);
        Self {
            least: u32::try_from(threads).map_or(1, |threads| budget.div_ceil(threads)),
            threads: Arc::new(Threads::new(threads)),
            memory: Arc::new(Semaphore::new(budget as usize)),
            budget,
            time_limit: settings.time_limit,
            incoming: Arc::new(settings.incoming),
            probe: Arc::default(),
            shares: FairShare::new(settings.per_account, settings.total),
            // The pictures of one account may keep every thread busy, but no others wait behind more of them than that.
            made: FairShare::new(threads, Semaphore::MAX_PERMITS),
            patience: settings.patience,
        }
    }

    /// Admits an import of this account, or asks it to come again later. What it returns is dropped when nothing is done
    /// for the import any more: neither looking up a name nor decoding can be broken off.
    pub async fn admit(&self, account: &AccountId) -> Result<Permit, Error> {
        let admitted = self.shares.within(account, self.patience).await;
        admitted.map_err(|_| {
            let kind = ErrorKind::RateLimited {
                what: "imports of this account are under way at a time",
                retry_after: RETRY_AFTER,
            };
            kind.into()
        })
    }

    /// Whether a file could be received just now, or some seconds ago.
    pub async fn is_writable(&self, now: Timestamp) -> bool {
        let folder = Arc::clone(&self.incoming);
        let written = async {
            let check = move || folders::make_private(&folder).and_then(|()| folders::check(&folder));
            let checked = tokio::task::spawn_blocking(check).await;
            checked.map_err(Error::internal)?.map_err(Error::unavailable)
        };
        self.probe
            .works("the folder for files on their way in", now, written)
            .await
    }

    /// A file without a name, for what is on its way.
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

    /// Prepares a received picture as `prepare_import` does, as soon as there is memory for it.
    ///
    /// The limit counts from there on. Nothing stops a thread: one that takes longer is no longer waited for, but keeps
    /// its memory from others until it ends, and so does one whose caller went away. It keeps what is `held` as long.
    pub async fn import(
        &self,
        file: SpooledFile,
        aspect: Option<Aspect>,
        held: impl Send + 'static,
    ) -> Result<(Prepared, Aspect), ArtworkError> {
        self.prepare(file, held, move |bytes| prepare_import(bytes, aspect))
            .await
    }

    /// Prepares a received picture as `prepare_source` does, under the same limits.
    pub async fn source(&self, file: SpooledFile, held: impl Send + 'static) -> Result<Vec<u8>, ArtworkError> {
        self.prepare(file, held, prepare_source).await
    }

    async fn prepare<T: Send + 'static>(
        &self,
        mut file: SpooledFile,
        held: impl Send + 'static,
        work: impl FnOnce(&[u8]) -> Result<T, ArtworkError> + Send + 'static,
    ) -> Result<T, ArtworkError> {
        let (file, cost) = blocking(move || {
            let memory = import_memory(file.reader().map_err(ArtworkError::processing)?)?;
            let cost = file.size() + memory;
            Ok((file, cost))
        })
        .await?;
        let permit = Arc::clone(&self.memory)
            .acquire_many_owned(self.share_of(cost))
            .await
            .map_err(ArtworkError::processing)?;
        let work = self.threads.run(move || {
            // Declared first, so given back last.
            let _held = (permit, held);
            let bytes = file.read().map_err(ArtworkError::processing)?;
            work(&bytes)
        });
        tokio::time::timeout(self.time_limit, work)
            .await
            .unwrap_or(Err(ArtworkError::TookTooLong { limit: self.time_limit }))
    }

    /// Waits until a picture may be made of one that the account has stored. What it returns is handed to the function that
    /// makes it.
    pub async fn turn_of(&self, account: &AccountId) -> Result<Permit, Error> {
        let turn = self.made.within(account, self.patience).await;
        turn.map_err(|_| {
            let kind = ErrorKind::RateLimited {
                what: "pictures of this account are being made at a time",
                retry_after: RETRY_AFTER,
            };
            kind.into()
        })
    }

    /// Makes a stored picture small, on the same threads.
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

    /// Makes a picture of a stored print master, on the same threads.
    pub async fn print_picture(&self, turn: Permit, master: Bytes) -> Result<Vec<u8>, ArtworkError> {
        self.make(turn, move || print_picture(&master)).await
    }

    /// Makes something of what is stored, as soon as there is memory for it.
    async fn make(
        &self,
        turn: Permit,
        work: impl FnOnce() -> Result<Vec<u8>, ArtworkError> + Send + 'static,
    ) -> Result<Vec<u8>, ArtworkError> {
        let permit = Arc::clone(&self.memory)
            .acquire_many_owned(self.least)
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

    /// How much of the budget a picture takes, in MiB.
    fn share_of(&self, cost: u64) -> u32 {
        u32::try_from(cost.div_ceil(MEBIBYTE)).map_or(self.budget, |share| share.clamp(self.least, self.budget))
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
            patience: Duration::ZERO,
        })
    }

    #[tokio::test]
    async fn an_account_with_as_many_imports_as_it_may_have_is_asked_to_come_again() {
        let importer = importer(500, MINUTE);
        let (ada, bob) = (AccountId::from_text("ada"), AccountId::from_text("bob"));
        let _held = [importer.admit(&ada).await.unwrap(), importer.admit(&ada).await.unwrap()];
        let refusal = importer.admit(&ada).await.unwrap_err();
        assert_eq!(refusal.retry_after(), Some(RETRY_AFTER), "{refusal}");
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
    async fn whoever_waits_too_long_is_told_while_the_memory_stays_taken() {
        let importer = importer(500, Duration::ZERO);
        let refusal = importer
            .import(spooled(picture()).await, None, ())
            .await
            .map(|_| ())
            .unwrap_err();
        assert!(matches!(refusal, ArtworkError::TookTooLong { .. }), "{refusal}");
        // The thread still works; all of the budget is there once it has ended.
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
    async fn the_header_is_found_however_much_metadata_stands_before_it() {
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

//! PDFs on request: opened from the cache, or made if the cache does not have them. Each PDF is made once on each node,
//! in a task that outlives the request: if a client stops waiting, the PDF is in the cache when the client repeats its
//! request.
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::cache::{self, PdfId};
use super::fitting::refusal;
use super::making::{content_key, lay_out, make, object_key};
use super::options::{check_book, check_size};
use super::{Manuscript, OfferedFormat};
use futures::FutureExt as _;
use linepress_metrics::PdfOutcome;
use linepress_model::Leaf;
use linepress_platform::app::App;
use linepress_platform::error::{Error, ErrorKind, Result};
use linepress_platform::ids::{AccountId, BookId};
use linepress_platform::storage::StoredObject;
use linepress_print::Purpose;
use tracing::{Instrument as _, Span};

/// The `Retry-After` of a PDF that was not ready in time.
const PRINTING_RETRY_DELAY: Duration = Duration::from_secs(10);

/// Length of the version of a PDF: 64 bits of a digest.
const VERSION_CHARS: usize = 16;

/// A request to print a book.
#[derive(Clone, Debug)]
pub struct PrintRequest {
    pub account: AccountId,
    pub book: BookId,
    pub manuscript: Manuscript,
    pub offered: OfferedFormat,
    pub purpose: Purpose,
}

impl PrintRequest {
    /// The name of the PDF, unique among those of its book.
    pub(super) fn name(&self) -> String {
        let Purpose { edition, backs, part } = self.purpose;
        format!("{}/{edition}/{part}/{backs}", self.offered.format.id)
    }
}

/// Makes a PDF once the account has a place.
async fn run(app: App, leaves: Vec<Leaf>, key: String, request: PrintRequest) {
    let place = app.printing.place(&request.account).await;
    let begin = Instant::now();
    let made = AssertUnwindSafe(make(&app, &leaves, &key, &request))
        .catch_unwind()
        .await;
    drop(place);
    if let Ok(Ok(())) = made {
        app.metrics.pdfs.made(begin.elapsed());
        tracing::info!(book = %request.book, pdf = request.name(), "PDF completed");
    }
    let ended = made.unwrap_or_else(|_| Err(Error::internal("making a PDF panicked")));
    let failed = ended.as_ref().err().map(Error::for_operator);
    let was_received = app.printing.end(&key, ended.map_err(Arc::new));
    if let (false, Some(error)) = (was_received, failed) {
        tracing::error!(book = %request.book, error, "PDF failed; no request waits for it any more");
    }
}

/// The number of pages of the book, blank ones included. None when the layout cannot lay it out, which printing it
/// reports.
pub async fn page_count(request: &PrintRequest) -> Option<usize> {
    count_pages(request).await.ok()
}

/// The number of pages of the book, blank ones included. Fails if the layout cannot lay it out.
pub(crate) async fn count_pages(request: &PrintRequest) -> Result<usize> {
    let leaves = lay_out(&request.manuscript, &request.offered, request.purpose).await?;
    Ok(leaves.len())
}

/// The index of the drawing on each page of the book; None for a page without one. Fails if the layout cannot lay it
/// out.
pub(crate) async fn drawings_on_pages(request: &PrintRequest) -> Result<Vec<Option<usize>>> {
    let leaves = lay_out(&request.manuscript, &request.offered, request.purpose).await?;
    let drawing = |leaf: &Leaf| leaf.drawing.and_then(|index| usize::try_from(index).ok());
    Ok(leaves.iter().map(drawing).collect())
}

pub(super) fn unavailable() -> Error {
    ErrorKind::PrintingUnavailable {
        retry_after: PRINTING_RETRY_DELAY,
    }
    .into()
}

/// The PDF of a book.
pub(crate) struct OpenPdf {
    pub(crate) object: StoredObject,
    /// A text that changes with the contents of the PDF.
    pub(crate) version: String,
}

/// Opens the PDF of a book, which is made first unless the cache has it. A book that the printer cannot print is
/// rejected before anything is typeset. Fails as unavailable after `limit`; making the PDF continues.
pub(crate) async fn pdf_of(app: &App, request: &PrintRequest, limit: Duration) -> Result<OpenPdf> {
    let begin = Instant::now();
    let opened = open_or_make(app, request, limit).await;
    let outcome = match &opened {
        Ok((outcome, _)) => *outcome,
        Err(error) if error.is_internal() => PdfOutcome::Failed,
        Err(error) if matches!(error.kind, ErrorKind::PrintingUnavailable { .. }) => PdfOutcome::Unavailable,
        Err(_) => PdfOutcome::Rejected,
    };
    app.metrics.pdfs.request_ended(outcome, begin.elapsed());
    opened.map(|(_, pdf)| pdf)
}

/// The step of making a PDF in the trace of the first request for it.
fn step(request: &PrintRequest, leaves: &[Leaf]) -> Span {
    tracing::info_span!(
        target: linepress_traces::TARGET,
        "make a PDF",
        book = %request.book,
        pdf = request.name(),
        leaves = leaves.len(),
    )
}

async fn open_or_make(app: &App, request: &PrintRequest, limit: Duration) -> Result<(PdfOutcome, OpenPdf)> {
    check_book(request.purpose, &request.manuscript, &request.offered)?;
    let mut version = content_key(app, request).await?;
    let key = object_key(request, &version);
    version.truncate(VERSION_CHARS);
    let name = request.name();
    let pdf_id = PdfId {
        account: &request.account,
        book: &request.book,
        name: &name,
        key: &key,
    };
    if let Some(object) = cache::open(app, pdf_id).await? {
        return Ok((PdfOutcome::Stored, OpenPdf { object, version }));
    }
    let leaves = lay_out(&request.manuscript, &request.offered, request.purpose).await?;
    if let Err(reason) = check_size(request.purpose, &request.offered, leaves.len()) {
        return Err(refusal(app, request, reason).await);
    }
    let start = || {
        let step = step(request, &leaves);
        drop(tokio::spawn(
            run(app.clone(), leaves, key.clone(), request.clone()).instrument(step),
        ));
    };
    let mut waiting = app
        .printing
        .join(&key, &request.account, start)
        .ok_or_else(unavailable)?;
    let ended = tokio::time::timeout(limit, waiting.wait_for(Option::is_some));
    let ended = match ended.await {
        Err(_) => return Err(unavailable()),
        Ok(ended) => ended.map_err(Error::internal)?.clone(),
    };
    if let Some(Err(error)) = ended {
        let cause = format!("the PDF of {}: {}", request.book, error.for_operator());
        return Err(Error::from(error.kind.clone()).with_cause(cause));
    }
    let object = cache::open(app, pdf_id).await?;
    let object = object.ok_or_else(|| Error::internal(format!("object {key} is missing")))?;
    Ok((PdfOutcome::Made, OpenPdf { object, version }))
}

//! PDFs in progress. Each PDF is made once, in a task that outlives the request: if a client stops waiting, the PDF is
//! ready when the client repeats its request.
use std::collections::HashMap;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::FutureExt as _;
use tokio::sync::watch;

use super::fitting::refusal;
use super::made::{self, Made};
use super::making::{key_of, lay_out, make};
use super::options::{check_book, check_size};
use super::{Manuscript, OfferedFormat};
use crate::app::App;
use crate::error::{Error, ErrorKind, Result};
use crate::fair_share::{FairShare, Permit};
use crate::ids::{AccountId, BookId};
use crate::storage::StoredObject;
use linepress_model::Leaf;
use linepress_print::Purpose;

/// The PDFs in progress. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Printing {
    places: FairShare,
    in_progress: Arc<Mutex<HashMap<String, Print>>>,
}

/// A PDF in progress.
#[derive(Debug)]
struct Print {
    account: AccountId,
    /// None until it has ended; then the error if it failed.
    ended: watch::Sender<Option<PrintResult>>,
}

type PrintResult = Result<(), Arc<Error>>;

/// Maximum number of one account's PDFs that are waiting or in progress.
const MAX_PDFS_PER_ACCOUNT: usize = 4;

/// Maximum number of PDFs of all accounts that are waiting or in progress. With more, a client would wait for minutes.
const MAX_PDFS: usize = 64;

/// The `Retry-After` of a PDF that was not ready in time.
const PRINTING_RETRY_DELAY: Duration = Duration::from_secs(10);

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

impl Printing {
    /// Allows `places` PDFs to be made at a time. One account gets at most half of the places, rounded up.
    pub fn new(places: usize) -> Self {
        Self {
            places: FairShare::new(places.div_ceil(2), places),
            in_progress: Arc::default(),
        }
    }

    /// Waits for one of the account's places, for work that needs as many resources as making a PDF.
    pub(super) async fn place(&self, account: &AccountId) -> Permit {
        self.places.acquire(account).await
    }

    fn in_progress(&self) -> MutexGuard<'_, HashMap<String, Print>> {
        self.in_progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Subscribes to the PDF in progress with this key, or starts to make it.
    fn join(
        &self,
        app: &App,
        leaves: Vec<Leaf>,
        key: &str,
        request: &PrintRequest,
    ) -> Result<watch::Receiver<Option<PrintResult>>> {
        let mut in_progress = self.in_progress();
        if let Some(print) = in_progress.get(key) {
            return Ok(print.ended.subscribe());
        }
        let of_account = in_progress.values().filter(|print| print.account == request.account);
        if of_account.count() >= MAX_PDFS_PER_ACCOUNT || in_progress.len() >= MAX_PDFS {
            return Err(unavailable());
        }
        let (ended, waiting) = watch::channel(None);
        let print = Print {
            account: request.account.clone(),
            ended,
        };
        in_progress.insert(key.to_owned(), print);
        drop(in_progress);
        tokio::spawn(run(app.clone(), leaves, key.to_owned(), request.clone()));
        Ok(waiting)
    }

    /// Sends the result to the waiting requests. Returns false when no request waits.
    fn end(&self, key: &str, ended: PrintResult) -> bool {
        let print = self.in_progress().remove(key);
        print.is_some_and(|print| print.ended.send(Some(ended)).is_ok())
    }
}

/// Makes a PDF once the account has a place.
async fn run(app: App, leaves: Vec<Leaf>, key: String, request: PrintRequest) {
    let place = app.printing.places.acquire(&request.account).await;
    let made = AssertUnwindSafe(make(&app, &leaves, &key, &request))
        .catch_unwind()
        .await;
    drop(place);
    if let Ok(Ok(())) = made {
        tracing::info!(book = %request.book, pdf = request.name(), "PDF completed");
    }
    let ended = made.unwrap_or_else(|_| Err(Error::internal("making a PDF panicked")));
    let failed = ended.as_ref().err().map(Error::for_operator);
    let was_received = app.printing.end(&key, ended.map_err(Arc::new));
    if let (false, Some(error)) = (was_received, failed) {
        tracing::error!(book = %request.book, error, "PDF failed; no request waits for it any more");
    }
}

pub(super) fn unavailable() -> Error {
    ErrorKind::PrintingUnavailable {
        retry_after: PRINTING_RETRY_DELAY,
    }
    .into()
}

/// Opens the PDF of a book, which is made first if necessary. A book that the printer cannot print is rejected before
/// anything is typeset. Fails as unavailable after `limit`; making the PDF continues.
pub async fn pdf_of(app: &App, request: &PrintRequest, limit: Duration) -> Result<StoredObject> {
    check_book(request.purpose, &request.manuscript, &request.offered)?;
    let key = key_of(app, request).await?;
    let name = request.name();
    let made = Made {
        account: &request.account,
        book: &request.book,
        name: &name,
        key: &key,
    };
    if let Some(pdf) = made::open(app, made).await? {
        return Ok(pdf);
    }
    let leaves = lay_out(&request.manuscript, &request.offered, request.purpose).await?;
    if let Err(reason) = check_size(request.purpose, &request.offered, leaves.len()) {
        return Err(refusal(app, request, reason).await);
    }
    let mut waiting = app.printing.join(app, leaves, &key, request)?;
    let ended = tokio::time::timeout(limit, waiting.wait_for(Option::is_some));
    let ended = match ended.await {
        Err(_) => return Err(unavailable()),
        Ok(ended) => ended.map_err(Error::internal)?.clone(),
    };
    if let Some(Err(error)) = ended {
        let cause = format!("the PDF of {}: {}", request.book, error.for_operator());
        return Err(Error::from(error.kind.clone()).with_cause(cause));
    }
    made::open(app, made)
        .await?
        .ok_or_else(|| Error::internal(format!("object {key} is missing")))
}

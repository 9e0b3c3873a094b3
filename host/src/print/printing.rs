//! Printing: each PDF is made once, apart from the requests that ask for it, so that one which takes longer than its
//! client waits is there when the client asks again.
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

/// PDFs that are being made. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Printing {
    places: FairShare,
    under_way: Arc<Mutex<HashMap<String, Print>>>,
}

/// A PDF that is being made: whose, and who waits for it.
#[derive(Debug)]
struct Print {
    account: AccountId,
    /// Nothing until it has ended; then why it failed, if it did.
    ended: watch::Sender<Option<Ended>>,
}

type Ended = Result<(), Arc<Error>>;

/// PDFs that one account may have waiting or under way.
const PER_ACCOUNT: usize = 4;

/// PDFs of all accounts that may wait or be under way: whoever comes later would wait for minutes.
const IN_ALL: usize = 64;

/// When a client may ask again for a PDF that was not made in time.
const RETRY_AFTER: Duration = Duration::from_secs(10);

/// A book to be printed.
#[derive(Clone, Debug)]
pub struct PrintRequest {
    pub account: AccountId,
    pub book: BookId,
    pub manuscript: Manuscript,
    pub offered: OfferedFormat,
    pub purpose: Purpose,
}

impl PrintRequest {
    /// Which of the book's PDFs it is.
    pub(super) fn name(&self) -> String {
        let Purpose { edition, backs, part } = self.purpose;
        format!("{}/{edition}/{part}/{backs}", self.offered.format.id)
    }
}

impl Printing {
    /// So many at a time; one account takes all places only where there is one.
    pub fn new(places: usize) -> Self {
        Self {
            places: FairShare::new(places.div_ceil(2), places),
            under_way: Arc::default(),
        }
    }

    /// The account's turn, for what takes as much as a PDF that is made.
    pub(super) async fn place(&self, account: &AccountId) -> Permit {
        self.places.acquire(account).await
    }

    fn under_way(&self) -> MutexGuard<'_, HashMap<String, Print>> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for what is being made under this key, or begins to make it.
    fn join(
        &self,
        app: &App,
        leaves: Vec<Leaf>,
        key: &str,
        request: &PrintRequest,
    ) -> Result<watch::Receiver<Option<Ended>>> {
        let mut under_way = self.under_way();
        if let Some(print) = under_way.get(key) {
            return Ok(print.ended.subscribe());
        }
        let mine = under_way.values().filter(|print| print.account == request.account);
        if mine.count() >= PER_ACCOUNT || under_way.len() >= IN_ALL {
            return Err(unavailable());
        }
        let (ended, waiting) = watch::channel(None);
        let print = Print {
            account: request.account.clone(),
            ended,
        };
        under_way.insert(key.to_owned(), print);
        drop(under_way);
        tokio::spawn(run(app.clone(), leaves, key.to_owned(), request.clone()));
        Ok(waiting)
    }

    /// Tells those who wait how it ended. False when nobody waits.
    fn end(&self, key: &str, ended: Ended) -> bool {
        let print = self.under_way().remove(key);
        print.is_some_and(|print| print.ended.send(Some(ended)).is_ok())
    }
}

/// Makes a PDF, however long its turn takes to come.
async fn run(app: App, leaves: Vec<Leaf>, key: String, request: PrintRequest) {
    let place = app.printing.places.acquire(&request.account).await;
    let made = AssertUnwindSafe(make(&app, &leaves, &key, &request))
        .catch_unwind()
        .await;
    drop(place);
    if let Ok(Ok(())) = made {
        tracing::info!(book = %request.book, pdf = request.name(), "a PDF was made");
    }
    let ended = made.unwrap_or_else(|_| Err(Error::internal("the printing panicked")));
    let failed = ended.as_ref().err().map(Error::for_operator);
    let heard = app.printing.end(&key, ended.map_err(Arc::new));
    if let (false, Some(error)) = (heard, failed) {
        tracing::error!(book = %request.book, error, "a PDF that nobody waits for any more failed");
    }
}

pub(super) fn unavailable() -> Error {
    ErrorKind::PrintingUnavailable {
        retry_after: RETRY_AFTER,
    }
    .into()
}

/// The PDF of a book: opened when it was made before, else made first. What the printer does not print is refused before
/// anything is typeset. Takes at most so long; the PDF goes on being made.
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

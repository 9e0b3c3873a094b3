//! The PDFs in progress on this node. Each is made once, however many requests wait for it. Finished PDFs are cached by
//! `print` in the core, in the object store.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::error::{Error, Result};
use crate::fair_share::{FairShare, Permit};
use crate::ids::AccountId;

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

/// The result of making a PDF.
pub(crate) type PrintResult = Result<(), Arc<Error>>;

/// Maximum number of one account's PDFs that are waiting or in progress.
const MAX_PDFS_PER_ACCOUNT: usize = 4;

/// Maximum number of PDFs of all accounts that are waiting or in progress. With more, a client would wait for minutes.
const MAX_PDFS: usize = 64;

impl Printing {
    /// Allows `places` PDFs to be made at a time. One account gets at most half of the places, rounded up.
    pub fn new(places: usize) -> Self {
        Self {
            places: FairShare::new(places.div_ceil(2), places),
            in_progress: Arc::default(),
        }
    }

    /// Waits for one of the account's places, for work that needs as many resources as making a PDF.
    pub async fn place(&self, account: &AccountId) -> Permit {
        self.places.acquire(account).await
    }

    fn in_progress(&self) -> MutexGuard<'_, HashMap<String, Print>> {
        self.in_progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Subscribes to the PDF in progress with this key. If there is none, calls `start`, which must lead to a call of
    /// `end`. None if the account or the node has too many PDFs in progress.
    pub fn join(
        &self,
        key: &str,
        account: &AccountId,
        start: impl FnOnce(),
    ) -> Option<watch::Receiver<Option<PrintResult>>> {
        let mut in_progress = self.in_progress();
        if let Some(print) = in_progress.get(key) {
            return Some(print.ended.subscribe());
        }
        let of_account = in_progress.values().filter(|print| print.account == *account);
        if of_account.count() >= MAX_PDFS_PER_ACCOUNT || in_progress.len() >= MAX_PDFS {
            return None;
        }
        let (ended, waiting) = watch::channel(None);
        let print = Print {
            account: account.clone(),
            ended,
        };
        in_progress.insert(key.to_owned(), print);
        drop(in_progress);
        start();
        Some(waiting)
    }

    /// Sends the result to the waiting requests. Returns false when no request waits.
    pub fn end(&self, key: &str, ended: PrintResult) -> bool {
        let print = self.in_progress().remove(key);
        print.is_some_and(|print| print.ended.send(Some(ended)).is_ok())
    }
}

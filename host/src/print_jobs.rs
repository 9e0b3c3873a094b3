//! PDFs that are being made on this node: each of them once, however many requests wait for it.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::error::{Error, Result};
use crate::fair_share::{FairShare, Permit};
use crate::ids::AccountId;

/// The PDFs that are being made, and the places in which they are. Cheap to clone.
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

pub(crate) type Ended = Result<(), Arc<Error>>;

/// PDFs that one account may have waiting or under way.
const PER_ACCOUNT: usize = 4;

/// PDFs of all accounts that may wait or be under way: whoever comes later would wait for minutes.
const IN_ALL: usize = 64;

impl Printing {
    /// Places for `places` PDFs at a time; an account takes all of them only where there is one.
    pub fn new(places: usize) -> Self {
        Self {
            places: FairShare::new(places.div_ceil(2), places),
            under_way: Arc::default(),
        }
    }

    /// Waits for the account's turn, for work that takes as much as making a PDF.
    pub(crate) async fn place(&self, account: &AccountId) -> Permit {
        self.places.acquire(account).await
    }

    fn under_way(&self) -> MutexGuard<'_, HashMap<String, Print>> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the PDF that is being made under this key; if there is none, calls `start`, which must lead to `end`. `None`
    /// when the account or the node has too many under way.
    pub(crate) fn join(
        &self,
        key: &str,
        account: &AccountId,
        start: impl FnOnce(),
    ) -> Option<watch::Receiver<Option<Ended>>> {
        let mut under_way = self.under_way();
        if let Some(print) = under_way.get(key) {
            return Some(print.ended.subscribe());
        }
        let of_account = under_way.values().filter(|print| print.account == *account);
        if of_account.count() >= PER_ACCOUNT || under_way.len() >= IN_ALL {
            return None;
        }
        let (ended, waiting) = watch::channel(None);
        let print = Print {
            account: account.clone(),
            ended,
        };
        under_way.insert(key.to_owned(), print);
        drop(under_way);
        start();
        Some(waiting)
    }

    /// Reports to the requests that wait how the PDF ended; false when none waits.
    pub(crate) fn end(&self, key: &str, ended: Ended) -> bool {
        let print = self.under_way().remove(key);
        print.is_some_and(|print| print.ended.send(Some(ended)).is_ok())
    }
}

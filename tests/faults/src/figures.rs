//! Counters of a run.
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// A counter that several tasks add to.
#[derive(Default)]
pub(crate) struct Counter(AtomicUsize);

impl Counter {
    pub(crate) fn add_one(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// Descriptions that several tasks add to.
#[derive(Default)]
pub(crate) struct Descriptions(Mutex<Vec<String>>);

impl Descriptions {
    pub(crate) fn add(&self, description: String) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(description);
    }

    pub(crate) fn get(&self) -> Vec<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The counters of the requests and replies of all clients.
#[derive(Default)]
pub(crate) struct Figures {
    pub requests: Counter,
    /// Requests that were repeated because there was no reply, or a reply with status 429 or 5xx.
    pub retries: Counter,
    /// Replies with status 500: faults that the server does not recognize as outages.
    pub internal_errors: Descriptions,
    /// Orders that were sent again after they had been acknowledged.
    pub repeats: Counter,
    /// Replies with the header `Idempotency-Replayed`, after retries and repeats.
    pub replays: Counter,
    pub refusals: Counter,
    pub pdfs: Counter,
    /// Files that an upload address accepted.
    pub uploads: Counter,
}

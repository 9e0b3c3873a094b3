//! Counters of a run.
use std::sync::atomic::{AtomicU64, Ordering};

/// A counter that several tasks add to.
#[derive(Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn add_one(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The counters of the requests and replies of all clients.
#[derive(Default)]
pub(crate) struct Figures {
    pub requests: Counter,
    /// Requests that were repeated because there was no reply, or a reply with status 429 or 5xx.
    pub retries: Counter,
    /// Replies with status 500: faults that the server does not recognize as outages.
    pub internal_errors: Counter,
    /// Orders that were sent again after they had been acknowledged.
    pub repeats: Counter,
    /// Replies with the header `Idempotency-Replayed`, after retries and repeats.
    pub replays: Counter,
    pub refusals: Counter,
    pub pdfs: Counter,
}

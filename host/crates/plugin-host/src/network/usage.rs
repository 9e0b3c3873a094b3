//! The network budget of one call.
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Maximum number of concurrent requests of one call.
const MAX_CONCURRENT_REQUESTS: usize = 16;

/// Maximum number of log lines about the requests of one call.
const MAX_LOG_LINES: u32 = 20;

/// The requests and bytes that one call may still send and receive. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Budget(Arc<Remaining>);

struct Remaining {
    requests: AtomicU32,
    sent: AtomicU64,
    received: AtomicU64,
    max_response_bytes: u64,
    concurrent: Arc<Semaphore>,
    lines: AtomicU32,
}

impl Budget {
    /// Creates the budget of one call. All responses together may have twice `max_response_bytes`, because an API may
    /// return the same picture inside a document and again as a file. All request bodies together may have the same
    /// size.
    pub(crate) fn new(requests: u32, max_response_bytes: u64) -> Self {
        Self(Arc::new(Remaining {
            requests: AtomicU32::new(requests),
            sent: AtomicU64::new(2 * max_response_bytes),
            received: AtomicU64::new(2 * max_response_bytes),
            max_response_bytes,
            concurrent: Arc::new(Semaphore::new(MAX_CONCURRENT_REQUESTS)),
            lines: AtomicU32::new(MAX_LOG_LINES),
        }))
    }

    /// Takes one request from the budget. It counts as running until the permit is dropped. An error names the limit
    /// that is reached.
    pub(super) fn request(&self) -> Result<OwnedSemaphorePermit, &'static str> {
        if !take(&self.0.requests) {
            return Err("the call has reached its limit of requests");
        }
        let permit = self.0.concurrent.clone().try_acquire_owned();
        permit.map_err(|_| "the call has reached the limit of 16 concurrent requests")
    }

    pub(super) fn max_response_bytes(&self) -> u64 {
        self.0.max_response_bytes
    }

    pub(super) fn receive(&self, bytes: u64) -> bool {
        take_bytes(&self.0.received, bytes)
    }

    pub(super) fn send(&self, bytes: u64) -> bool {
        take_bytes(&self.0.sent, bytes)
    }

    pub(super) fn may_log(&self) -> bool {
        take(&self.0.lines)
    }
}

fn take(left: &AtomicU32) -> bool {
    let one_less = |left: u32| left.checked_sub(1);
    left.try_update(Ordering::Relaxed, Ordering::Relaxed, one_less).is_ok()
}

fn take_bytes(left: &AtomicU64, bytes: u64) -> bool {
    let less = |left: u64| left.checked_sub(bytes);
    left.try_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_number_of_requests_of_a_call_is_limited() {
        let budget = Budget::new(2, 10);
        let first = budget.request();
        assert!(first.is_ok() && budget.request().is_ok());
        assert!(budget.request().is_err());
    }

    #[test]
    fn a_call_has_at_most_sixteen_concurrent_requests() {
        let budget = Budget::new(100, 10);
        let mut permits: Vec<_> = (0..16).map(|_| budget.request().unwrap()).collect();
        assert!(budget.request().unwrap_err().contains("concurrent"));
        permits.pop();
        assert!(budget.request().is_ok());
    }

    #[test]
    fn bytes_are_counted_over_all_requests() {
        let budget = Budget::new(1, 10);
        assert!(budget.receive(20) && !budget.receive(1));
        assert!(budget.send(20) && !budget.send(1));
    }
}

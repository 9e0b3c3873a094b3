use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Requests of one call that may be under way.
const AT_A_TIME: usize = 16;

/// Lines that one call may have logged about its requests.
const LOG_LINES: u32 = 20;

/// What one call may still send and receive. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Budget(Arc<Left>);

struct Left {
    requests: AtomicU32,
    sent: AtomicU64,
    received: AtomicU64,
    largest_response: u64,
    places: Arc<Semaphore>,
    lines: AtomicU32,
}

impl Budget {
    /// `response` is the size of one response in bytes. Together they may be twice that, and so may all that is sent: a
    /// picture may come in a document first, and then as itself.
    pub(crate) fn new(requests: u32, response: u64) -> Self {
        Self(Arc::new(Left {
            requests: AtomicU32::new(requests),
            sent: AtomicU64::new(2 * response),
            received: AtomicU64::new(2 * response),
            largest_response: response,
            places: Arc::new(Semaphore::new(AT_A_TIME)),
            lines: AtomicU32::new(LOG_LINES),
        }))
    }

    /// Takes one request, which lasts until the permit is dropped; an error says which limit is reached.
    pub(super) fn request(&self) -> Result<OwnedSemaphorePermit, &'static str> {
        if !take(&self.0.requests) {
            return Err("the call has made as many requests as it may");
        }
        let place = self.0.places.clone().try_acquire_owned();
        place.map_err(|_| "the call has 16 requests under way, which is as many as it may")
    }

    pub(super) fn largest_response(&self) -> u64 {
        self.0.largest_response
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
    fn a_call_has_so_many_requests_and_no_more() {
        let budget = Budget::new(2, 10);
        let first = budget.request();
        assert!(first.is_ok() && budget.request().is_ok());
        assert!(budget.request().is_err());
    }

    #[test]
    fn a_call_has_sixteen_requests_under_way() {
        let budget = Budget::new(100, 10);
        let mut under_way: Vec<_> = (0..16).map(|_| budget.request().unwrap()).collect();
        assert!(budget.request().unwrap_err().contains("under way"));
        under_way.pop();
        assert!(budget.request().is_ok());
    }

    #[test]
    fn bytes_are_counted_over_all_requests() {
        let budget = Budget::new(1, 10);
        assert!(budget.receive(20) && !budget.receive(1));
        assert!(budget.send(20) && !budget.send(1));
    }
}

//! The memory limit for drawings in transfer from guests to the host.
use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A limit for the memory of drawings in transfer from guests to the host, shared by all image providers. Cheap to
/// clone.
///
/// Plans and leaves are not counted: they have a few MiB each, and only a few are in transfer at a time.
#[derive(Clone, Debug)]
pub(crate) struct Responses {
    mib: u32,
    free_mib: Arc<Semaphore>,
}

impl Responses {
    pub(crate) fn new(mib: u32) -> Self {
        let mib = mib.max(1);
        Self {
            mib,
            free_mib: Arc::new(Semaphore::new(mib as usize)),
        }
    }

    /// Waits until this many bytes are free, and reserves them until the permit is dropped. A request for more than the
    /// total limit waits for the total limit.
    pub(crate) async fn reserve(&self, bytes: usize) -> OwnedSemaphorePermit {
        let mib = u32::try_from(bytes.div_ceil(1 << 20)).unwrap_or(u32::MAX).min(self.mib);
        let reserved = self.free_mib.clone().acquire_many_owned(mib).await;
        reserved.expect("the semaphore is never closed")
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn drawings_share_the_limit() {
        let responses = Responses::new(10);
        let six = responses.reserve(6 << 20).await;
        assert!(responses.reserve((4 << 20) + 1).now_or_never().is_none());
        let _four = responses.reserve(4 << 20).await;
        drop(six);
        assert!(responses.reserve(6 << 20).now_or_never().is_some());
    }

    #[tokio::test]
    async fn a_drawing_larger_than_the_limit_reserves_all_of_it() {
        let responses = Responses::new(10);
        let all = responses.reserve(1 << 30).await;
        assert!(responses.reserve(1).now_or_never().is_none());
        drop(all);
        assert!(responses.reserve(1).now_or_never().is_some());
    }
}

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Room for the drawings that are being handed over, shared by all image providers. Cheap to clone.
///
/// Plans and leaves need none: a few MiB each, and few at a time.
#[derive(Clone, Debug)]
pub(crate) struct Responses {
    mib: u32,
    room: Arc<Semaphore>,
}

impl Responses {
    pub(crate) fn new(mib: u32) -> Self {
        let mib = mib.max(1);
        Self {
            mib,
            room: Arc::new(Semaphore::new(mib as usize)),
        }
    }

    /// Waits until there is room for so many bytes, and takes it until the permit is dropped. What is more than all the
    /// room there is waits for all of it.
    pub(crate) async fn room_for(&self, bytes: usize) -> OwnedSemaphorePermit {
        let mib = u32::try_from(bytes.div_ceil(1 << 20)).unwrap_or(u32::MAX).min(self.mib);
        let room = self.room.clone().acquire_many_owned(mib).await;
        room.expect("the semaphore is never closed")
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn drawings_share_the_room() {
        let responses = Responses::new(10);
        let six = responses.room_for(6 << 20).await;
        assert!(responses.room_for((4 << 20) + 1).now_or_never().is_none());
        let _four = responses.room_for(4 << 20).await;
        drop(six);
        assert!(responses.room_for(6 << 20).now_or_never().is_some());
    }

    #[tokio::test]
    async fn one_that_may_be_larger_than_the_room_has_it_alone() {
        let responses = Responses::new(10);
        let all = responses.room_for(1 << 30).await;
        assert!(responses.room_for(1).now_or_never().is_none());
        drop(all);
        assert!(responses.room_for(1).now_or_never().is_some());
    }
}

//! A result that concurrent callers share, and that is used again for a while.
use std::time::Duration;

use tokio::sync::Mutex;

use crate::clock::{Clock, Timestamp};

/// The time and the result of the last lookup.
#[derive(Debug)]
pub struct Recent<T>(Mutex<Option<(Timestamp, T)>>);

impl<T> Default for Recent<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<T: Clone> Recent<T> {
    /// Returns the last result if it is not older than its lifetime, or else looks it up. An error is not used again.
    pub async fn get_or<E>(
        &self,
        clock: &Clock,
        lifetime: Duration,
        lookup: impl Future<Output = Result<T, E>>,
    ) -> Result<T, E> {
        // Concurrent callers wait for this lookup and then share its result.
        let mut last = self.0.lock().await;
        let now = clock.now();
        // The clock may have been set back.
        if let Some((at, result)) = &*last
            && *at <= now
            && now.since(*at) < lifetime
        {
            return Ok(result.clone());
        }
        let result = lookup.await?;
        // The time of its end: for callers that waited for a long lookup, the result would otherwise be too old.
        *last = Some((clock.now(), result.clone()));
        Ok(result)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIFETIME: Duration = Duration::from_secs(10);

    #[tokio::test]
    async fn a_result_is_used_again_until_its_lifetime_ends() {
        let clock = Clock::fixed(Timestamp::from_microseconds(0));
        let recent = Recent::default();
        let get = async |value: Result<u8, u8>| recent.get_or(&clock, LIFETIME, async { value }).await;
        assert_eq!(get(Err(1)).await, Err(1));
        assert_eq!(get(Ok(2)).await, Ok(2));
        clock.advance(Duration::from_secs(9));
        assert_eq!(get(Ok(3)).await, Ok(2));
        clock.advance(Duration::from_secs(1));
        assert_eq!(get(Ok(4)).await, Ok(4));
    }

    #[tokio::test]
    async fn concurrent_callers_share_a_lookup() {
        let clock = Clock::fixed(Timestamp::from_microseconds(0));
        let recent = Recent::default();
        let get = async |value: u8| {
            let lookup = async {
                tokio::task::yield_now().await;
                Ok::<_, ()>(value)
            };
            recent.get_or(&clock, LIFETIME, lookup).await
        };
        let (one, other) = tokio::join!(get(1), get(2));
        assert_eq!((one, other), (Ok(1), Ok(1)));
    }
}

//! A cached check that a resource is writable.
use std::time::Duration;

use tokio::sync::Mutex;

use crate::clock::Timestamp;
use crate::error::{Error, Result};

/// The time for which a result is reused, so that frequent health checks do not make the server write all the time.
const RESULT_LIFETIME: Duration = Duration::from_secs(5);

/// The time limit of one attempt: a network file system whose server is gone never responds.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(5);

/// The time and the result of the last attempt.
#[derive(Debug, Default)]
pub(crate) struct Probe(Mutex<Option<(Timestamp, bool)>>);

impl Probe {
    /// Returns true when the attempt succeeds, or succeeded in the last seconds. The reason of a failure is logged.
    pub(crate) async fn works(&self, what: &str, now: Timestamp, attempt: impl Future<Output = Result<()>>) -> bool {
        // Concurrent callers wait for this attempt and then share its result.
        let mut last = self.0.lock().await;
        // The clock may have been set back.
        if let Some((_, found)) = last.filter(|(at, _)| *at <= now && now.since(*at) < RESULT_LIFETIME) {
            return found;
        }
        let worked = tokio::time::timeout(ATTEMPT_TIMEOUT, attempt).await;
        let worked = worked.unwrap_or_else(|_| Err(Error::internal("the write did not complete within 5 seconds")));
        if let Err(error) = &worked {
            tracing::warn!(what, error = error.for_operator(), "resource is not writable");
        }
        *last = Some((now, worked.is_ok()));
        worked.is_ok()
    }
}

//! Whether something can be written at this moment.
use std::time::Duration;

use tokio::sync::Mutex;

use crate::clock::Timestamp;
use crate::error::{Error, Result};

/// How long what was found holds: whoever asks more often must not make the server write all the time.
const HOLDS: Duration = Duration::from_secs(5);

/// What takes longer than this is of no use: a network file system whose server is gone never responds.
const PATIENCE: Duration = Duration::from_secs(5);

/// What was found last, and when.
#[derive(Debug, Default)]
pub(crate) struct Probe(Mutex<Option<(Timestamp, bool)>>);

impl Probe {
    /// Whether it worked just now, or some seconds ago. Why not, the log says.
    pub(crate) async fn works(&self, what: &str, now: Timestamp, attempt: impl Future<Output = Result<()>>) -> bool {
        // Whoever comes meanwhile waits for the one who looks.
        let mut last = self.0.lock().await;
        // A clock may be set back.
        if let Some((_, found)) = last.filter(|(at, _)| *at <= now && now.since(*at) < HOLDS) {
            return found;
        }
        let worked = tokio::time::timeout(PATIENCE, attempt).await;
        let worked = worked.unwrap_or_else(|_| Err(Error::internal("there is no response")));
        if let Err(error) = &worked {
            tracing::warn!(what, error = error.for_operator(), "it cannot be written");
        }
        *last = Some((now, worked.is_ok()));
        worked.is_ok()
    }
}

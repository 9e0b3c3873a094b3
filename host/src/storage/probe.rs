//! Whether objects can be written at this moment.
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::Mutex;

use super::{PROBE, Storage};
use crate::clock::Timestamp;
use crate::error::{Error, Result};

/// How long what was found holds: whoever asks more often must not make the store write all the time.
const HOLDS: Duration = Duration::from_secs(5);

/// A store that takes longer than this is of no use: a network file system whose server is gone never responds.
const PATIENCE: Duration = Duration::from_secs(5);

/// What was found last, and when.
#[derive(Debug, Default)]
pub(super) struct Probes(Mutex<Option<(Timestamp, bool)>>);

impl Storage {
    /// Whether a small object could be written and deleted just now, or some seconds ago. Why not, the log says.
    pub async fn is_writable(&self, now: Timestamp) -> bool {
        // Whoever comes meanwhile waits for the one who looks.
        let mut last = self.probes.0.lock().await;
        // A clock may be set back.
        if let Some((_, found)) = last.filter(|(at, _)| *at <= now && now.since(*at) < HOLDS) {
            return found;
        }
        let written = tokio::time::timeout(PATIENCE, self.probe()).await;
        let written = written.unwrap_or_else(|_| Err(Error::internal("the object store does not respond")));
        if let Err(error) = &written {
            tracing::warn!(cause = error.cause(), "no object can be written");
        }
        *last = Some((now, written.is_ok()));
        written.is_ok()
    }

    /// Nodes that do so at the same time do not mind each other: nothing is read.
    async fn probe(&self) -> Result<()> {
        self.put(PROBE, Bytes::from_static(b"probe")).await?;
        self.delete(PROBE).await
    }
}

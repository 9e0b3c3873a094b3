//! Checks that objects can be written.
use bytes::Bytes;

use super::{PROBE_KEY, Storage};
use crate::clock::Timestamp;
use crate::error::Result;

impl Storage {
    /// Returns true when a small object can be written and deleted, or could be in the last seconds.
    pub async fn is_writable(&self, now: Timestamp) -> bool {
        self.probe.works("the object store", now, self.check_writing()).await
    }

    /// Writes and deletes the probe object. Concurrent nodes do not disturb each other, because none reads it.
    pub async fn check_writing(&self) -> Result<()> {
        self.check_mark().await?;
        self.put(PROBE_KEY, Bytes::from_static(b"probe")).await?;
        self.delete(PROBE_KEY).await
    }
}

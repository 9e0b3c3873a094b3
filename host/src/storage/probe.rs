//! Whether objects can be written at this moment.
use bytes::Bytes;

use super::{PROBE, Storage};
use crate::clock::Timestamp;
use crate::error::Result;

impl Storage {
    /// Whether a small object could be written and deleted just now, or some seconds ago.
    pub async fn is_writable(&self, now: Timestamp) -> bool {
        self.probe.works("the object store", now, self.try_writing()).await
    }

    /// Nodes that do so at the same time do not mind each other: nothing is read.
    async fn try_writing(&self) -> Result<()> {
        self.put(PROBE, Bytes::from_static(b"probe")).await?;
        self.delete(PROBE).await
    }
}

//! Options of a single call.
use std::time::Duration;

use tokio::sync::watch;

/// The progress of a call, in units that the plugin chooses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    pub done: u32,
    pub total: u32,
}

/// Options of a single call.
#[derive(Clone, Debug, Default)]
pub struct CallOptions {
    /// Replaces the deadline of the manifest.
    pub deadline: Option<Duration>,
    /// Receives the plugin's progress reports.
    pub progress: Option<watch::Sender<Option<Progress>>>,
}

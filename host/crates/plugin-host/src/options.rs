//! What a single call is given beside its request.
use std::time::Duration;

use tokio::sync::watch;

/// How far a call is, as the plugin counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    pub done: u32,
    pub total: u32,
}

/// What a single call is given beside its request.
#[derive(Clone, Debug, Default)]
pub struct CallOptions {
    /// In place of the deadline of the manifest.
    pub deadline: Option<Duration>,
    /// Is sent what the plugin reports.
    pub progress: Option<watch::Sender<Option<Progress>>>,
}

//! The deadline of a call. A plugin that returns before its deadline can report the reason of a failure; a plugin that
//! the host stops cannot.

use std::time::{Duration, Instant};

/// The moment by which a call should return. All requests and pauses of the call share it.
#[derive(Clone, Copy, Debug)]
pub struct Deadline(Instant);

impl Deadline {
    pub fn after(time: Duration) -> Self {
        Self(now() + time)
    }

    pub fn after_seconds(seconds: u32) -> Self {
        Self::after(Duration::from_secs(seconds.into()))
    }

    /// The remaining time, or zero if the deadline has passed.
    pub fn remaining(&self) -> Duration {
        self.0.saturating_duration_since(now())
    }

    pub fn has_passed(&self) -> bool {
        self.remaining().is_zero()
    }
}

fn now() -> Instant {
    #[cfg(target_family = "wasm")]
    return Instant::now();
    #[cfg(not(target_family = "wasm"))]
    return Instant::now() + crate::doubles::slept();
}

/// Sleeps. In native tests, only the test's clock advances.
pub(crate) fn sleep(time: Duration) {
    #[cfg(target_family = "wasm")]
    std::thread::sleep(time);
    #[cfg(not(target_family = "wasm"))]
    crate::doubles::sleep(time);
}

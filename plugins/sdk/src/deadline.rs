//! How long a call may take: a plugin that ends in time can say why, one that is stopped cannot.

use std::time::{Duration, Instant};

/// The moment when a call should be over. What a call sends and waits for shares it.
#[derive(Clone, Copy, Debug)]
pub struct Deadline(Instant);

impl Deadline {
    pub fn after(time: Duration) -> Self {
        Self(now() + time)
    }

    pub fn after_seconds(seconds: u32) -> Self {
        Self::after(Duration::from_secs(seconds.into()))
    }

    /// Nothing once it has passed.
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
    return Instant::now() + crate::testing::slept();
}

/// Waits. Natively only the clock of the test moves on.
pub(crate) fn sleep(time: Duration) {
    #[cfg(target_family = "wasm")]
    std::thread::sleep(time);
    #[cfg(not(target_family = "wasm"))]
    crate::testing::sleep(time);
}

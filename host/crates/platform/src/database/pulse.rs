//! The time for which the database has not responded.
use std::io;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use super::Database;
use super::connection::within;
use crate::clock::{Clock, Timestamp};

/// The interval between two pings.
const PING_INTERVAL: Duration = Duration::from_secs(5);

/// The time after which a ping counts as unanswered. A lost connection is noticed earlier.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(30);

/// The time of the first unanswered ping, in microseconds.
#[derive(Debug)]
pub(super) struct Pulse(AtomicI64);

impl Default for Pulse {
    fn default() -> Self {
        Self(AtomicI64::new(Self::RESPONDS))
    }
}

impl Pulse {
    const RESPONDS: i64 = i64::MAX;

    fn ping_sent(&self, now: Timestamp) {
        // Keeps the earliest time. The stored time is later than now only when all pings were answered or the clock was
        // set back.
        self.0.fetch_min(now.microseconds(), Ordering::Relaxed);
    }

    fn ping_answered(&self) {
        self.0.store(Self::RESPONDS, Ordering::Relaxed);
    }

    fn silence(&self, now: Timestamp) -> Duration {
        now.since(Timestamp::from_microseconds(self.0.load(Ordering::Relaxed)))
    }
}

impl Database {
    /// Pings the database every 5 seconds until the future is dropped, and sets a shared clock by its answers.
    pub async fn watch(&self, clock: &Clock) {
        loop {
            self.feel_pulse(clock).await;
            tokio::time::sleep(PING_INTERVAL).await;
        }
    }

    /// Pings the database once. A refusal counts as a response: the database is down or rejects the server, and
    /// restarting the server would not help.
    pub async fn feel_pulse(&self, clock: &Clock) {
        self.pulse.ping_sent(clock.now());
        match within(Some(RESPONSE_TIMEOUT), self.set_clock(clock)).await {
            Err(error) if is_silence(&error) => {
                let seconds = self.silence(clock.now()).as_secs();
                tracing::warn!(%error, seconds, "the database does not respond");
            }
            _ => self.pulse.ping_answered(),
        }
    }

    /// The time for which the database has not responded to `watch`.
    pub fn silence(&self, now: Timestamp) -> Duration {
        self.pulse.silence(now)
    }
}

fn is_silence(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(error) => error.kind() == io::ErrorKind::TimedOut,
        sqlx::Error::PoolTimedOut => true,
        _ => false,
    }
}

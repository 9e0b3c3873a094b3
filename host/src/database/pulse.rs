//! How long the database has been silent.
use std::io;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use super::Database;
use super::connection::within;
use crate::clock::{Clock, Timestamp};

/// How often the database is asked.
const INTERVAL: Duration = Duration::from_secs(5);

/// The time after which a question has no response. A connection that is lost is noticed before.
const NO_RESPONSE: Duration = Duration::from_secs(30);

/// The moment of the first question that is without a response.
#[derive(Debug)]
pub(super) struct Pulse(AtomicI64);

impl Default for Pulse {
    fn default() -> Self {
        Self(AtomicI64::new(Self::RESPONDS))
    }
}

impl Pulse {
    const RESPONDS: i64 = i64::MAX;

    fn asked(&self, now: Timestamp) {
        // The first one stays. In the future it is only where a clock was set back, or where all is well.
        self.0.fetch_min(now.microseconds(), Ordering::Relaxed);
    }

    fn responded(&self) {
        self.0.store(Self::RESPONDS, Ordering::Relaxed);
    }

    fn silence(&self, now: Timestamp) -> Duration {
        now.since(Timestamp::from_microseconds(self.0.load(Ordering::Relaxed)))
    }
}

impl Database {
    /// Asks the database every few seconds, until it is dropped.
    pub async fn watch(&self, clock: &Clock) {
        loop {
            self.feel_pulse(clock).await;
            tokio::time::sleep(INTERVAL).await;
        }
    }

    /// Asks once. A refusal is a response: the database is down, or does not let the server in, and a restart of the server
    /// would not help.
    pub async fn feel_pulse(&self, clock: &Clock) {
        self.pulse.asked(clock.now());
        match within(Some(NO_RESPONSE), self.ping()).await {
            Err(error) if is_silence(&error) => {
                let seconds = self.silence(clock.now()).as_secs();
                tracing::warn!(%error, seconds, "the database does not respond");
            }
            _ => self.pulse.responded(),
        }
    }

    /// How long the database has not responded to `watch`.
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

//! Time. All code reads the clock of `App`, so that tests can fix it.
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::{Duration, Instant};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A moment in microseconds since 1970 in UTC. Serialized as RFC 3339 with milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, sqlx::Type)]
#[sqlx(transparent)]
pub struct Timestamp(i64);

impl Timestamp {
    pub const MAX: Self = Self(i64::MAX);

    pub const fn from_microseconds(microseconds: i64) -> Self {
        Self(microseconds)
    }

    pub const fn microseconds(self) -> i64 {
        self.0
    }

    pub const fn milliseconds(self) -> i64 {
        self.0 / 1000
    }

    pub fn plus(self, duration: Duration) -> Self {
        Self(
            self.0
                .saturating_add(i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)),
        )
    }

    /// The time from `earlier` to this moment; zero when `earlier` is later.
    pub fn since(self, earlier: Self) -> Duration {
        Duration::from_micros(u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0))
    }

    pub fn minus(self, duration: Duration) -> Self {
        Self(
            self.0
                .saturating_sub(i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)),
        )
    }
}

impl From<Timestamp> for jiff::Timestamp {
    fn from(time: Timestamp) -> Self {
        // Only a damaged database holds a time outside jiff's range (the years -9999 to 9999).
        Self::from_microsecond(time.0).unwrap_or(Self::UNIX_EPOCH)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:.3}", jiff::Timestamp::from(*self))
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let time: jiff::Timestamp = text.parse().map_err(de::Error::custom)?;
        Ok(Self(time.as_microsecond()))
    }
}

/// The source of the current time.
#[derive(Clone, Debug)]
pub enum Clock {
    System,
    /// The system's clock plus a constant: simulates a machine whose clock is wrong.
    Ahead(Duration),
    /// Agrees with the clock that all nodes share (`Database::shared_clock`).
    Shared(SharedClock),
    /// Does not move until a test calls `advance`.
    Fixed(Arc<AtomicI64>),
}

/// A clock that is set by the clock that all nodes share, and moves by this machine's steady clock in between. So it is
/// right on a machine whose own time is wrong, or jumps.
#[derive(Clone, Debug)]
pub struct SharedClock {
    /// The clock of this machine, for comparison.
    machine: Box<Clock>,
    began: Instant,
    /// The shared time at `began`, in microseconds.
    time_at_begin: Arc<AtomicI64>,
}

impl SharedClock {
    /// A clock on a machine with this clock that shows `shared` at this moment.
    pub(crate) fn new(machine: Clock, shared: Timestamp) -> Self {
        Self {
            machine: Box::new(machine),
            began: Instant::now(),
            time_at_begin: Arc::new(AtomicI64::new(shared.microseconds())),
        }
    }

    fn at(&self, moment: Instant) -> Timestamp {
        Timestamp(self.time_at_begin.load(Ordering::SeqCst)).plus(moment.duration_since(self.began))
    }

    /// Sets the clock, if it is wrong, by the shared time at some moment between two others.
    pub(crate) fn set(&self, before: Instant, shared: Timestamp, after: Instant) {
        let (earliest, latest) = (self.at(before), self.at(after));
        let is_behind_by = shared.0.saturating_sub(latest.0).max(0);
        let is_ahead_by = earliest.0.saturating_sub(shared.0).max(0);
        self.time_at_begin
            .fetch_add(is_behind_by.saturating_sub(is_ahead_by), Ordering::SeqCst);
    }
}

impl Clock {
    pub fn fixed(at: Timestamp) -> Self {
        Self::Fixed(Arc::new(AtomicI64::new(at.microseconds())))
    }

    pub fn now(&self) -> Timestamp {
        match self {
            #[expect(clippy::disallowed_methods, reason = "the one place that reads the system's clock")]
            Self::System => Timestamp(jiff::Timestamp::now().as_microsecond()),
            Self::Ahead(by) => Self::System.now().plus(*by),
            Self::Shared(clock) => clock.at(Instant::now()),
            Self::Fixed(microseconds) => Timestamp(microseconds.load(Ordering::SeqCst)),
        }
    }

    /// The time of this machine, which may be wrong.
    pub fn machine_time(&self) -> Timestamp {
        match self {
            Self::Shared(clock) => clock.machine.machine_time(),
            clock => clock.now(),
        }
    }

    /// Returns true for a clock that a test fixed, which counts as the clock that all nodes share.
    pub(crate) fn is_fixed(&self) -> bool {
        matches!(self, Self::Fixed(_))
    }

    /// Moves a fixed clock forward; does nothing to the other clocks.
    pub fn advance(&self, by: Duration) {
        if let Self::Fixed(microseconds) = self {
            microseconds.fetch_add(i64::try_from(by.as_micros()).unwrap_or(i64::MAX), Ordering::SeqCst);
        }
    }
}

/// A duration in microseconds, the unit in which the database stores durations.
pub fn microseconds(duration: Duration) -> i64 {
    i64::try_from(duration.as_micros()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_written_with_milliseconds_in_utc() {
        let time = Timestamp::from_microseconds(1_795_000_000_123_456);
        assert_eq!(time.to_string(), "2026-11-18T11:06:40.123Z");
        assert_eq!(Timestamp::from_microseconds(0).to_string(), "1970-01-01T00:00:00.000Z");
    }

    #[test]
    fn a_shared_clock_is_set_only_by_a_time_that_proves_it_wrong() {
        let hour = Duration::from_secs(3600);
        let shared = Timestamp::from_microseconds(1_795_000_000_000_000);
        let clock = SharedClock::new(Clock::Ahead(hour), shared);
        let second = Duration::from_secs(1);
        let (before, after) = (clock.began + second, clock.began + 3 * second);
        clock.set(before, shared.plus(2 * second), after);
        assert_eq!(clock.at(before), shared.plus(second), "no proof");
        clock.set(before, shared.plus(hour), after);
        assert_eq!(clock.at(after), shared.plus(hour), "it was behind");
        clock.set(before, shared, after);
        assert_eq!(clock.at(before), shared, "it was ahead");
        let clock = Clock::Shared(clock);
        assert!(clock.machine_time().since(Clock::System.now()) > hour / 2);
    }

    #[test]
    fn a_time_that_was_read_is_written_as_it_was() {
        let text = "\"2026-11-18T11:06:40.123Z\"";
        let time: Timestamp = serde_json::from_str(text).unwrap();
        assert_eq!(time, Timestamp::from_microseconds(1_795_000_000_123_000));
        assert_eq!(serde_json::to_string(&time).unwrap(), text);
        assert!(serde_json::from_str::<Timestamp>("\"yesterday\"").is_err());
    }
}

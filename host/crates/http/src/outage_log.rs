//! Rate limiting of log lines for requests that fail because a part that the server needs is unavailable.
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use linepress_platform::clock::Timestamp;

/// The shortest time between two lines with the same cause.
const INTERVAL: Duration = Duration::from_secs(1);

/// Permits one line a second for each outage: while the database is down every request fails, and when the disk is full
/// the log must not fill it further.
#[derive(Clone, Debug, Default)]
pub struct OutageLog(Arc<Mutex<Last>>);

#[derive(Debug, Default)]
struct Last {
    at: Option<Timestamp>,
    cause: String,
    /// The number of failed requests since the last line that were not logged.
    others: u64,
}

impl OutageLog {
    /// Returns the number of unlogged requests since the last line if this request is to be logged; otherwise `None`.
    pub(super) fn line(&self, now: Timestamp, cause: &str) -> Option<u64> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_due = last.at.is_none_or(|at| now < at || now.since(at) >= INTERVAL);
        if !is_due && last.cause == cause {
            last.others += 1;
            return None;
        }
        let others = std::mem::take(&mut last.others);
        last.at = Some(now);
        cause.clone_into(&mut last.cause);
        Some(others)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_cause_is_logged_once_a_second_with_the_number_of_others() {
        let log = OutageLog::default();
        let at = |milliseconds: i64| Timestamp::from_microseconds(milliseconds * 1000);
        assert_eq!(log.line(at(0), "refused"), Some(0));
        assert_eq!(log.line(at(10), "refused"), None);
        assert_eq!(log.line(at(999), "refused"), None);
        assert_eq!(log.line(at(1000), "refused"), Some(2));
        assert_eq!(log.line(at(1001), "the disk is full"), Some(0));
        assert_eq!(log.line(at(1002), "the disk is full"), None);
        // The clock was set back.
        assert_eq!(log.line(at(5), "the disk is full"), Some(1));
    }
}

//! The usual durations of a plugin's functions, which decide on which thread a call starts.
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The duration below which a call is brief: about twice what it takes to wake a thread on an idle processor of a
/// virtual machine and to return from it.
const MAX_BRIEF_CALL_DURATION: Duration = Duration::from_micros(200);

/// The latest call has one part of this many in the average. A single long call makes the following ones start on the
/// guests' threads until the average is low again.
const AVERAGE_WEIGHT_DIVISOR: u32 = 4;

/// A moving average of the durations of each function that was called.
#[derive(Default)]
pub(crate) struct Durations(Mutex<Vec<(&'static str, Duration)>>);

/// A running call. Its duration is added when this value is dropped, so that a call counts as well if it reached its
/// deadline or its caller stopped waiting.
pub(super) struct Timing {
    durations: Arc<Durations>,
    function: &'static str,
    began: Instant,
}

impl Drop for Timing {
    fn drop(&mut self) {
        self.durations.add(self.function, self.began.elapsed());
    }
}

impl Durations {
    /// Returns true if calls of this function are usually over before another thread would have begun with them. A
    /// function that was never called is not expected to be brief.
    pub(super) fn is_brief(&self, function: &str) -> bool {
        let averages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let average = averages.iter().find(|(name, _)| *name == function);
        average.is_some_and(|(_, average)| *average <= MAX_BRIEF_CALL_DURATION)
    }

    /// Begins to measure a call.
    pub(super) fn timing(self: &Arc<Self>, function: &'static str) -> Timing {
        Timing {
            durations: self.clone(),
            function,
            began: Instant::now(),
        }
    }

    /// Adds the duration of a call to the average.
    fn add(&self, function: &'static str, took: Duration) {
        let mut averages = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match averages.iter_mut().find(|(name, _)| *name == function) {
            Some((_, average)) => *average = (*average * (AVERAGE_WEIGHT_DIVISOR - 1) + took) / AVERAGE_WEIGHT_DIVISOR,
            // A plugin has few functions.
            None => averages.push((function, took)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BRIEF: Duration = Duration::from_micros(20);
    const LONG: Duration = Duration::from_millis(5);

    #[test]
    fn a_function_is_brief_after_brief_calls_only() {
        let durations = Durations::default();
        assert!(!durations.is_brief("plan"));
        durations.add("plan", BRIEF);
        assert!(durations.is_brief("plan"));
        assert!(!durations.is_brief("draw"));
    }

    #[test]
    fn one_long_call_counts_more_than_several_brief_ones() {
        let durations = Durations::default();
        for _ in 0..100 {
            durations.add("draw", BRIEF);
        }
        durations.add("draw", LONG);
        for _ in 0..4 {
            durations.add("draw", BRIEF);
            assert!(!durations.is_brief("draw"));
        }
        for _ in 0..20 {
            durations.add("draw", BRIEF);
        }
        assert!(durations.is_brief("draw"));
    }

    #[test]
    fn a_call_that_is_dropped_after_a_long_time_counts() {
        let durations = Arc::new(Durations::default());
        durations.add("draw", BRIEF);
        assert!(durations.is_brief("draw"));
        let mut timing = durations.timing("draw");
        timing.began = timing.began.checked_sub(LONG).unwrap();
        assert!(durations.is_brief("draw"));
        drop(timing);
        assert!(!durations.is_brief("draw"));
    }
}

//! The first calls of versions of plugins on this node: a new version whose first calls all fail by its own fault is
//! rolled back, where the operator said so.
use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use linepress_plugin_host::PluginVersion;
use tokio::sync::Notify;

/// The number of calls, from the first one on, that must fail by the fault of a version without one that succeeds.
pub const FAULTS_BEFORE_ROLLBACK: u32 = 3;

/// The maximum time for which an attempt waits for a rollback: long enough to load a version that was compiled before.
const ROLLBACK_TIMEOUT: Duration = Duration::from_secs(30);

/// The number of versions that are remembered.
const MAX_VERSIONS: usize = 1_000;

/// The first calls of each version, counted anew when it is loaded again: after a rollback the operator may install it
/// again.
#[derive(Debug, Default)]
pub struct PluginTrials {
    state: Mutex<State>,
    /// True while a task rolls back. Without one, nothing waits for it.
    is_followed: AtomicBool,
    failed: Notify,
    ended: Notify,
}

#[derive(Debug, Default)]
struct State {
    trials: HashMap<PluginVersion, Trial>,
    waiting: VecDeque<FailedTrial>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trial {
    /// Only failures so far.
    Open {
        faults: u32,
    },
    /// A call has succeeded.
    Passed,
    /// The task of the node decides whether the version is rolled back.
    Failed,
    RolledBack,
    /// It failed, and stays in use.
    Kept,
}

/// The end of a trial that failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrialEnd {
    /// An earlier version is in use.
    RolledBack,
    /// The version stays in use.
    Kept,
    /// The rollback failed for a reason that may pass, or the settings do not ask for one. Further failures of the version
    /// lead to another decision.
    Undecided,
}

/// A version whose first calls failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedTrial {
    pub version: PluginVersion,
    /// The failure of the last of these calls.
    pub problem: String,
}

impl PluginTrials {
    /// Records a call that succeeded. The trial of its version is over.
    pub fn passed(&self, version: &PluginVersion) {
        let mut state = self.lock();
        let is_over = !matches!(state.trials.get(version), None | Some(Trial::Open { .. }));
        if !is_over {
            state.set(version, Trial::Passed);
        }
    }

    /// Records a call that failed by the fault of its version.
    pub fn failed(&self, version: &PluginVersion, problem: &str) {
        let mut state = self.lock();
        let faults = match state.trials.get(version) {
            None if state.has_passed(version) => return,
            None => 1,
            Some(Trial::Open { faults }) => faults + 1,
            Some(_) => return,
        };
        if faults < FAULTS_BEFORE_ROLLBACK || !self.is_followed.load(Ordering::Relaxed) {
            state.set(version, Trial::Open { faults });
            return;
        }
        state.set(version, Trial::Failed);
        state.waiting.push_back(FailedTrial {
            version: version.clone(),
            problem: problem.to_owned(),
        });
        self.failed.notify_one();
    }

    /// Waits until it is decided whether the version is rolled back, if its first calls failed. Returns true if it was.
    pub async fn was_rolled_back(&self, version: &PluginVersion) -> bool {
        let decided = async {
            loop {
                let ended = self.ended.notified();
                match self.of(version) {
                    Some(Trial::Failed) => ended.await,
                    trial => return trial == Some(Trial::RolledBack),
                }
            }
        };
        tokio::time::timeout(ROLLBACK_TIMEOUT, decided).await.unwrap_or(false)
    }

    /// Waits for a version whose first calls have failed. The caller ends its trial with [`PluginTrials::end`].
    pub async fn next_failed(&self) -> FailedTrial {
        self.is_followed.store(true, Ordering::Relaxed);
        loop {
            if let Some(failed) = self.lock().waiting.pop_front() {
                return failed;
            }
            self.failed.notified().await;
        }
    }

    /// Ends a trial that failed.
    pub fn end(&self, version: &PluginVersion, end: TrialEnd) {
        let trial = match end {
            TrialEnd::RolledBack => Trial::RolledBack,
            TrialEnd::Kept => Trial::Kept,
            TrialEnd::Undecided => Trial::Open { faults: 0 },
        };
        self.lock().set(version, trial);
        self.ended.notify_waiters();
    }

    fn of(&self, version: &PluginVersion) -> Option<Trial> {
        self.lock().trials.get(version).copied()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// Returns true if a call of this version succeeded when it was loaded before.
    fn has_passed(&self, version: &PluginVersion) -> bool {
        let mut trials = self.trials.iter();
        trials.any(|(other, trial)| *trial == Trial::Passed && other.is_same_version(version))
    }

    fn set(&mut self, version: &PluginVersion, trial: Trial) {
        if self.trials.len() >= MAX_VERSIONS {
            self.trials.retain(|_, trial| *trial == Trial::Failed);
        }
        self.trials.insert(version.clone(), trial);
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    fn version(version: &str) -> PluginVersion {
        PluginVersion {
            id: "acme.flux".into(),
            version: version.into(),
            digest: version.into(),
            load: 1,
        }
    }

    /// Trials that a task follows.
    fn followed() -> PluginTrials {
        let trials = PluginTrials::default();
        assert!(trials.next_failed().now_or_never().is_none());
        trials
    }

    #[tokio::test]
    async fn only_the_first_calls_of_a_version_decide() {
        let trials = followed();
        let (old, new) = (version("1.0.0"), version("2.0.0"));
        trials.passed(&old);
        for _ in 0..FAULTS_BEFORE_ROLLBACK {
            trials.failed(&old, "trapped");
        }
        assert!(trials.next_failed().now_or_never().is_none());
        for _ in 1..FAULTS_BEFORE_ROLLBACK {
            trials.failed(&new, "trapped");
        }
        assert_eq!(trials.was_rolled_back(&new).now_or_never(), Some(false));
        trials.failed(&new, "out of memory");
        let failed = trials.next_failed().now_or_never();
        assert_eq!(
            failed,
            Some(FailedTrial {
                version: new.clone(),
                problem: "out of memory".into()
            })
        );
        assert!(trials.was_rolled_back(&new).now_or_never().is_none());
        trials.end(&new, TrialEnd::RolledBack);
        assert_eq!(trials.was_rolled_back(&new).now_or_never(), Some(true));
        // Calls that began before.
        trials.passed(&new);
        assert_eq!(trials.was_rolled_back(&new).now_or_never(), Some(true));
    }

    #[tokio::test]
    async fn a_version_that_is_loaded_again_has_another_trial_unless_it_passed() {
        let trials = followed();
        let fails_on_load = |version: &str, load: u64| {
            let loaded = PluginVersion {
                load,
                ..self::version(version)
            };
            for _ in 0..FAULTS_BEFORE_ROLLBACK {
                trials.failed(&loaded, "trapped");
            }
            trials.next_failed().now_or_never().map(|failed| failed.version)
        };
        for load in 1..3 {
            let failed = fails_on_load("2.0.0", load).unwrap();
            assert_eq!(failed.load, load);
            trials.end(&failed, TrialEnd::RolledBack);
        }
        trials.passed(&version("1.0.0"));
        assert_eq!(fails_on_load("1.0.0", 2), None);
    }

    #[tokio::test]
    async fn a_rollback_that_failed_is_tried_again() {
        let trials = followed();
        let new = version("2.0.0");
        for _ in 0..2 {
            for _ in 0..FAULTS_BEFORE_ROLLBACK {
                assert!(trials.next_failed().now_or_never().is_none());
                trials.failed(&new, "trapped");
            }
            assert!(trials.next_failed().now_or_never().is_some());
            trials.end(&new, TrialEnd::Undecided);
            assert_eq!(trials.was_rolled_back(&new).now_or_never(), Some(false));
        }
    }

    #[tokio::test]
    async fn nothing_waits_for_a_rollback_without_a_task_that_makes_it() {
        let trials = PluginTrials::default();
        let new = version("2.0.0");
        for _ in 0..2 * FAULTS_BEFORE_ROLLBACK {
            trials.failed(&new, "trapped");
        }
        assert_eq!(trials.was_rolled_back(&new).now_or_never(), Some(false));
    }
}

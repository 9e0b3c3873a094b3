//! Work of which one run takes place at a time.
use std::collections::HashSet;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::Semaphore;

/// Runs work one at a time. A network share whose server is gone blocks the thread that reads it: without this limit,
/// each request would block a further one.
#[derive(Clone, Debug)]
pub struct SingleRun(Arc<Semaphore>);

impl Default for SingleRun {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(1)))
    }
}

impl SingleRun {
    /// Waits for the end of an earlier run, then runs the work and returns its result. Returns `None` after the time
    /// limit, and when the work panics. The work continues after the time limit, or when this future is dropped.
    pub async fn within<T: Send + 'static>(
        &self,
        limit: Duration,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Option<T> {
        let turn = self.0.clone();
        let run = async {
            let permit = turn.acquire_owned().await.ok()?;
            let run = tokio::spawn(async move {
                let result = work.await;
                drop(permit);
                result
            });
            run.await.ok()
        };
        tokio::time::timeout(limit, run).await.ok().flatten()
    }
}

/// Work in the background, of which at most one run for each name takes place at a time.
#[derive(Clone, Debug)]
pub struct NamedRuns<N>(Arc<Mutex<HashSet<N>>>);

impl<N> Default for NamedRuns<N> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<N: Clone + Eq + Hash + Send + 'static> NamedRuns<N> {
    /// Begins the work, unless a run of this name is under way.
    pub fn begin(&self, name: &N, work: impl Future<Output = ()> + Send + 'static) {
        if !self
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(name.clone())
        {
            return;
        }
        let run = Run {
            name: name.clone(),
            all: self.0.clone(),
        };
        tokio::spawn(async move {
            work.await;
            drop(run);
        });
    }

    /// Returns true when no run of any name is under way.
    pub fn is_idle(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }
}

/// A run that is under way until it is dropped.
struct Run<N: Eq + Hash> {
    name: N,
    all: Arc<Mutex<HashSet<N>>>,
}

impl<N: Eq + Hash> Drop for Run<N> {
    fn drop(&mut self) {
        self.all
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&self.name);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::sync::oneshot;

    use super::*;

    const SOON: Duration = Duration::from_millis(20);
    const LONG: Duration = Duration::from_secs(60);

    #[tokio::test]
    async fn work_waits_for_a_run_that_exceeded_its_time_limit() {
        let single = SingleRun::default();
        let (end, ended) = oneshot::channel::<()>();
        let first = single.within(SOON, async move { ended.await.is_ok() }).await;
        assert_eq!(first, None);
        assert_eq!(single.within(SOON, async { 7 }).await, None);
        end.send(()).unwrap();
        assert_eq!(single.within(LONG, async { 7 }).await, Some(7));
    }

    #[tokio::test]
    async fn a_name_has_one_run_at_a_time_and_another_once_it_ended() {
        let runs = NamedRuns::default();
        let begun = Arc::new(AtomicUsize::new(0));
        let (end, ended) = oneshot::channel::<()>();
        let count = || {
            let begun = begun.clone();
            async move {
                begun.fetch_add(1, Ordering::SeqCst);
            }
        };
        runs.begin(&"one", async move { drop(ended.await) });
        for name in ["one", "one", "other"] {
            runs.begin(&name, count());
        }
        tokio::task::yield_now().await;
        assert_eq!(begun.load(Ordering::SeqCst), 1, "only the other name");
        assert!(!runs.is_idle());
        end.send(()).unwrap();
        tokio::task::yield_now().await;
        assert!(runs.is_idle());
        runs.begin(&"one", count());
        tokio::task::yield_now().await;
        assert_eq!(begun.load(Ordering::SeqCst), 2);
    }
}

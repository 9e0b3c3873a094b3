//! Work that cannot be interrupted, of which one run takes place at a time.
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;

/// Runs work one at a time. A network share whose server is gone blocks the thread that reads it: without this limit, each
/// request would block a further one.
#[derive(Clone, Debug)]
pub struct SingleRun(Arc<Semaphore>);

impl Default for SingleRun {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(1)))
    }
}

impl SingleRun {
    /// Waits for the end of an earlier run, then runs the work and returns its result. Returns `None` after the time limit,
    /// and when the work panics. The work continues after the time limit, or when this future is dropped.
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

#[cfg(test)]
mod tests {
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
}

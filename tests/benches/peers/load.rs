//! Throughput: how many times a second several concurrent workers do something.
use std::time::{Duration, Instant};

/// The duration of one side's turn in a round.
const TURN_DURATION: Duration = Duration::from_secs(1);

/// A worker that repeats one action.
pub(crate) trait Worker: Send + 'static {
    fn once(&mut self) -> impl Future<Output = anyhow::Result<()>> + Send;
}

/// Runs all workers for one turn; returns their combined number of actions per second.
pub(crate) async fn per_second<W: Worker>(workers: &mut Vec<W>) -> anyhow::Result<f64> {
    let began = Instant::now();
    let tasks: Vec<_> = workers
        .drain(..)
        .map(|worker| tokio::spawn(work(worker, began + TURN_DURATION)))
        .collect();
    let mut done = 0_u32;
    for task in tasks {
        let (worker, times) = task.await??;
        workers.push(worker);
        done += times;
    }
    Ok(f64::from(done) / began.elapsed().as_secs_f64())
}

async fn work<W: Worker>(mut worker: W, until: Instant) -> anyhow::Result<(W, u32)> {
    let mut times = 0;
    while Instant::now() < until {
        worker.once().await?;
        times += 1;
    }
    Ok((worker, times))
}

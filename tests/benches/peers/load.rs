//! How many times a second something can be done, by several at once.
use std::time::{Duration, Instant};

/// How long one side works in one round.
const TURN: Duration = Duration::from_secs(1);

/// What does one thing again and again.
pub(crate) trait Worker: Send + 'static {
    fn once(&mut self) -> impl Future<Output = anyhow::Result<()>> + Send;
}

/// Lets all of them work for one turn; how many times a second they did it, together.
pub(crate) async fn per_second<W: Worker>(workers: &mut Vec<W>) -> anyhow::Result<f64> {
    let began = Instant::now();
    let tasks: Vec<_> = workers
        .drain(..)
        .map(|worker| tokio::spawn(work(worker, began + TURN)))
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

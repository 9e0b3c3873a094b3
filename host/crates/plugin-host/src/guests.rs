//! The threads on which guests compute: apart from those that serve requests, and behind them.
//!
//! A guest that computes holds its thread until the next tick. On the threads of the server each step of a request would
//! wait for that.
use std::io;
use std::panic;

use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinSet;
use tracing::Instrument as _;
use tracing::instrument::WithSubscriber as _;

/// A runtime of their own.
pub(crate) struct Guests(Option<Runtime>);

impl Guests {
    /// As many threads as there are cores.
    pub(crate) fn start() -> io::Result<Self> {
        let runtime = Builder::new_multi_thread()
            .thread_name("plugin")
            .on_thread_start(stand_back)
            .enable_all()
            .build()?;
        Ok(Self(Some(runtime)))
    }

    /// Runs it there, with the span and the log of whoever waits. Who stops waiting ends it at its next tick.
    pub(crate) async fn run<T: Send + 'static>(&self, work: impl Future<Output = T> + Send + 'static) -> T {
        let runtime = self.0.as_ref().expect("it ends with this value");
        let mut task = JoinSet::new();
        task.spawn_on(work.in_current_span().with_current_subscriber(), runtime.handle());
        match task.join_next().await.expect("there is a task") {
            Ok(done) => done,
            Err(error) => panic::resume_unwind(error.into_panic()),
        }
    }
}

impl Drop for Guests {
    fn drop(&mut self) {
        // Its threads must not be waited for: this may be dropped on a thread of a runtime.
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// On Linux a thread has a priority of its own: where processors are short, requests come first.
#[cfg(target_os = "linux")]
fn stand_back() {
    const NICE: i32 = 10;
    if let Err(error) = rustix::process::nice(NICE) {
        tracing::debug!(%error, "the threads of plugins have the priority of all others");
    }
}

#[cfg(not(target_os = "linux"))]
fn stand_back() {}

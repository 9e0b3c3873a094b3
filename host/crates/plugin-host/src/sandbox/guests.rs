//! The runtime that executes guests, on threads separate from the server's and with a lower priority.
//!
//! A computing guest occupies its thread until the next tick of the engine. On the server's own threads, every step of
//! a request would wait for that.
use std::io;
use std::panic;

use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinSet;
use tracing::Instrument as _;
use tracing::instrument::WithSubscriber as _;

/// A Tokio runtime for guests only.
pub(crate) struct Guests(Option<Runtime>);

impl Guests {
    /// Starts the runtime with one thread per processor core.
    pub(crate) fn start() -> io::Result<Self> {
        let runtime = Builder::new_multi_thread()
            .thread_name("plugin")
            .on_thread_start(lower_priority)
            .enable_all()
            .build()?;
        Ok(Self(Some(runtime)))
    }

    /// Runs the future on this runtime, in the caller's span and with the caller's log subscriber. If the returned
    /// future is dropped, the guest is stopped at its next tick.
    pub(crate) async fn run<T: Send + 'static>(&self, work: impl Future<Output = T> + Send + 'static) -> T {
        let runtime = self.0.as_ref().expect("the runtime is present until drop");
        let mut task = JoinSet::new();
        task.spawn_on(work.in_current_span().with_current_subscriber(), runtime.handle());
        match task.join_next().await.expect("one task was spawned") {
            Ok(done) => done,
            Err(error) => panic::resume_unwind(error.into_panic()),
        }
    }
}

impl Drop for Guests {
    fn drop(&mut self) {
        // Does not wait for the threads: waiting would panic if the value is dropped on a thread of another runtime.
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

/// Lowers the priority of the current thread, so that requests run before guests when the processor is busy. Only Linux
/// has a nice value per thread.
#[cfg(target_os = "linux")]
fn lower_priority() {
    const NICE: i32 = 10;
    if let Err(error) = rustix::process::nice(NICE) {
        tracing::debug!(%error, "the priority of a plugin thread cannot be lowered");
    }
}

#[cfg(not(target_os = "linux"))]
fn lower_priority() {}

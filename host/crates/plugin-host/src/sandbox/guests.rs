//! The runtime that executes guests, on threads separate from the server's and with a lower priority.
//!
//! A computing guest occupies its thread until the next tick of the engine. On the server's own threads, every step of
//! a request would wait for that, and for the whole of an instruction that fills or copies memory. Only a call that is
//! expected to be brief, of a plugin with little memory, starts there, because a change of threads and back takes
//! longer than such a call. Only one call at a time does so: the server's other threads remain for requests.
use std::future::poll_fn;
use std::io;
use std::panic;
use std::task::Poll;

use tokio::runtime::{Builder, Runtime};
use tokio::sync::Semaphore;
use tokio::task::{JoinSet, yield_now};
use tracing::Instrument as _;
use tracing::instrument::WithSubscriber as _;

/// A Tokio runtime for guests only.
pub(crate) struct Guests {
    /// Present until drop.
    runtime: Option<Runtime>,
    /// The permit of the call that is on its caller's thread.
    on_callers_thread: Semaphore,
}

impl Guests {
    /// Starts the runtime with one thread per processor core.
    pub(crate) fn start() -> io::Result<Self> {
        let runtime = Builder::new_multi_thread()
            .thread_name("plugin")
            .on_thread_start(lower_priority)
            .enable_all()
            .build()?;
        Ok(Self {
            runtime: Some(runtime),
            on_callers_thread: Semaphore::new(1),
        })
    }

    /// Runs the future on this runtime, in the caller's span and with the caller's log subscriber. A brief one starts on
    /// the caller's thread, unless another does, and moves when it first waits. A guest that computes waits at the next
    /// tick of the engine, or later if it executes an instruction that fills or copies memory: such an instruction is
    /// never interrupted. If the returned future is dropped, the guest is stopped at the same place.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        is_brief: bool,
        work: impl Future<Output = T> + Send + 'static,
    ) -> T {
        let mut work = Box::pin(work.in_current_span().with_current_subscriber());
        if is_brief && let Ok(permit) = self.on_callers_thread.try_acquire() {
            let polled = poll_fn(|context| Poll::Ready(work.as_mut().poll(context))).await;
            drop(permit);
            if let Poll::Ready(done) = polled {
                // A caller that makes one brief call after another would never wait, and other tasks of its thread
                // would not run.
                yield_now().await;
                return done;
            }
        }
        let runtime = self.runtime.as_ref().expect("the runtime is present until drop");
        let mut task = JoinSet::new();
        task.spawn_on(work, runtime.handle());
        match task.join_next().await.expect("one task was spawned") {
            Ok(done) => done,
            Err(error) => panic::resume_unwind(error.into_panic()),
        }
    }
}

impl Drop for Guests {
    fn drop(&mut self) {
        // Does not wait for the threads: waiting would panic if the value is dropped on a thread of another runtime.
        if let Some(runtime) = self.runtime.take() {
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

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::thread;

    use super::*;

    /// The threads before and after the future waits once.
    async fn threads() -> [Option<String>; 2] {
        let name = || thread::current().name().map(str::to_owned);
        let before = name();
        yield_now().await;
        [before, name()]
    }

    #[tokio::test]
    async fn work_starts_on_the_callers_thread_only_if_it_is_brief_and_continues_on_a_guests() {
        let guests = Guests::start().unwrap();
        let ours = thread::current().name().map(str::to_owned);
        let theirs = Some("plugin".to_owned());
        assert_eq!(guests.run(true, threads()).await, [ours.clone(), theirs.clone()]);
        assert_eq!(guests.run(false, threads()).await, [theirs.clone(), theirs]);
        assert_eq!(
            guests
                .run(true, async { thread::current().name().map(str::to_owned) })
                .await,
            ours
        );
    }

    #[tokio::test]
    async fn one_call_at_a_time_is_on_its_callers_thread() {
        let guests = Arc::new(Guests::start().unwrap());
        let name = || thread::current().name().map(str::to_owned);
        let (ours, theirs) = (name(), Some("plugin".to_owned()));
        let inner = guests.clone();
        // The second call begins while the first is on this thread.
        let both = async move { (name(), inner.run(true, async move { name() }).await) };
        assert_eq!(guests.run(true, both).await, (ours.clone(), theirs));
        assert_eq!(guests.run(true, async move { name() }).await, ours);
    }

    #[tokio::test]
    async fn other_tasks_run_between_brief_calls() {
        let guests = Guests::start().unwrap();
        let other = tokio::spawn(async {});
        for _ in 0..2 {
            guests.run(true, async {}).await;
        }
        assert!(other.is_finished());
    }
}

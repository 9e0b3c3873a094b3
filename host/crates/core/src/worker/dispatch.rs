//! The workers of a process: one task claims drawing jobs, and each attempt runs in its own task.
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

use super::capacity::{Attempt, Capacity, Place};
use super::claim::{Assignment, IDLE_POLL_INTERVAL, next};
use super::trouble::Trouble;
use super::{attempt_within, log, traced};
use linepress_drawings::queue;
use linepress_platform::app::App;
use linepress_platform::error::Error;

/// The workers of this process.
pub struct Workers {
    dispatcher: JoinHandle<()>,
    /// Receives the signals of other nodes.
    listener: JoinHandle<()>,
    stop: watch::Sender<bool>,
}

impl Workers {
    /// Starts the dispatcher. It runs as many attempts at a time as the providers have places.
    pub fn start(app: &App) -> Self {
        Self::start_polling(app, IDLE_POLL_INTERVAL)
    }

    /// Like `start`, with another interval at which an idle dispatcher looks for work that it was not notified of.
    pub fn start_polling(app: &App, idle_poll: Duration) -> Self {
        let (stop, stopped) = watch::channel(false);
        let dispatcher = tokio::spawn(dispatch(app.clone(), stopped, idle_poll));
        let listener = tokio::spawn(listen(app.clone()));
        Self {
            dispatcher,
            listener,
            stop,
        }
    }

    /// Stops claiming and waits for the attempts in progress. Each may take `shutdown_grace` to end, because its
    /// picture may be paid for; after that its drawing goes back to the queue.
    pub async fn stop(self) {
        self.stop.send_replace(true);
        self.listener.abort();
        if let Err(error) = self.dispatcher.await {
            tracing::error!(%error, "the worker task failed before it was stopped");
        }
    }
}

/// Passes the signals of other nodes on to the dispatcher.
async fn listen(app: App) {
    app.database.receive_signals(|| app.queued.notify_waiters()).await;
}

async fn dispatch(app: App, mut stopped: watch::Receiver<bool>, idle_poll: Duration) {
    let capacity = Arc::new(Capacity::new(&app));
    let mut attempts = JoinSet::new();
    let mut trouble = Trouble::default();
    while !*stopped.borrow() {
        while attempts.try_join_next().is_some() {}
        // Subscribed before the queue is read, so that a drawing queued in between wakes this task.
        let queued = app.queued.notified();
        let found = if attempts.len() < capacity.max_attempts(&app) {
            let next = AssertUnwindSafe(next(&app, &capacity, idle_poll));
            // A panic here must not stop the dispatcher.
            next.catch_unwind()
                .await
                .unwrap_or_else(|_| Err(Error::internal("claiming panicked")))
        } else {
            Ok(Err(idle_poll))
        };
        let wait = match found {
            Ok(Ok(assignment)) => {
                trouble.is_over();
                // Taken before the next claim, which would otherwise count this place as free.
                let begun = assignment.provider().map(|provider| capacity.begin(&app, provider));
                attempts.spawn(work(app.clone(), assignment, capacity.clone(), begun, stopped.clone()));
                continue;
            }
            Ok(Err(wait)) => {
                trouble.is_over();
                if wait.is_zero() {
                    continue;
                }
                wait
            }
            Err(error) => {
                trouble.log(&error, "no drawing can be claimed; the worker tries again");
                tokio::time::sleep(IDLE_POLL_INTERVAL).await;
                continue;
            }
        };
        tokio::select! {
            () = queued => {}
            () = capacity.wait_for_freed_place() => {}
            Some(_) = attempts.join_next() => {}
            () = tokio::time::sleep(wait) => {}
            _ = stopped.changed() => {}
        }
    }
    while attempts.join_next().await.is_some() {}
}

/// Runs one attempt. After the server was asked to stop, the attempt has `shutdown_grace` to end.
async fn work(
    app: App,
    assignment: Assignment,
    capacity: Arc<Capacity>,
    begun: Option<(Attempt, Option<Place>)>,
    mut stopped: watch::Receiver<bool>,
) {
    let (_counted, place) = begun.unzip();
    let place = place.flatten();
    let out_of_time = async {
        // The sender is dropped only after a stop, so an error means the same.
        let _ = stopped.wait_for(|stop| *stop).await;
        tokio::time::sleep(app.config.shutdown_grace()).await;
    };
    let attempt = async {
        tokio::select! {
            ended = AssertUnwindSafe(attempt_within(&app, &assignment, &capacity, place)).catch_unwind() => {
                if ended.is_err() {
                    // The lease expires and the drawing is claimed again; other attempts are not affected.
                    tracing::error!("attempt panicked; its drawing is claimed again once the lease expires");
                }
            }
            () = out_of_time => {
                tracing::warn!("drawing did not finish before the shutdown deadline and goes back to the queue");
                if let Err(error) = queue::release(&app, &assignment).await {
                    log(&error);
                }
            }
        }
    };
    traced(&assignment, attempt).await;
}

//! The workers of a process: one task claims, and each drawing has one of its own.
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};
use tracing::Instrument as _;

use super::capacity::{Attempt, Capacity, Place};
use super::claim::{Assignment, Next, next};
use super::trouble::Trouble;
use super::{attempt_within, log, span};
use crate::app::App;
use crate::error::Error;
use crate::queue;

/// How long an idle server waits before it looks again: another node or process may have queued something.
const IDLE: Duration = Duration::from_millis(500);

/// The workers of this process.
pub struct Workers {
    dispatcher: JoinHandle<()>,
    stop: watch::Sender<bool>,
}

impl Workers {
    /// Starts them: as many as the providers have places.
    pub fn start(app: &App) -> Self {
        let (stop, stopped) = watch::channel(false);
        let dispatcher = tokio::spawn(dispatch(app.clone(), stopped));
        Self { dispatcher, stop }
    }

    /// Stops them. What is being drawn has a while to end, for it may be paid for; then it goes back to the queue.
    pub async fn stop(self) {
        self.stop.send_replace(true);
        if let Err(error) = self.dispatcher.await {
            tracing::error!(%error, "the workers ended by themselves");
        }
    }
}

async fn dispatch(app: App, mut stopped: watch::Receiver<bool>) {
    let capacity = Arc::new(Capacity::new(&app));
    let mut attempts = JoinSet::new();
    let mut trouble = Trouble::default();
    while !*stopped.borrow() {
        while attempts.try_join_next().is_some() {}
        // Listen before looking, so that nothing queued in between is slept over.
        let queued = app.queued.notified();
        let found = if attempts.len() < capacity.attempts(&app) {
            let next = AssertUnwindSafe(next(&app, &capacity));
            // What goes wrong here must not end all drawing.
            next.catch_unwind()
                .await
                .unwrap_or_else(|_| Err(Error::internal("claiming panicked")))
        } else {
            Ok(Next::Nothing { for_now: None })
        };
        let idle = match found {
            Ok(Next::Work(assignment)) => {
                trouble.is_over();
                // At once, or this place would be given away again.
                let begun = assignment.provider().map(|provider| capacity.begin(&app, provider));
                attempts.spawn(work(app.clone(), *assignment, capacity.clone(), begun, stopped.clone()));
                continue;
            }
            Ok(Next::PutBack) => {
                trouble.is_over();
                continue;
            }
            Ok(Next::Nothing { for_now }) => {
                trouble.is_over();
                for_now.unwrap_or(IDLE).min(IDLE)
            }
            Err(error) => {
                trouble.log(&error, "the queue cannot be read");
                tokio::time::sleep(IDLE).await;
                continue;
            }
        };
        tokio::select! {
            () = queued => {}
            () = capacity.freed() => {}
            Some(_) = attempts.join_next() => {}
            () = tokio::time::sleep(idle) => {}
            _ = stopped.changed() => {}
        }
    }
    while attempts.join_next().await.is_some() {}
}

/// One attempt, which ends some time after the server was asked to stop.
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
        // The sender is dropped only with a stop.
        let _ = stopped.wait_for(|stop| *stop).await;
        tokio::time::sleep(app.config.shutdown_grace()).await;
    };
    let attempt = async {
        tokio::select! {
            ended = AssertUnwindSafe(attempt_within(&app, &assignment, &capacity, place)).catch_unwind() => {
                if ended.is_err() {
                    // The lease runs out and the drawing is claimed again; the server lives on.
                    tracing::error!("an attempt panicked");
                }
            }
            () = out_of_time => {
                tracing::warn!("a drawing did not end in time and goes back to the queue");
                if let Err(error) = queue::release(&app, &assignment).await {
                    log(&error);
                }
            }
        }
    };
    attempt.instrument(span(&assignment)).await;
}

//! The tasks of a node that write what has ended to a log in the database, in batches.
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinHandle;

use linepress_platform::app::App;
use linepress_platform::error::Result;

/// The time between two batches.
const WRITE_INTERVAL: Duration = Duration::from_secs(5);

/// A log that a task writes.
pub(crate) trait BatchedLog: Default + Send + 'static {
    /// The log, as messages name it.
    const NAME: &'static str;
    /// Its entries, as messages name them.
    const ENTRIES: &'static str;

    /// Writes the entries that wait; returns their number.
    fn write(&mut self, app: &App) -> impl Future<Output = Result<usize>> + Send;
}

/// The task that writes one log, until it is stopped.
pub(crate) struct LogTask {
    task: JoinHandle<()>,
    stop: watch::Sender<bool>,
    name: &'static str,
}

impl LogTask {
    pub(crate) fn start<L: BatchedLog>(app: &App) -> Self {
        let (stop, stopped) = watch::channel(false);
        Self {
            task: tokio::spawn(write_until::<L>(app.clone(), stopped)),
            stop,
            name: L::NAME,
        }
    }

    /// Writes the entries that wait, and stops.
    pub(crate) async fn stop(self) {
        self.stop.send_replace(true);
        if let Err(error) = self.task.await {
            let name = self.name;
            tracing::error!(%error, "the task that writes {name} failed before it was stopped");
        }
    }
}

async fn write_until<L: BatchedLog>(app: App, mut stopped: watch::Receiver<bool>) {
    let mut log = L::default();
    loop {
        let is_last = *stopped.borrow();
        if let Err(error) = log.write(&app).await {
            let (name, entries, error) = (L::NAME, L::ENTRIES, error.for_operator());
            tracing::warn!(
                error,
                "{name} cannot be written, and lacks the {entries} of some seconds"
            );
        }
        if is_last {
            return;
        }
        tokio::select! {
            () = tokio::time::sleep(WRITE_INTERVAL) => {}
            changed = stopped.changed() => if changed.is_err() { return },
        }
    }
}

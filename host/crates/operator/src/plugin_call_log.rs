//! The task of a node that writes the calls of plugins to the log.
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::administration::plugin_calls;
use linepress_platform::app::App;

/// The time between two batches.
const WRITE_INTERVAL: Duration = Duration::from_secs(5);

/// The task, until it is stopped.
pub struct PluginCallLog {
    task: JoinHandle<()>,
    stop: watch::Sender<bool>,
}

impl PluginCallLog {
    pub fn start(app: &App) -> Self {
        let (stop, stopped) = watch::channel(false);
        Self {
            task: tokio::spawn(write_until(app.clone(), stopped)),
            stop,
        }
    }

    /// Writes the calls that have ended, and stops. Call it when no plugin is called any more.
    pub async fn stop(self) {
        self.stop.send_replace(true);
        if let Err(error) = self.task.await {
            tracing::error!(%error, "the task that writes the log of plugin calls failed before it was stopped");
        }
    }
}

async fn write_until(app: App, mut stopped: watch::Receiver<bool>) {
    loop {
        let is_last = *stopped.borrow();
        if let Err(error) = plugin_calls::write(&app).await {
            let error = error.for_operator();
            tracing::warn!(
                error,
                "the log of plugin calls cannot be written, and lacks the calls of some seconds"
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

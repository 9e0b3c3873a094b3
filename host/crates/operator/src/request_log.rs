//! The task of a node that writes the request log of accounts.
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinHandle;

use linepress_accounts::requests::Writer;
use linepress_platform::app::App;

/// The time between two batches.
const WRITE_INTERVAL: Duration = Duration::from_secs(5);

/// The task, until it is stopped.
pub struct RequestLog {
    task: JoinHandle<()>,
    stop: watch::Sender<bool>,
}

impl RequestLog {
    pub fn start(app: &App) -> Self {
        let (stop, stopped) = watch::channel(false);
        Self {
            task: tokio::spawn(write_until(app.clone(), stopped)),
            stop,
        }
    }

    /// Writes the requests that have ended, and stops. Call it when no request is under way any more.
    pub async fn stop(self) {
        self.stop.send_replace(true);
        if let Err(error) = self.task.await {
            tracing::error!(%error, "the task that writes the request log failed before it was stopped");
        }
    }
}

async fn write_until(app: App, mut stopped: watch::Receiver<bool>) {
    let mut writer = Writer::default();
    loop {
        let is_last = *stopped.borrow();
        if let Err(error) = writer.write(&app).await {
            let error = error.for_operator();
            tracing::warn!(
                error,
                "the request log of accounts cannot be written, and lacks the requests of some seconds"
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

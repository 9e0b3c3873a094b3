//! The tasks of a node that deliver what waits in the database, until the server stops.
use std::time::Duration;

use tokio::sync::{Notify, watch};
use tokio::task::JoinHandle;

use linepress_platform::app::App;
use linepress_platform::error::Result;

/// The interval at which an idle node looks for what other nodes stored, and for what is due again.
const IDLE_POLL_INTERVAL: Duration = Duration::from_secs(5);

/// True once the server stops.
pub(crate) type Stopped = watch::Receiver<bool>;

/// A kind of delivery.
pub(crate) trait Deliverer: 'static {
    /// What is delivered, as logs name it.
    const SUBJECT: &'static str;
    /// The number of tasks of a node.
    const TASKS: usize;

    /// Wakes an idle task when something became due on this node.
    fn due(app: &App) -> &Notify;

    /// Makes one attempt. Returns false when nothing is due.
    fn deliver_next(app: &App, stopped: &Stopped) -> impl Future<Output = Result<bool>> + Send;
}

/// The tasks of one kind of delivery.
pub(crate) struct DeliveryTasks {
    tasks: Vec<JoinHandle<()>>,
    stop: watch::Sender<bool>,
    subject: &'static str,
}

impl DeliveryTasks {
    pub(crate) fn start<D: Deliverer>(app: &App) -> Self {
        let (stop, stopped) = watch::channel(false);
        let tasks = (0..D::TASKS).map(|_| tokio::spawn(deliver_until::<D>(app.clone(), stopped.clone())));
        Self {
            tasks: tasks.collect(),
            stop,
            subject: D::SUBJECT,
        }
    }

    /// Waits for the attempts under way.
    pub(crate) async fn stop(self) {
        self.stop.send_replace(true);
        for task in self.tasks {
            if let Err(error) = task.await {
                let subject = self.subject;
                tracing::error!(%error, "a task that delivers {subject} failed before it was stopped");
            }
        }
    }
}

async fn deliver_until<D: Deliverer>(app: App, mut stopped: Stopped) {
    while !*stopped.borrow() {
        match D::deliver_next(&app, &stopped).await {
            Ok(true) => continue,
            Ok(false) => {}
            Err(error) => {
                let (subject, error) = (D::SUBJECT, error.for_operator());
                tracing::warn!(error, "{subject} cannot be delivered; the server tries again");
            }
        }
        tokio::select! {
            () = D::due(&app).notified() => {}
            () = tokio::time::sleep(IDLE_POLL_INTERVAL) => {}
            _ = stopped.changed() => {}
        }
    }
}

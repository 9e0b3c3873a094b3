//! The metrics of this node, as Prometheus reads them: what the node counted, and the present state of queue,
//! providers, backups and database.
use std::convert::Infallible;
use std::time::Duration;

use linepress_metrics::{BackupReport, ProviderReport, QueueReport, Readings};

use crate::backup::LastBackup;
use linepress_drawings::{queue, routing};
use linepress_platform::app::App;
use linepress_platform::error::{Error, Result};
use linepress_platform::maintenance;
use linepress_platform::recent::Recent;

/// The time for which what was read from the database is used again, so that readers cannot load the database.
const READING_LIFETIME: Duration = Duration::from_secs(5);

/// The time limit for reading the database. Prometheus waits ten seconds by default.
const READING_TIMEOUT: Duration = Duration::from_secs(3);

/// Writes the metrics of a node.
pub struct Monitor {
    app: App,
    /// What was read from the database; `None` if it did not respond in time.
    last: Recent<Option<State>>,
}

/// The state of the server, which is the same on every node.
#[derive(Clone)]
struct State {
    queue: QueueReport,
    providers: Vec<ProviderReport>,
    backup: BackupReport,
    is_in_maintenance: bool,
}

impl State {
    async fn read(app: &App) -> Result<Self> {
        let backup = LastBackup::find(app).await.map_err(Error::internal)?;
        Ok(Self {
            queue: queue::report(app).await?,
            providers: routing::report(app).await?,
            backup: BackupReport {
                age: backup.age,
                interval: backup.interval,
            },
            is_in_maintenance: maintenance::current(app).await?.is_some(),
        })
    }
}

impl Monitor {
    pub fn new(app: App) -> Self {
        Self {
            app,
            last: Recent::default(),
        }
    }

    /// The metrics in the text format of OpenMetrics.
    pub async fn text(&self) -> Result<String> {
        let connections = self.app.database.connections();
        let readings = match self.read_database().await {
            Some(state) => Readings {
                queue: Some(state.queue),
                providers: state.providers,
                backup: state.backup,
                is_in_maintenance: Some(state.is_in_maintenance),
                connections,
            },
            None => Readings {
                connections,
                ..Readings::default()
            },
        };
        self.take_over_refusals();
        self.app.metrics.text(&readings).map_err(Error::internal)
    }

    /// Returns what was read from the database at most `READING_LIFETIME` ago.
    async fn read_database(&self) -> Option<State> {
        let read = async { Ok::<_, Infallible>(self.read_state().await) };
        let Ok(state) = self.last.get_or(&self.app.clock, READING_LIFETIME, read).await;
        state
    }

    async fn read_state(&self) -> Option<State> {
        match tokio::time::timeout(READING_TIMEOUT, State::read(&self.app)).await {
            Ok(Ok(state)) => Some(state),
            Ok(Err(error)) => {
                let error = error.for_operator();
                tracing::warn!(
                    error,
                    "metrics of queue, providers and backups are missing: the database cannot be read"
                );
                None
            }
            Err(_) => {
                tracing::warn!(
                    "metrics of queue, providers and backups are missing: the database did not respond in time"
                );
                None
            }
        }
    }

    /// Takes over the numbers of clients that count their refused connections themselves.
    fn take_over_refusals(&self) {
        let app = &self.app;
        for (client, counts) in [
            ("imports", app.fetcher.refusals()),
            ("app_metadata", app.public_fetcher.refusals()),
            ("sign_in", app.provider.refusals()),
            ("webhooks", app.webhook_fetcher.refusals()),
        ] {
            for (reason, number) in counts.by_reason() {
                app.metrics.egress.set_refused(client, reason, number);
            }
        }
    }
}

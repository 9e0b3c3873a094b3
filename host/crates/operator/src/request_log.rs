//! The task of a node that writes the request log of accounts.
use linepress_accounts::requests::Writer;
use linepress_platform::app::App;
use linepress_platform::error::Result;

use crate::log_task::{BatchedLog, LogTask};

/// The task, until it is stopped.
pub struct RequestLog(LogTask);

impl RequestLog {
    pub fn start(app: &App) -> Self {
        Self(LogTask::start::<Writer>(app))
    }

    /// Writes the requests that have ended, and stops. Call it when no request is under way any more.
    pub async fn stop(self) {
        self.0.stop().await;
    }
}

impl BatchedLog for Writer {
    const NAME: &'static str = "the request log of accounts";
    const ENTRIES: &'static str = "requests";

    async fn write(&mut self, app: &App) -> Result<usize> {
        Self::write(self, app).await
    }
}

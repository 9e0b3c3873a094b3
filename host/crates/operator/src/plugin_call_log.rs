//! The task of a node that writes the calls of plugins to the log.
use linepress_platform::app::App;
use linepress_platform::error::Result;

use crate::administration::plugin_calls;
use crate::log_task::{BatchedLog, LogTask};

/// The task, until it is stopped.
pub struct PluginCallLog(LogTask);

impl PluginCallLog {
    pub fn start(app: &App) -> Self {
        Self(LogTask::start::<Calls>(app))
    }

    /// Writes the calls that have ended, and stops. Call it when no plugin is called any more.
    pub async fn stop(self) {
        self.0.stop().await;
    }
}

#[derive(Default)]
struct Calls;

impl BatchedLog for Calls {
    const NAME: &'static str = "the log of plugin calls";
    const ENTRIES: &'static str = "calls";

    async fn write(&mut self, app: &App) -> Result<usize> {
        plugin_calls::write(app).await
    }
}

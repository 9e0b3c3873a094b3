//! The calls of plugins on this node that have ended.
use linepress_plugin_host::{CallSink, EndedCall};

use crate::plugin_trials::PluginTrials;

/// Receives the calls of plugins.
#[derive(Debug, Default)]
pub struct PluginCalls {
    pub trials: PluginTrials,
}

impl CallSink for PluginCalls {
    fn ended(&self, call: EndedCall<'_>) {
        /// The function whose result only the caller can judge: it decodes the picture.
        const DRAW: &str = "draw";
        match call.error {
            None if call.function == DRAW => {}
            None => self.trials.passed(call.version),
            Some(error) if error.is_fault() => self.trials.failed(call.version, &error.to_string()),
            Some(_) => {}
        }
    }
}

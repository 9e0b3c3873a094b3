//! The calls of plugins on this node that have ended: the trials of new versions, and the calls that wait to be written
//! to the log. A call never waits for the log, which has only the last calls of each plugin.
use std::collections::{HashMap, VecDeque};
use std::mem;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use linepress_plugin_host::{CallEnd, CallSink, EndedCall, HttpExchange};

use crate::plugin_trials::PluginTrials;

/// The number of calls of one plugin that are logged: the newest ones.
pub const MAX_CALLS_PER_PLUGIN: usize = 100;

/// The number of plugins whose calls may wait.
const MAX_PLUGINS: usize = 200;

/// Receives the calls of plugins.
#[derive(Debug, Default)]
pub struct PluginCalls {
    pub trials: PluginTrials,
    waiting: Mutex<HashMap<String, VecDeque<WaitingCall>>>,
}

/// A call that waits to be written.
#[derive(Clone, Debug)]
pub struct WaitingCall {
    pub plugin: String,
    pub version: String,
    pub function: &'static str,
    pub end: CallEnd,
    pub request: String,
    pub exchanges: Vec<HttpExchange>,
    pub took: Duration,
    pub deadline: Duration,
    pub memory_bytes: usize,
    pub memory_limit_bytes: usize,
    pub ended: Instant,
}

impl PluginCalls {
    /// Takes the calls that wait, each plugin's in the order in which they ended.
    pub fn take(&self) -> Vec<WaitingCall> {
        let waiting = mem::take(&mut *self.waiting.lock().unwrap_or_else(PoisonError::into_inner));
        waiting.into_values().flatten().collect()
    }

    fn add(&self, call: WaitingCall) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() >= MAX_PLUGINS && !waiting.contains_key(&call.plugin) {
            return;
        }
        let of_plugin = waiting.entry(call.plugin.clone()).or_default();
        if of_plugin.len() >= MAX_CALLS_PER_PLUGIN {
            of_plugin.pop_front();
        }
        of_plugin.push_back(call);
    }

    fn try_out(&self, call: &EndedCall<'_>) {
        /// The function whose result only the caller can judge: it decodes the picture.
        const DRAW: &str = "draw";
        match &call.end {
            CallEnd::Returned(_) if call.function != DRAW => self.trials.passed(call.version),
            CallEnd::Failed(error) if error.is_fault() => self.trials.failed(call.version, &error.to_string()),
            _ => {}
        }
    }
}

impl CallSink for PluginCalls {
    fn ended(&self, call: EndedCall<'_>) {
        self.try_out(&call);
        self.add(WaitingCall {
            plugin: call.version.id.clone(),
            version: call.version.version.clone(),
            function: call.function,
            end: call.end,
            request: call.request,
            exchanges: call.exchanges,
            took: call.took,
            deadline: call.deadline,
            memory_bytes: call.memory_bytes,
            memory_limit_bytes: call.memory_limit_bytes,
            ended: Instant::now(),
        });
    }
}

#[cfg(test)]
mod tests {
    use linepress_plugin_host::PluginVersion;

    use super::*;

    fn call(calls: &PluginCalls, plugin: &str, number: usize) {
        let version = PluginVersion {
            id: plugin.into(),
            version: "1.0.0".into(),
            digest: "d".into(),
            load: 1,
        };
        calls.ended(EndedCall {
            version: &version,
            function: "draw",
            request: number.to_string(),
            end: CallEnd::Abandoned,
            exchanges: Vec::new(),
            took: Duration::ZERO,
            deadline: Duration::ZERO,
            memory_bytes: 0,
            memory_limit_bytes: 0,
        });
    }

    #[test]
    fn the_last_calls_of_each_plugin_wait() {
        let calls = PluginCalls::default();
        for number in 0..MAX_CALLS_PER_PLUGIN + 2 {
            call(&calls, "acme.busy", number);
        }
        call(&calls, "acme.idle", 0);
        let waiting = calls.take();
        let of_busy: Vec<&WaitingCall> = waiting.iter().filter(|call| call.plugin == "acme.busy").collect();
        assert_eq!(
            (of_busy.len(), waiting.len()),
            (MAX_CALLS_PER_PLUGIN, MAX_CALLS_PER_PLUGIN + 1)
        );
        assert_eq!(of_busy[0].request, "2");
        assert!(calls.take().is_empty());
    }
}

//! Calls of plugins.
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::{Registry, Unit};

use crate::egress::EgressMetrics;
use crate::histogram::{self, Histograms};

/// The client label of plugins among outgoing connections.
const EGRESS_CLIENT: &str = "plugins";

/// A call of a plugin that has ended.
#[derive(Clone, Copy, Debug)]
pub struct CallReport<'a> {
    pub plugin: &'a str,
    /// The called function.
    pub call: &'static str,
    pub outcome: &'static str,
    pub took: Duration,
    pub deadline: Duration,
    /// The most memory that was in use at a time.
    pub memory_bytes: usize,
    pub memory_limit_bytes: usize,
}

/// The outcome of a plugin's HTTP request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestOutcome {
    /// A response arrived, whatever its status.
    Answered,
    /// No response arrived.
    Failed,
    /// The request was not sent.
    Refused,
}

impl RequestOutcome {
    fn as_str(self) -> &'static str {
        match self {
            Self::Answered => "answered",
            Self::Failed => "failed",
            Self::Refused => "refused",
        }
    }
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Call {
    plugin: String,
    call: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Ended {
    plugin: String,
    call: &'static str,
    outcome: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct RolledBack {
    plugin: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Requested {
    plugin: String,
    outcome: &'static str,
}

/// The calls of plugins, the shares of their limits that they used, and the HTTP requests that they made.
#[derive(Clone, Debug)]
pub struct PluginMetrics {
    calls: Family<Ended, Counter>,
    duration: Histograms<Call>,
    memory: Histograms<Call>,
    deadline: Histograms<Call>,
    requests: Family<Requested, Counter>,
    rollbacks: Family<RolledBack, Counter>,
    egress: EgressMetrics,
}

impl Default for PluginMetrics {
    /// Metrics that no text contains, for commands.
    fn default() -> Self {
        Self {
            calls: Family::default(),
            duration: Family::new_with_constructor(histogram::of_work),
            memory: Family::new_with_constructor(histogram::of_shares),
            deadline: Family::new_with_constructor(histogram::of_shares),
            requests: Family::default(),
            rollbacks: Family::default(),
            egress: EgressMetrics::default(),
        }
    }
}

impl PluginMetrics {
    pub(crate) fn registered(registry: &mut Registry, egress: &EgressMetrics) -> Self {
        let metrics = Self {
            egress: egress.clone(),
            ..Self::default()
        };
        registry.register("plugin_calls", "Calls of plugins, by outcome", metrics.calls.clone());
        registry.register_with_unit(
            "plugin_call_duration",
            "Time of a call of a plugin, without waiting for its turn",
            Unit::Seconds,
            metrics.duration.clone(),
        );
        registry.register(
            "plugin_call_memory_used_ratio",
            "Most memory that a call used, as a share of the plugin's limit",
            metrics.memory.clone(),
        );
        registry.register(
            "plugin_call_deadline_used_ratio",
            "Time of a call, as a share of its deadline",
            metrics.deadline.clone(),
        );
        registry.register(
            "plugin_requests",
            "HTTP requests of plugins, by outcome",
            metrics.requests.clone(),
        );
        registry.register(
            "plugin_rollbacks",
            "Versions of plugins that were rolled back because their first calls failed",
            metrics.rollbacks.clone(),
        );
        metrics
    }

    /// Counts a version that was rolled back.
    pub fn rolled_back(&self, plugin: &str) {
        let plugin = plugin.to_owned();
        self.rollbacks.get_or_create(&RolledBack { plugin }).inc();
    }

    /// Counts a call.
    pub fn call_ended(&self, report: CallReport<'_>) {
        let CallReport {
            plugin,
            call,
            outcome,
            took,
            deadline,
            memory_bytes,
            memory_limit_bytes,
        } = report;
        let plugin = plugin.to_owned();
        let labels = Call { plugin, call };
        self.duration.get_or_create(&labels).observe(took.as_secs_f64());
        let memory = memory_bytes as f64 / memory_limit_bytes.max(1) as f64;
        self.memory.get_or_create(&labels).observe(memory);
        let share = took.as_secs_f64() / deadline.as_secs_f64().max(f64::EPSILON);
        self.deadline.get_or_create(&labels).observe(share);
        let Call { plugin, call } = labels;
        self.calls.get_or_create(&Ended { plugin, call, outcome }).inc();
    }

    /// Counts an HTTP request of a plugin.
    pub fn request_ended(&self, plugin: &str, outcome: RequestOutcome) {
        let plugin = plugin.to_owned();
        let outcome = outcome.as_str();
        self.requests.get_or_create(&Requested { plugin, outcome }).inc();
    }

    /// Counts a connection that a plugin wanted and did not get.
    pub fn connection_refused(&self, reason: &'static str) {
        self.egress.refused(EGRESS_CLIENT, reason);
    }
}

//! Webhooks of accounts.
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct AttemptLabels {
    outcome: &'static str,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct PauseLabels {
    reason: &'static str,
}

/// The attempts of this node to deliver events, and the webhooks that it paused.
#[derive(Clone, Debug, Default)]
pub struct WebhookMetrics {
    attempts: Family<AttemptLabels, Counter>,
    pauses: Family<PauseLabels, Counter>,
}

impl WebhookMetrics {
    pub(crate) fn registered(registry: &mut Registry) -> Self {
        let metrics = Self::default();
        registry.register(
            "webhook_attempts",
            "Attempts to deliver events to webhooks, by outcome",
            metrics.attempts.clone(),
        );
        registry.register(
            "webhook_pauses",
            "Webhooks that the server paused, by reason",
            metrics.pauses.clone(),
        );
        metrics
    }

    /// Counts an attempt.
    pub fn attempted(&self, outcome: &'static str) {
        self.attempts.get_or_create(&AttemptLabels { outcome }).inc();
    }

    /// Counts a webhook that the server paused.
    pub fn paused(&self, reason: &'static str) {
        self.pauses.get_or_create(&PauseLabels { reason }).inc();
    }
}

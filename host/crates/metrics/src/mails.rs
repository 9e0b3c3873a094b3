//! Mails.
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Labels {
    kind: &'static str,
    outcome: &'static str,
}

/// The attempts of this node to send mails.
#[derive(Clone, Debug, Default)]
pub struct MailMetrics {
    attempts: Family<Labels, Counter>,
}

impl MailMetrics {
    pub(crate) fn registered(registry: &mut Registry) -> Self {
        let metrics = Self::default();
        registry.register(
            "mail_attempts",
            "Attempts to send mails, by kind of mail and outcome",
            metrics.attempts.clone(),
        );
        metrics
    }

    /// Counts an attempt.
    pub fn attempted(&self, kind: &'static str, outcome: &'static str) {
        self.attempts.get_or_create(&Labels { kind, outcome }).inc();
    }
}

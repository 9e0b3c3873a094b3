//! Changes of accounts' credits.
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Labels {
    kind: &'static str,
}

/// The credits that this node charged, refunded, granted and withdrew. The ledger holds the exact sums of all nodes.
#[derive(Clone, Debug, Default)]
pub struct CreditMetrics {
    credits: Family<Labels, Counter>,
}

impl CreditMetrics {
    pub(crate) fn registered(registry: &mut Registry) -> Self {
        let metrics = Self::default();
        registry.register(
            "credits",
            "Credits that this node posted to the ledger, by kind of entry",
            metrics.credits.clone(),
        );
        metrics
    }

    /// Counts the credits of committed entries of one kind.
    pub fn posted(&self, kind: &'static str, credits: u64) {
        self.credits.get_or_create(&Labels { kind }).inc_by(credits);
    }
}

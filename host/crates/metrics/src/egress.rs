//! Outgoing connections that the server refused.
use std::sync::atomic::Ordering;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::Registry;

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Labels {
    client: &'static str,
    reason: &'static str,
}

/// The outgoing connections that were refused, by the part of the server that wanted them.
#[derive(Clone, Debug, Default)]
pub struct EgressMetrics {
    refusals: Family<Labels, Counter>,
}

impl EgressMetrics {
    pub(crate) fn registered(registry: &mut Registry) -> Self {
        let metrics = Self::default();
        registry.register(
            "egress_refusals",
            "Outgoing connections that the server refused because of their address, origin or method",
            metrics.refusals.clone(),
        );
        metrics
    }

    /// Counts a refused connection.
    pub fn refused(&self, client: &'static str, reason: &'static str) {
        self.refusals.get_or_create(&Labels { client, reason }).inc();
    }

    /// Sets the number of refused connections of a client that counts them itself.
    pub fn set_refused(&self, client: &'static str, reason: &'static str, number: u64) {
        let counter = self.refusals.get_or_create(&Labels { client, reason });
        counter.inner().fetch_max(number, Ordering::Relaxed);
    }
}

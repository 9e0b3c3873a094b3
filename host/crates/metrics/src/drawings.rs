//! Attempts at drawings, and their providers.
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::registry::{Registry, Unit};

use crate::histogram::{self, Histograms};

/// The provider label of attempts in which no provider was called.
const NO_PROVIDER: &str = "none";

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Provider {
    provider: String,
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Ended {
    provider: String,
    outcome: &'static str,
}

/// The calls of a provider during one attempt.
#[derive(Clone, Copy, Debug)]
pub struct AttemptReport<'a> {
    pub provider: &'a str,
    pub took: Duration,
    /// The reported cost in millionths of a US dollar.
    pub cost_microdollars: i64,
}

/// The attempts at drawings, their duration and their cost, with that of reviews and descriptions.
#[derive(Clone, Debug)]
pub struct DrawingMetrics {
    attempts: Family<Ended, Counter>,
    duration: Histograms<Provider>,
    cost: Family<Provider, Counter<f64, AtomicU64>>,
}

impl DrawingMetrics {
    pub(crate) fn registered(registry: &mut Registry) -> Self {
        let metrics = Self {
            attempts: Family::default(),
            duration: Family::new_with_constructor(histogram::of_work),
            cost: Family::default(),
        };
        registry.register(
            "drawing_attempts",
            "Attempts at drawings, by provider and outcome",
            metrics.attempts.clone(),
        );
        registry.register_with_unit(
            "drawing_duration",
            "Time of a provider's calls in one attempt",
            Unit::Seconds,
            metrics.duration.clone(),
        );
        registry.register(
            "provider_cost_dollars",
            "Cost of drawings, reviews and descriptions in US dollars, as far as the plugins report it",
            metrics.cost.clone(),
        );
        metrics
    }

    /// Counts an attempt. `calls` is `None` if no provider was called.
    pub fn attempt_ended(&self, outcome: &'static str, calls: Option<AttemptReport<'_>>) {
        let provider = calls.map_or(NO_PROVIDER, |calls| calls.provider).to_owned();
        self.attempts.get_or_create(&Ended { provider, outcome }).inc();
        let Some(AttemptReport {
            provider,
            took,
            cost_microdollars,
        }) = calls
        else {
            return;
        };
        let labels = Provider {
            provider: provider.to_owned(),
        };
        self.duration.get_or_create(&labels).observe(took.as_secs_f64());
        self.add_cost(&labels, cost_microdollars);
    }

    /// Counts the cost that a reviewer reported for a call, under its id.
    pub fn review_ended(&self, reviewer: &str, cost_microdollars: i64) {
        let provider = reviewer.to_owned();
        self.add_cost(&Provider { provider }, cost_microdollars);
    }

    fn add_cost(&self, labels: &Provider, microdollars: i64) {
        let dollars = microdollars.max(0) as f64 / 1e6;
        self.cost.get_or_create(labels).inc_by(dollars);
    }

    /// Counts drawings that ended without an attempt.
    pub fn given_up(&self, outcome: &'static str, drawings: u64) {
        let provider = NO_PROVIDER.to_owned();
        self.attempts
            .get_or_create(&Ended { provider, outcome })
            .inc_by(drawings);
    }
}

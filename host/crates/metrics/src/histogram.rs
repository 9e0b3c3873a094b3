//! The buckets of histograms.
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;

/// A histogram for each set of labels.
pub(crate) type Histograms<Labels> = Family<Labels, Histogram, fn() -> Histogram>;

/// Seconds of a request: from a look-up by an index to a plan or PDF.
pub(crate) fn of_requests() -> Histogram {
    Histogram::new([
        0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 180.0,
    ])
}

/// Seconds of work: from a drawing that is computed in an instant to the longest deadline of a plugin.
pub(crate) fn of_work() -> Histogram {
    Histogram::new([
        0.01, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0, 320.0, 640.0, 1800.0,
    ])
}

/// The used share of a limit, where 1 is the limit.
pub(crate) fn of_shares() -> Histogram {
    Histogram::new([0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1.0])
}

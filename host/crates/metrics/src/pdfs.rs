//! PDFs.
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

use crate::histogram::{self, Histograms};

/// The outcome of a request for a PDF.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PdfOutcome {
    /// It had been made before.
    Stored,
    /// It was made for this request.
    Made,
    /// The book cannot be printed as requested.
    Rejected,
    /// It was not ready in time, or too many are being made.
    Unavailable,
    /// The server failed.
    Failed,
}

impl PdfOutcome {
    fn as_str(self) -> &'static str {
        match self {
            Self::Stored => "stored",
            Self::Made => "made",
            Self::Rejected => "rejected",
            Self::Unavailable => "unavailable",
            Self::Failed => "failed",
        }
    }
}

#[derive(Clone, Debug, Hash, PartialEq, Eq, EncodeLabelSet)]
struct Labels {
    outcome: &'static str,
}

/// The requests for PDFs, and the time of making them.
#[derive(Clone, Debug)]
pub struct PdfMetrics {
    requests: Family<Labels, Counter>,
    request_duration: Histograms<Labels>,
    making_duration: Histogram,
}

impl PdfMetrics {
    pub(crate) fn registered(registry: &mut Registry) -> Self {
        let metrics = Self {
            requests: Family::default(),
            request_duration: Family::new_with_constructor(histogram::of_work),
            making_duration: histogram::of_work(),
        };
        registry.register(
            "pdf_requests",
            "Requests for PDFs: stored ones, made ones and failures",
            metrics.requests.clone(),
        );
        registry.register_with_unit(
            "pdf_request_duration",
            "Time until a requested PDF could be read or its request failed",
            Unit::Seconds,
            metrics.request_duration.clone(),
        );
        registry.register_with_unit(
            "pdf_making_duration",
            "Time of making one PDF, without waiting for a place",
            Unit::Seconds,
            metrics.making_duration.clone(),
        );
        metrics
    }

    /// Counts a request for a PDF.
    pub fn request_ended(&self, outcome: PdfOutcome, took: Duration) {
        let labels = Labels {
            outcome: outcome.as_str(),
        };
        self.requests.get_or_create(&labels).inc();
        self.request_duration.get_or_create(&labels).observe(took.as_secs_f64());
    }

    /// Counts a PDF that was made.
    pub fn made(&self, took: Duration) {
        self.making_duration.observe(took.as_secs_f64());
    }
}

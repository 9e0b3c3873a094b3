//! The metrics of a node: counters and histograms, and their text for Prometheus.
//!
//! A [`Metrics`] is a value that the parts of the server receive. Its counters begin at zero when the process starts.
//! Values that exist elsewhere, such as the length of the queue, are read for each text and passed as [`Readings`].
//!
//! Labels have few values: routes are patterns, and providers and plugins are those that the operator installed. No
//! label contains an account, an address or a text from a client.

/// Changes of accounts' credits.
mod credits;
/// Attempts at drawings, and their providers.
mod drawings;
/// Outgoing connections that the server refused.
mod egress;
/// The buckets of histograms.
mod histogram;
/// Mails.
mod mails;
/// PDFs.
mod pdfs;
/// Calls of plugins.
mod plugins;
/// The processor time and memory of the process.
mod process;
/// Values that are read when the text is written.
mod readings;
/// HTTP requests.
mod requests;
/// Webhooks of accounts.
mod webhooks;

use std::fmt;
use std::sync::Arc;

use prometheus_client::encoding::text::{encode_eof, encode_registry};
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;

pub use credits::CreditMetrics;
pub use drawings::{AttemptReport, DrawingMetrics};
pub use egress::EgressMetrics;
pub use mails::MailMetrics;
pub use pdfs::{PdfMetrics, PdfOutcome};
pub use plugins::{CallReport, PluginMetrics, RequestOutcome};
pub use readings::{BackupReport, ConnectionsReport, ProviderReport, QueueReport, Readings};
pub use requests::{RequestMetrics, known_method};
pub use webhooks::WebhookMetrics;

/// The beginning of each name, except those of the process.
const PREFIX: &str = "linepress";

/// The media type of the text.
pub const MEDIA_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// The metrics of one node. Cheap to clone; clones count together.
#[derive(Clone, Debug)]
pub struct Metrics {
    pub credits: CreditMetrics,
    pub drawings: DrawingMetrics,
    pub egress: EgressMetrics,
    pub mails: MailMetrics,
    pub pdfs: PdfMetrics,
    pub plugins: PluginMetrics,
    pub requests: RequestMetrics,
    pub webhooks: WebhookMetrics,
    registry: Arc<Registry>,
}

impl Metrics {
    /// Creates metrics that are all zero. `version` is the version of the program.
    pub fn new(version: &'static str) -> Self {
        let mut registry = Registry::with_prefix(PREFIX);
        let build = Info::new([("version", version)]);
        registry.register("build", "The version of the program", build);
        let egress = EgressMetrics::registered(&mut registry);
        Self {
            credits: CreditMetrics::registered(&mut registry),
            drawings: DrawingMetrics::registered(&mut registry),
            mails: MailMetrics::registered(&mut registry),
            pdfs: PdfMetrics::registered(&mut registry),
            plugins: PluginMetrics::registered(&mut registry, &egress),
            egress,
            requests: RequestMetrics::registered(&mut registry),
            webhooks: WebhookMetrics::registered(&mut registry),
            registry: Arc::new(registry),
        }
    }

    /// All metrics in the text format of OpenMetrics.
    pub fn text(&self, readings: &Readings) -> Result<String, fmt::Error> {
        let mut text = String::new();
        encode_registry(&mut text, &self.registry)?;
        // New gauges for each text: a value that cannot be read is missing instead of outdated.
        encode_registry(&mut text, &readings.registry(PREFIX))?;
        encode_registry(&mut text, &process::registry())?;
        encode_eof(&mut text)?;
        Ok(text)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_text_contains_what_was_counted_and_what_was_read() {
        let metrics = Metrics::new("1.2.3");
        metrics.credits.posted("charge", 8);
        metrics.drawings.review_ended("acme.guard", 2_500);
        metrics.egress.refused("plugins", "denied");
        let readings = Readings {
            queue: Some(QueueReport {
                queued: 3,
                running: 1,
                oldest_age: Duration::from_millis(1500),
            }),
            ..Readings::default()
        };
        let text = metrics.text(&readings).unwrap();
        for line in [
            "linepress_build_info{version=\"1.2.3\"} 1",
            "linepress_credits_total{kind=\"charge\"} 8",
            "linepress_provider_cost_dollars_total{provider=\"acme.guard\"} 0.0025",
            "linepress_egress_refusals_total{client=\"plugins\",reason=\"denied\"} 1",
            "linepress_queue_drawings{state=\"queued\"} 3",
            "linepress_queue_drawings{state=\"running\"} 1",
            "linepress_queue_oldest_age_seconds 1.5",
            "# EOF",
        ] {
            assert!(text.lines().any(|other| other == line), "{line}:\n{text}");
        }
    }

    #[test]
    fn a_value_that_was_not_read_is_missing() {
        let text = Metrics::new("1.2.3").text(&Readings::default()).unwrap();
        assert!(!text.contains("\nlinepress_queue_drawings{"), "{text}");
        assert!(text.contains("\nlinepress_database_up 0\n"), "{text}");
    }
}

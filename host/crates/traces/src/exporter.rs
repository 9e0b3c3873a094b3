//! The exporter of a process.
use std::collections::HashMap;
use std::time::Duration;

use ipnet::IpNet;
use opentelemetry::KeyValue;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tokio::runtime::Handle;
use tracing::level_filters::LevelFilter;
use tracing::{Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::registry::LookupSpan;

use crate::TARGET;
use crate::client::{Client, REQUEST_TIMEOUT};
use crate::sampler::RequestSampler;

/// The time that a stopping process spends on sending its last traces.
const STOP_TIMEOUT: Duration = Duration::from_secs(3);

/// The settings of an exporter.
#[derive(Clone, Debug)]
pub struct ExporterSettings {
    /// The whole URL to which OTLP is sent over HTTP, such as `http://127.0.0.1:4318/v1/traces`.
    pub url: String,
    /// The value of the header `Authorization`; none when empty.
    pub authorization: String,
    /// The part of all requests that is recorded, from 0 to 1. It is decided at random, whatever a client asks for. The
    /// steps of a recorded request are recorded on all nodes.
    pub sample_ratio: f64,
    /// The networks that are never connected to.
    pub denied_networks: Vec<IpNet>,
}

/// The exporter of a process. It sends the steps that ended every few seconds, over the given runtime.
#[derive(Debug)]
pub struct Exporter(SdkTracerProvider);

impl Exporter {
    /// Starts the exporter. The error says what is wrong with the settings or with this machine.
    pub fn start(settings: &ExporterSettings, version: &'static str, runtime: Handle) -> Result<Self, String> {
        let client = Client::new(&settings.denied_networks, runtime)?;
        let mut headers = HashMap::new();
        if !settings.authorization.is_empty() {
            headers.insert("authorization".to_owned(), settings.authorization.clone());
        }
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(client)
            .with_endpoint(&settings.url)
            .with_protocol(Protocol::HttpBinary)
            .with_timeout(REQUEST_TIMEOUT)
            .with_headers(headers)
            .build()
            .map_err(|error| error.to_string())?;
        let resource = Resource::builder()
            .with_service_name("linepress")
            .with_attribute(KeyValue::new("service.version", version))
            .build();
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_sampler(RequestSampler::new(settings.sample_ratio))
            .with_resource(resource)
            .build();
        Ok(Self(provider))
    }

    /// The layer that records the steps. Log lines do not become their events: they contain addresses of clients and
    /// errors of plugins, which can repeat a prompt.
    pub fn layer<S>(&self) -> impl Layer<S> + use<S>
    where
        S: Subscriber + for<'span> LookupSpan<'span>,
    {
        let is_step = |metadata: &Metadata<'_>| {
            // The hint below promises that no other level is recorded.
            *metadata.level() <= LevelFilter::INFO && metadata.is_span() && metadata.target() == TARGET
        };
        tracing_opentelemetry::layer()
            .with_tracer(self.0.tracer("linepress"))
            .with_location(false)
            .with_threads(false)
            .with_tracked_inactivity(false)
            .with_filter(filter_fn(is_step).with_max_level_hint(LevelFilter::INFO))
    }

    /// Sends what has not been sent. Call it outside the runtime.
    pub fn stop(self) {
        if let Err(error) = self.0.shutdown_with_timeout(STOP_TIMEOUT) {
            tracing::warn!(%error, "the last traces were not sent");
        }
    }
}

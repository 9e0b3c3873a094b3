//! The HTTP client that sends traces to the collector.
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{BodyExt as _, Full, Limited};
use ipnet::IpNet;
use linepress_egress::{ServiceClient, ServiceSettings};
use opentelemetry_http::{HttpClient, HttpError};
use tokio::runtime::Handle;

/// The time until a connection to the collector is made, and the time for a whole request.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
pub(crate) const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);

/// The maximum size of a collector's response.
const MAX_RESPONSE_BYTES: usize = 64 << 10;

/// The server's own client for services that the operator named, with its certificates and denied networks.
#[derive(Debug)]
pub(crate) struct Client {
    service: ServiceClient,
    /// The runtime that executes the requests. The exporter's own thread has none.
    runtime: Handle,
    /// True since a request failed, until one succeeds.
    is_failing: AtomicBool,
}

impl Client {
    pub(crate) fn new(denied: &[IpNet], runtime: Handle) -> Result<Self, String> {
        let service = ServiceClient::system(ServiceSettings {
            denied: denied.to_vec(),
            connect: CONNECT_TIMEOUT,
            stall: REQUEST_TIMEOUT,
        })?;
        Ok(Self {
            service,
            runtime,
            is_failing: AtomicBool::new(false),
        })
    }

    async fn exchange(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let service = self.service.clone();
        let exchange = async move {
            let (parts, body) = service.send(request.map(Full::new)).await?.into_parts();
            let body = Limited::new(body, MAX_RESPONSE_BYTES).collect().await?;
            Ok(Response::from_parts(parts, body.to_bytes()))
        };
        // A timeout can only be created within the runtime.
        let limited = async move { tokio::time::timeout(REQUEST_TIMEOUT, exchange).await };
        self.runtime.spawn(limited).await??
    }

    /// Logs the first failure after a success, and the first success after a failure: traces are sent every few
    /// seconds.
    fn log(&self, collector: &str, sent: &Result<Response<Bytes>, HttpError>) {
        let problem = match sent {
            Ok(response) if response.status().is_success() => None,
            Ok(response) => Some(format!("the collector answered {}", response.status())),
            Err(error) => Some(error.to_string()),
        };
        let was_failing = self.is_failing.swap(problem.is_some(), Ordering::Relaxed);
        match problem {
            Some(error) if !was_failing => {
                tracing::warn!(
                    collector,
                    error,
                    "traces cannot be sent to the collector; those of the meantime are lost"
                );
            }
            None if was_failing => tracing::info!(collector, "traces are sent to the collector again"),
            _ => {}
        }
    }
}

#[async_trait]
impl HttpClient for Client {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let collector = request.uri().authority().map(ToString::to_string).unwrap_or_default();
        let sent = self.exchange(request).await;
        self.log(&collector, &sent);
        sent
    }
}

//! Sending of checked requests.
use std::time::Duration;

use futures::future::BoxFuture;
use http::{HeaderMap, Request, Response};
use http_body_util::BodyExt as _;
use linepress_egress::{DialError, Dialer, Held, Origin, Reach, Refusal};
use wasmtime_wasi_http::WasiBody;

use super::secrets::Secrets;

/// The body of a request or a response.
pub type HttpBody = WasiBody;

/// Sends requests that passed the policy.
pub trait Transport: Send + Sync {
    /// Sends a request, and returns when the head of the response has arrived. Dropping the future aborts the exchange.
    fn send(&self, outgoing: Outgoing) -> BoxFuture<'static, Result<Sent, TransportError>>;
}

/// A request that passed the policy.
pub struct Outgoing {
    pub origin: Origin,
    pub reach: Reach,
    /// The plugin's request. Its URI consists of a path and a query.
    pub request: Request<HttpBody>,
    /// Headers with secrets, which the plugin does not know. They are separate from the request's own headers, so that
    /// a recording does not include them by mistake.
    pub credentials: HeaderMap,
    /// Secrets that must be removed from a recording of the exchange.
    pub secrets: Secrets,
    /// Time limit for establishing the connection.
    pub connect_timeout: Duration,
    /// A value that the DNS lookup holds until it ends, which may be later than the end of the request.
    pub held: Held,
}

/// A response, and the future that must be polled for its body to arrive.
pub struct Sent {
    pub response: Response<HttpBody>,
    pub driver: BoxFuture<'static, ()>,
}

/// Why a request has no response. The text is for the operator's log; a plugin learns only that the request failed.
#[derive(Debug, thiserror::Error)]
pub enum TransportError {
    #[error("{0}")]
    Failed(String),
    /// The address of the origin was refused.
    #[error(transparent)]
    Refused(Refusal),
}

/// A transport that sends requests over the network.
pub struct DialTransport(Dialer);

impl DialTransport {
    pub fn new(dialer: Dialer) -> Self {
        Self(dialer)
    }
}

impl Transport for DialTransport {
    fn send(&self, outgoing: Outgoing) -> BoxFuture<'static, Result<Sent, TransportError>> {
        let dialer = self.0.clone();
        Box::pin(async move {
            let Outgoing {
                origin,
                reach,
                mut request,
                credentials,
                secrets: _,
                connect_timeout,
                held,
            } = outgoing;
            request.headers_mut().extend(credentials);
            let dialed = dialer.send(&origin, reach, request, connect_timeout, held).await;
            let dialed = dialed.map_err(|error| match error {
                DialError::Refused(refusal) => TransportError::Refused(refusal),
                other => TransportError::Failed(other.to_string()),
            })?;
            let driver = dialed.driver;
            Ok(Sent {
                response: dialed.response.map(|body| body.map_err(Into::into).boxed_unsync()),
                driver: Box::pin(async move {
                    // The error is ignored here: the reader of the body gets an error when the connection ends too
                    // early.
                    let _ = driver.await;
                }),
            })
        })
    }
}

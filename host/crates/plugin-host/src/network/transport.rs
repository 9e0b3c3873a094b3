use std::time::Duration;

use futures::future::BoxFuture;
use http::{HeaderMap, Request, Response};
use http_body_util::BodyExt as _;
use linepress_egress::{Dialer, Held, Origin, Reach};
use wasmtime_wasi_http::WasiBody;

use super::secrets::Secrets;

/// A body on its way, in either direction.
pub type HttpBody = WasiBody;

/// What sends requests that were checked.
pub trait Transport: Send + Sync {
    /// Returns when the head of the response is there. Dropping the future breaks the exchange off.
    fn send(&self, outgoing: Outgoing) -> BoxFuture<'static, Result<Sent, TransportError>>;
}

/// A request that the plugin may make.
pub struct Outgoing {
    pub origin: Origin,
    pub reach: Reach,
    /// As the plugin wrote it; its URI is a path and a query.
    pub request: Request<HttpBody>,
    /// Headers with secrets, which the plugin does not know: they stand apart, so that nobody keeps them with the rest.
    pub credentials: HeaderMap,
    /// What whoever writes the exchange down leaves out.
    pub secrets: Secrets,
    /// Until a connection stands.
    pub connect_timeout: Duration,
    /// Kept by the look-up of the origin's name for as long as it lasts, which may be longer than the request.
    pub held: Held,
}

/// A response, and what has to be driven so that its body arrives.
pub struct Sent {
    pub response: Response<HttpBody>,
    pub driver: BoxFuture<'static, ()>,
}

/// Why there is no response. The text is for the operator's log: plugins learn only that there is none.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct TransportError(pub String);

/// Sends requests over the network.
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
            let dialed = dialed.map_err(|error| TransportError(error.to_string()))?;
            let driver = dialed.driver;
            Ok(Sent {
                response: dialed.response.map(|body| body.map_err(Into::into).boxed_unsync()),
                driver: Box::pin(async move {
                    // Whoever reads the body learns that it ended too soon.
                    let _ = driver.await;
                }),
            })
        })
    }
}

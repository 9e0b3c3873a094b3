//! The HTTP client of the S3 library: the server's own, with its certificates, limits and denied networks.
use std::time::Duration;

use async_trait::async_trait;
use http_body_util::BodyExt as _;
use ipnet::IpNet;
use linepress_egress::{ServiceClient, ServiceError, ServiceSettings};
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpResponseBody, HttpService,
};

/// The time until a connection is made.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Gives the library one client for all of its requests, those for credentials included.
#[derive(Clone, Debug)]
pub(super) struct Connector(ServiceClient);

impl Connector {
    pub(super) fn new(denied: &[IpNet], stall: Duration) -> Result<Self, String> {
        let client = ServiceClient::system(ServiceSettings {
            denied: denied.to_vec(),
            connect: CONNECT_TIMEOUT.min(stall),
            stall,
        })?;
        Ok(Self(client))
    }
}

impl HttpConnector for Connector {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(self.clone()))
    }
}

#[async_trait]
impl HttpService for Connector {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let (parts, body) = self.0.send(request).await.map_err(error_of)?.into_parts();
        let body = HttpResponseBody::new(body.map_err(error_of));
        Ok(HttpResponse::from_parts(parts, body))
    }
}

/// The error in the kinds by which the library decides what it may repeat: requests that were not sent, and reads and
/// overwrites that broke off.
fn error_of(error: ServiceError) -> HttpError {
    let kind = match &error {
        ServiceError::Url(_) | ServiceError::Refused(_) => HttpErrorKind::Unknown,
        ServiceError::Stalled(_) => HttpErrorKind::Timeout,
        ServiceError::Transport(_) if error.is_unsent() => HttpErrorKind::Connect,
        ServiceError::Transport(_) => HttpErrorKind::Interrupted,
    };
    HttpError::new(kind, error)
}

//! Checks of a guest's requests, and the responses that the guest receives.
use std::sync::Arc;
use std::time::Duration;

use http::header::{self, HeaderMap, HeaderName};
use http::{Request, Uri};
use http_body_util::BodyExt as _;
use linepress_egress::Origin;
use linepress_metrics::{PluginMetrics, RequestOutcome};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep, timeout_at};
use tracing::field::Empty;
use tracing::{Instrument as _, Span};
use url::Url;
use wasmtime_wasi_http::{DEFAULT_FORBIDDEN_HEADERS, Error, RequestOptions, WasiBody, WasiHttpHooks};

use super::body::{Receiving, Sending};
use super::log::{Entry, HttpLog};
use super::masking::Masking;
use super::policy::Policy;
use super::secrets::Secrets;
use super::transport::{HttpBody, Outgoing, Sent, Transport, TransportError};
use super::usage::Budget;
use crate::log_text::excerpt;

/// Connect timeout for requests that do not set one.
const DEFAULT_CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Maximum size of one write to a request body. A guest can buffer this much in each body, even if it never sends it.
const MAX_CHUNK_BYTES: usize = 16 << 10;

/// Maximum size of a quotation from a guest in the log.
const MAX_QUOTED_BYTES: usize = 200;

/// Maximum size of a URL's authority. A host name has at most 253 bytes, and parsing a very long one is slow.
const MAX_AUTHORITY_BYTES: usize = 300;

/// The error that a guest receives for every failed or refused connection, so that it cannot distinguish a closed port
/// from a host that does not exist.
const NO_RESPONSE: Error = Error::DestinationUnavailable;

/// The checks for the requests of one call.
pub(crate) struct Hooks {
    pub(crate) plugin: Arc<str>,
    pub(crate) policy: Arc<Policy>,
    /// Texts that must not appear in responses or logs.
    pub(crate) secrets: Secrets,
    pub(crate) transport: Arc<dyn Transport>,
    pub(crate) budget: Budget,
    /// Limits the plugin's concurrent DNS lookups, over all its calls.
    pub(crate) look_ups: Arc<Semaphore>,
    /// The deadline of the call, which also bounds every timeout of its requests.
    pub(crate) end: Instant,
    pub(crate) metrics: PluginMetrics,
    pub(crate) log: HttpLog,
}

/// The metrics' word for a method at an origin that the manifest does not ask for. A plugin whose manifest asks for
/// more than was granted is not loaded.
const NOT_GRANTED: &str = "not_granted";

type Exchanged = Result<
    (
        http::Response<WasiBody>,
        Box<dyn Future<Output = Result<(), Error>> + Send>,
    ),
    Error,
>;

/// Returns true for a header of the connection, which the host sets and a guest must not set.
pub(super) fn is_connection_header(name: &HeaderName) -> bool {
    const ADDITIONAL: [HeaderName; 4] = [header::TE, header::TRAILER, header::EXPECT, header::CONTENT_LENGTH];
    DEFAULT_FORBIDDEN_HEADERS.contains(name) || ADDITIONAL.contains(name)
}

/// A request that passed the checks, with its timeouts and permit.
struct Admitted {
    outgoing: Outgoing,
    first_byte: Instant,
    between_bytes: Duration,
    permit: OwnedSemaphorePermit,
}

impl WasiHttpHooks for Hooks {
    /// Returns false: the dialer sets the host header from the checked origin.
    fn set_host_header(&mut self) -> bool {
        false
    }

    fn send_request(
        &mut self,
        request: Request<WasiBody>,
        options: Option<RequestOptions>,
        _: Box<dyn Future<Output = Result<(), Error>> + Send>,
    ) -> Box<dyn Future<Output = Exchanged> + Send> {
        let entry = self.log.begin(request.method(), request.uri());
        let admitted = self.admit(request, options.unwrap_or_default(), &entry);
        let (plugin, transport, budget) = (self.plugin.clone(), self.transport.clone(), self.budget.clone());
        let (look_ups, secrets) = (self.look_ups.clone(), self.secrets.clone());
        let metrics = self.metrics.clone();
        Box::new(async move {
            let Admitted {
                mut outgoing,
                first_byte,
                between_bytes,
                permit,
            } = admitted.inspect_err(|_| {
                entry.refused();
                metrics.request_ended(&plugin, RequestOutcome::Refused);
            })?;
            let origin = outgoing.origin.clone();
            let step = step(&outgoing);
            let failed = |problem: &str| {
                step.record("otel.status_code", "ERROR");
                if budget.may_log() {
                    let problem = secrets.removed_from(problem.to_owned());
                    tracing::info!(plugin = &*plugin, %origin, problem, "a request of the plugin failed");
                }
            };
            let sent = async {
                // A lookup may continue after its request was dropped. It holds this permit until it ends, so that one
                // plugin cannot use up the lookups of all plugins.
                if let Ok(permit) = look_ups.acquire_owned().await {
                    outgoing.held = Arc::new(permit);
                }
                transport.send(outgoing).await
            };
            let Sent { response, driver } = match timeout_at(first_byte, sent).instrument(step.clone()).await {
                Ok(Ok(sent)) => sent,
                Ok(Err(error)) => {
                    failed(&error.to_string());
                    count_failure(&metrics, &plugin, &error);
                    if matches!(error, TransportError::Refused(_)) {
                        entry.refused();
                    }
                    return Err(NO_RESPONSE);
                }
                Err(_) => {
                    failed("no response arrived before the first-byte timeout");
                    metrics.request_ended(&plugin, RequestOutcome::Failed);
                    return Err(Error::HttpResponseTimeout);
                }
            };
            metrics.request_ended(&plugin, RequestOutcome::Answered);
            entry.answered(response.status().as_u16());
            step.record("http.response.status_code", response.status().as_u16());
            let remaining_bytes = budget.max_response_bytes();
            let mut response = response.map(|body| {
                let receiving = Receiving {
                    body,
                    budget,
                    remaining_bytes,
                    between_bytes,
                    silence: Box::pin(sleep(between_bytes)),
                    entry,
                    _permit: permit,
                };
                let received = receiving.boxed_unsync();
                if secrets.is_empty() {
                    return received;
                }
                Masking::new(received, secrets.clone()).boxed_unsync()
            });
            secrets.mask_headers(response.headers_mut());
            let driver = async move {
                driver.await;
                Ok(())
            };
            Ok((response, Box::new(driver) as Box<_>))
        })
    }

    fn p2_outgoing_body_chunk_size(&mut self) -> usize {
        MAX_CHUNK_BYTES
    }

    /// Reports every HTTP protocol error as the same code, and does not log it.
    fn p2_error_from_hyper(&mut self, _: &hyper::Error) -> wasmtime_wasi_http::p2::bindings::http::types::ErrorCode {
        wasmtime_wasi_http::p2::bindings::http::types::ErrorCode::HttpProtocolError
    }
}

/// The step of a request in its trace, until the head of the response arrives. The path may contain a secret.
fn step(outgoing: &Outgoing) -> Span {
    tracing::info_span!(
        target: linepress_traces::TARGET,
        "request of a plugin",
        otel.name = %outgoing.request.method(),
        otel.kind = "client",
        otel.status_code = Empty,
        http.request.method = %outgoing.request.method(),
        http.response.status_code = Empty,
        server.address = outgoing.origin.host(),
        server.port = outgoing.origin.port(),
    )
}

impl Hooks {
    /// Checks a request against the plugin's policy and budget. Of the guest's request, only the path, query, method,
    /// headers and body are sent; scheme, host and port are those of the checked origin.
    fn admit(&self, request: Request<WasiBody>, options: RequestOptions, entry: &Entry) -> Result<Admitted, Error> {
        let (mut parts, body) = request.into_parts();
        // Counted before the request is examined, so that the number of examined requests is limited too.
        let permit = match self.budget.request() {
            Ok(permit) => permit,
            Err(problem) => {
                self.refuse("", &parts.method, problem);
                return Err(Error::ConnectionLimitReached);
            }
        };
        let Some(origin) = origin_of(&parts.uri) else {
            self.refuse(&parts.uri.to_string(), &parts.method, "the URL has no valid origin");
            return Err(NO_RESPONSE);
        };
        let Some(reach) = self.policy.check(&origin, &parts.method) else {
            let problem = "the plugin's manifest does not ask for this method at this origin";
            self.refuse(&origin.to_string(), &parts.method, problem);
            self.metrics.connection_refused(NOT_GRANTED);
            return Err(NO_RESPONSE);
        };
        let credentials = self.credentials(&origin, &mut parts.headers)?;
        let length = parts.headers.remove(header::CONTENT_LENGTH);
        let others = parts.headers.keys().filter(|name| is_connection_header(name));
        for name in others.cloned().collect::<Vec<_>>() {
            parts.headers.remove(name);
        }
        if let Some(length) = length {
            // The HTTP library checks the length against the body. Without the header the body would be sent in chunks,
            // which some servers refuse.
            parts.headers.insert(header::CONTENT_LENGTH, length);
        }
        parts.uri = path_of(&parts.uri).ok_or(Error::HttpRequestUriInvalid)?;
        let now = Instant::now();
        let remaining = self.end.saturating_duration_since(now);
        let within = |requested: Option<Duration>, default: Duration| requested.unwrap_or(default).min(remaining);
        let first_byte = within(options.first_byte_timeout, remaining);
        // Not longer than the first-byte timeout, so that a plugin learns of a silent host in time.
        let connect_timeout = within(options.connect_timeout, DEFAULT_CONNECT_TIMEOUT).min(first_byte);
        let body: HttpBody = Sending {
            body,
            budget: self.budget.clone(),
            entry: entry.clone(),
        }
        .boxed_unsync();
        Ok(Admitted {
            outgoing: Outgoing {
                origin,
                reach,
                request: Request::from_parts(parts, body),
                credentials,
                secrets: self.secrets.clone(),
                connect_timeout,
                held: Arc::new(()),
            },
            first_byte: now + first_byte,
            between_bytes: within(options.between_bytes_timeout, remaining),
            permit,
        })
    }

    /// Returns the headers with the secrets for an origin. The guest's own values for these headers, and its
    /// `authorization` and `cookie` headers, are removed.
    fn credentials(&self, origin: &Origin, headers: &mut HeaderMap) -> Result<HeaderMap, Error> {
        let mut credentials = HeaderMap::new();
        for credential in self.policy.credentials_for(origin) {
            let value = credential.header_value(&self.secrets).map_err(|problem| {
                if self.budget.may_log() {
                    tracing::error!(
                        plugin = &*self.plugin,
                        %origin,
                        problem,
                        "a request of the plugin was not sent: its credential cannot be read"
                    );
                }
                Error::ConfigurationError
            })?;
            credentials.insert(credential.header().clone(), value);
            for name in [credential.header(), &header::AUTHORIZATION, &header::COOKIE] {
                headers.remove(name);
            }
        }
        Ok(credentials)
    }

    fn refuse(&self, to: &str, method: &http::Method, problem: &str) {
        if self.budget.may_log() {
            let quoted = |text: String| excerpt(self.secrets.removed_from(text), MAX_QUOTED_BYTES);
            let (to, method) = (quoted(to.to_owned()), quoted(method.to_string()));
            tracing::warn!(
                plugin = &*self.plugin,
                to,
                method,
                problem,
                "a request of the plugin was refused"
            );
        }
    }
}

fn count_failure(metrics: &PluginMetrics, plugin: &str, error: &TransportError) {
    let refusal = match error {
        TransportError::Refused(refusal) => refusal.reason(),
        TransportError::Failed(_) => None,
    };
    match refusal {
        Some(reason) => {
            metrics.request_ended(plugin, RequestOutcome::Refused);
            metrics.connection_refused(reason);
        }
        None => metrics.request_ended(plugin, RequestOutcome::Failed),
    }
}

/// Parses the origin of a request according to the URL Standard. The guest's own spelling of it is not used again, so
/// that no other parser can read it differently.
fn origin_of(uri: &Uri) -> Option<Origin> {
    let authority = uri.authority()?.as_str();
    if authority.contains('@') || authority.len() > MAX_AUTHORITY_BYTES {
        return None;
    }
    let url = Url::parse(&format!("{}://{authority}/", uri.scheme_str()?)).ok()?;
    Origin::of(&url).ok()
}

/// Returns the path and query for the request line, or `None` if the URI has no path.
fn path_of(uri: &Uri) -> Option<Uri> {
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    let path = if path.starts_with('?') {
        format!("/{path}")
    } else {
        path.to_owned()
    };
    path.starts_with('/').then(|| path.parse().ok())?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn origin(uri: &str) -> Option<String> {
        origin_of(&uri.parse().unwrap()).map(|origin| origin.to_string())
    }

    #[test]
    fn an_origin_has_one_spelling() {
        assert_eq!(
            origin("https://API.acme.com/v1").as_deref(),
            Some("https://api.acme.com:443")
        );
        assert_eq!(origin("http://2130706433/").as_deref(), Some("http://127.0.0.1:80"));
        assert_eq!(origin("http://127.1:81/").as_deref(), Some("http://127.0.0.1:81"));
        for uri in [
            "https://api.acme.com:443@evil.test/",
            "https://me@api.acme.com/",
            "ftp://api.acme.com/",
            "/v1",
        ] {
            assert_eq!(origin(uri), None, "{uri}");
        }
    }

    #[test]
    fn only_the_path_and_query_are_sent() {
        let path = |uri: &str| path_of(&uri.parse().unwrap()).map(|uri| uri.to_string());
        assert_eq!(path("https://api.acme.com").as_deref(), Some("/"));
        assert_eq!(path("https://api.acme.com/v1?a=b").as_deref(), Some("/v1?a=b"));
        assert_eq!(path("https://api.acme.com?a=b").as_deref(), Some("/?a=b"));
        assert_eq!(path("*"), None);
    }
}

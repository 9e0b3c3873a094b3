use std::sync::Arc;
use std::time::Duration;

use http::header::{self, HeaderMap, HeaderName};
use http::{Request, Uri};
use http_body_util::BodyExt as _;
use linepress_egress::Origin;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep, timeout_at};
use url::Url;
use wasmtime_wasi_http::{DEFAULT_FORBIDDEN_HEADERS, Error, RequestOptions, WasiBody, WasiHttpHooks};

use super::body::{Receiving, Sending};
use super::masking::Masking;
use super::policy::Policy;
use super::secrets::Secrets;
use super::transport::{HttpBody, Outgoing, Sent, Transport};
use super::usage::Budget;
use crate::log_text::excerpt;

/// Until a connection stands, where the plugin does not say.
const CONNECT: Duration = Duration::from_secs(10);

/// How much a guest writes at a time. It may have written as much into each body that it never sends.
const CHUNK: usize = 16 << 10;

/// How much of a guest's own words is repeated in the log.
const QUOTED_BYTES: usize = 200;

/// A name has 253 bytes at most; and reading a long one takes long.
const LONGEST_AUTHORITY: usize = 300;

/// Why a guest gets no response: one reason for all, or it could tell a closed port from a host that is not there.
const NO_RESPONSE: Error = Error::DestinationUnavailable;

/// The requests of one call.
pub(crate) struct Hooks {
    pub(crate) plugin: Arc<str>,
    pub(crate) policy: Arc<Policy>,
    /// What neither the guest nor a log may see.
    pub(crate) secrets: Secrets,
    pub(crate) transport: Arc<dyn Transport>,
    pub(crate) budget: Budget,
    /// How many more names the plugin may have looked up at a time, over all its calls.
    pub(crate) look_ups: Arc<Semaphore>,
    /// The end of the call: nothing may last longer.
    pub(crate) end: Instant,
}

type Exchanged = Result<
    (
        http::Response<WasiBody>,
        Box<dyn Future<Output = Result<(), Error>> + Send>,
    ),
    Error,
>;

/// Whether a header belongs to the connection, which is not the guest's.
pub(super) fn is_of_the_connection(name: &HeaderName) -> bool {
    const MORE: [HeaderName; 4] = [header::TE, header::TRAILER, header::EXPECT, header::CONTENT_LENGTH];
    DEFAULT_FORBIDDEN_HEADERS.contains(name) || MORE.contains(name)
}

/// A request that was checked, and what it may use.
struct Admitted {
    outgoing: Outgoing,
    first_byte: Instant,
    between_bytes: Duration,
    place: OwnedSemaphorePermit,
}

impl WasiHttpHooks for Hooks {
    /// The origin's own text stands there instead.
    fn set_host_header(&mut self) -> bool {
        false
    }

    fn send_request(
        &mut self,
        request: Request<WasiBody>,
        options: Option<RequestOptions>,
        _: Box<dyn Future<Output = Result<(), Error>> + Send>,
    ) -> Box<dyn Future<Output = Exchanged> + Send> {
        let admitted = self.admit(request, options.unwrap_or_default());
        let (plugin, transport, budget) = (self.plugin.clone(), self.transport.clone(), self.budget.clone());
        let (look_ups, secrets) = (self.look_ups.clone(), self.secrets.clone());
        Box::new(async move {
            let Admitted {
                mut outgoing,
                first_byte,
                between_bytes,
                place,
            } = admitted?;
            let origin = outgoing.origin.clone();
            let failed = |problem: &str| {
                if budget.may_log() {
                    let problem = secrets.removed_from(problem.to_owned());
                    tracing::info!(plugin = &*plugin, %origin, problem, "a request of the plugin has no response");
                }
            };
            let sent = async {
                // A look-up outlasts its request: what it holds keeps one plugin from taking the look-ups of all.
                if let Ok(look_up) = look_ups.acquire_owned().await {
                    outgoing.held = Arc::new(look_up);
                }
                transport.send(outgoing).await
            };
            let Sent { response, driver } = match timeout_at(first_byte, sent).await {
                Ok(Ok(sent)) => sent,
                Ok(Err(error)) => {
                    failed(&error.to_string());
                    return Err(NO_RESPONSE);
                }
                Err(_) => {
                    failed("the time for the first byte is up");
                    return Err(Error::HttpResponseTimeout);
                }
            };
            let left = budget.largest_response();
            let mut response = response.map(|body| {
                let receiving = Receiving {
                    body,
                    budget,
                    left,
                    between_bytes,
                    silence: Box::pin(sleep(between_bytes)),
                    _place: place,
                };
                let received = receiving.boxed_unsync();
                if secrets.are_none() {
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
        CHUNK
    }

    /// The guest may tell of it; the log need not.
    fn p2_error_from_hyper(&mut self, _: &hyper::Error) -> wasmtime_wasi_http::p2::bindings::http::types::ErrorCode {
        wasmtime_wasi_http::p2::bindings::http::types::ErrorCode::HttpProtocolError
    }
}

impl Hooks {
    /// Checks a request against what the plugin may do. Nothing of the guest's text but path, query, method, headers and
    /// body is sent.
    fn admit(&self, request: Request<WasiBody>, options: RequestOptions) -> Result<Admitted, Error> {
        let (mut parts, body) = request.into_parts();
        // Before anything of it is read, so that reading is bounded as well.
        let place = match self.budget.request() {
            Ok(place) => place,
            Err(problem) => {
                self.refuse("", &parts.method, problem);
                return Err(Error::ConnectionLimitReached);
            }
        };
        let Some(origin) = origin_of(&parts.uri) else {
            self.refuse(&parts.uri.to_string(), &parts.method, "it is no origin");
            return Err(NO_RESPONSE);
        };
        let Some(reach) = self.policy.check(&origin, &parts.method) else {
            let problem = format!(
                "it is not granted; where the manifest asks for it: linepress plugin allow {}",
                self.plugin
            );
            self.refuse(&origin.to_string(), &parts.method, &problem);
            return Err(NO_RESPONSE);
        };
        let credentials = self.credentials(&origin, &mut parts.headers)?;
        let length = parts.headers.remove(header::CONTENT_LENGTH);
        let others = parts.headers.keys().filter(|name| is_of_the_connection(name));
        for name in others.cloned().collect::<Vec<_>>() {
            parts.headers.remove(name);
        }
        if let Some(length) = length {
            // Checked against the body by the library; without it the body would be sent in chunks, which some servers refuse.
            parts.headers.insert(header::CONTENT_LENGTH, length);
        }
        parts.uri = path_of(&parts.uri).ok_or(Error::HttpRequestUriInvalid)?;
        let now = Instant::now();
        let remaining = self.end.saturating_duration_since(now);
        let within = |wish: Option<Duration>, usual: Duration| wish.unwrap_or(usual).min(remaining);
        let first_byte = within(options.first_byte_timeout, remaining);
        // Not longer than the wait for the response: what ends before a connection stands has one code.
        let connect_timeout = within(options.connect_timeout, CONNECT).min(first_byte);
        let body: HttpBody = Sending {
            body,
            budget: self.budget.clone(),
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
            place,
        })
    }

    /// The secrets for an origin. What the guest wrote in their place, or to sign in otherwise, is taken out.
    fn credentials(&self, origin: &Origin, headers: &mut HeaderMap) -> Result<HeaderMap, Error> {
        let mut credentials = HeaderMap::new();
        for credential in self.policy.credentials_for(origin) {
            let value = credential.header_value(&self.secrets).map_err(|problem| {
                if self.budget.may_log() {
                    tracing::error!(plugin = &*self.plugin, %origin, problem, "a request of the plugin lacks its secret");
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
            let quoted = |text: String| excerpt(self.secrets.removed_from(text), QUOTED_BYTES);
            let (to, method) = (quoted(to.to_owned()), quoted(method.to_string()));
            tracing::warn!(
                plugin = &*self.plugin,
                to,
                method,
                problem,
                "a request of the plugin is refused"
            );
        }
    }
}

/// Where a request goes, read as the URL Standard reads it: the guest's text is not looked at again.
fn origin_of(uri: &Uri) -> Option<Origin> {
    let authority = uri.authority()?.as_str();
    if authority.contains('@') || authority.len() > LONGEST_AUTHORITY {
        return None;
    }
    let url = Url::parse(&format!("{}://{authority}/", uri.scheme_str()?)).ok()?;
    Origin::of(&url).ok()
}

/// What stands in the request's first line.
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
    fn a_host_is_read_in_one_way() {
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
    fn only_a_path_is_sent() {
        let path = |uri: &str| path_of(&uri.parse().unwrap()).map(|uri| uri.to_string());
        assert_eq!(path("https://api.acme.com").as_deref(), Some("/"));
        assert_eq!(path("https://api.acme.com/v1?a=b").as_deref(), Some("/v1?a=b"));
        assert_eq!(path("https://api.acme.com?a=b").as_deref(), Some("/?a=b"));
        assert_eq!(path("*"), None);
    }
}

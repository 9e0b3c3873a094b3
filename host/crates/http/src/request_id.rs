//! The middleware around everything that responds to a request: assigns each request its id, logs the request, and
//! writes the parts common to all responses.
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request};
use axum::http::{HeaderMap, HeaderName, HeaderValue, header};
use axum::response::Response;
use tracing::field::Empty;
use tracing::{Instrument, Span};

use super::client_address::ClientAddress;
use super::failure_page::{PageWritten, RequestName};
use super::outage_log::OutageLog;
use super::request_log::{Ended, Sender};
use super::{ErrorCode, Failure, brand_header};
use linepress_metrics::known_method;
use linepress_platform::app::App;
use linepress_platform::ids::{AccountId, RequestId};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The middleware, with what it needs for every request.
pub struct RequestIds {
    app: App,
    outages: OutageLog,
    /// The name of the header that contains the version of the interface.
    version: HeaderName,
}

impl RequestIds {
    pub fn new(app: &App) -> Self {
        Self {
            app: app.clone(),
            outages: OutageLog::default(),
            version: brand_header(app, "Api-Version"),
        }
    }

    /// Assigns the request its id, has it responded to, and logs it.
    pub async fn assign<F: Future<Output = Response>>(
        &self,
        mut request: Request,
        respond: impl FnOnce(Request) -> F,
    ) -> Response {
        let app = &self.app;
        let begin = Instant::now();
        let id: Arc<str> = match own_id(&request) {
            Some(id) => id.into(),
            None => RequestId::generate(app.clock.now(), &app.random).as_str().into(),
        };
        // Known routes are logged as patterns, not as paths: the addresses of uploads, previews, review links and
        // password links are secrets.
        let matched = request.extensions().get::<MatchedPath>().cloned();
        let route = matched.as_ref().map(MatchedPath::as_str);
        let method = known_method(request.method().as_str());
        // At level error, so that the span's fields appear with each line inside it at every log level.
        let span = tracing::error_span!("request", request_id = %id, trace_id = Empty, %method, route);
        let step = step(&request, method, route);
        linepress_traces::link_log(&span, &step);
        let interface = interface_of(request.uri().path());
        let unknown = route.is_none().then(|| without_secrets(request.uri().path()));
        let client = ClientAddress::from_headers(app, request.extensions(), request.headers()).0;
        request.extensions_mut().insert(RequestName(id.clone()));
        let mut response = respond(request).instrument(span.clone()).instrument(step.clone()).await;
        let status = response.status();
        let requests = &app.metrics.requests;
        requests.ended(interface, method, route, status.as_u16(), begin.elapsed());
        let failure = response.extensions_mut().remove::<Arc<Failure>>();
        let weight = Weight::of_request(failure.as_deref(), route, status.as_u16(), |cause| {
            self.outages.line(app.clock.now(), cause)
        });
        span.in_scope(|| log(&response, failure.as_deref(), weight, unknown, client, begin.elapsed()));
        step.record("http.response.status_code", status.as_u16());
        if status.is_server_error() {
            step.record("otel.status_code", "ERROR");
        }
        if let Some(sender) = response.extensions_mut().remove::<Sender>() {
            let ended = Ended {
                method,
                route,
                status: status.as_u16(),
                code: failure.as_deref().map(|failure| failure.code.as_str()),
                duration: begin.elapsed(),
                request_id: &id,
            };
            sender.log(app, ended);
        }
        let is_page_written = response.extensions().get::<PageWritten>().is_some();
        if let (Some(failure), false) = (failure, is_page_written) {
            response = failure.write(response, &id);
        }
        self.add_headers(&id, response.headers_mut());
        response
    }

    fn add_headers(&self, id: &str, headers: &mut HeaderMap) {
        if let Ok(value) = HeaderValue::from_str(id) {
            headers.insert(REQUEST_ID, value);
        }
        headers.insert(self.version.clone(), HeaderValue::from_static("v1"));
        // Exempt are responses with their own header, such as assets, and pictures whose address contains their version.
        let caching = headers.entry(header::CACHE_CONTROL);
        caching.or_insert(HeaderValue::from_static("private, no-store"));
    }
}

/// The step of the request in its trace, which the client may have begun. Checks of health are not traced.
fn step(request: &Request, method: &str, route: Option<&str>) -> Span {
    if is_watched(route) {
        return Span::none();
    }
    let step = tracing::info_span!(
        target: linepress_traces::TARGET,
        "request",
        otel.name = %format_args!("{method} {}", route.unwrap_or("unknown")),
        otel.kind = "server",
        otel.status_code = Empty,
        http.request.method = method,
        http.route = route,
        http.response.status_code = Empty,
    );
    let parent = request.headers().get(linepress_traces::TRACEPARENT);
    if let Some(parent) = parent.and_then(|value| value.to_str().ok()) {
        linepress_traces::set_parent(&step, parent);
    }
    step
}

/// Returns true for the addresses that monitors request all the time.
fn is_watched(route: Option<&str>) -> bool {
    matches!(route, Some("/healthz" | "/readyz"))
}

/// Logs one line for each request as soon as the head of its response is known, at level error if the server is at
/// fault.
fn log(
    response: &Response,
    failure: Option<&Failure>,
    weight: Weight,
    unknown_path: Option<String>,
    client: IpAddr,
    took: Duration,
) {
    let status = response.status().as_u16();
    let milliseconds = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
    let account = account_of(response).map(AccountId::as_str);
    let code = failure.map(|failure| failure.code.as_str());
    let cause = failure.and_then(|failure| failure.cause.as_deref());
    match weight {
        Weight::Broken { others: None } => {
            tracing::error!(status, milliseconds, %client, account, code, cause, "request failed");
        }
        Weight::Broken { others: Some(others) } => {
            tracing::error!(status, milliseconds, %client, account, code, cause, others, "request failed");
        }
        Weight::Light => tracing::debug!(status, milliseconds, %client, account, code, cause, "request completed"),
        Weight::Usual => {
            tracing::info!(status, milliseconds, %client, account, code, cause, unknown_path, "request completed");
        }
    }
}

/// The account of a request that was authenticated, by a key, a token or a session.
fn account_of(response: &Response) -> Option<&AccountId> {
    let extensions = response.extensions();
    let sender = extensions.get::<Sender>();
    sender.map(Sender::account_id).or_else(|| extensions.get())
}

/// The importance of a request to an operator, which decides its log level.
#[derive(Clone, Copy)]
enum Weight {
    /// A fault of the server, or an outage. For an outage, `others` is the number of requests that have failed for the
    /// same cause since the last line.
    Broken {
        others: Option<u64>,
    },
    Usual,
    /// A routine request of a monitor, or a repeated failure in an outage that has been logged.
    Light,
}

impl Weight {
    /// `line_of_outage` returns `None` if a line about the outage was logged less than a second ago.
    fn of_request(
        failure: Option<&Failure>,
        route: Option<&str>,
        status: u16,
        line_of_outage: impl FnOnce(&str) -> Option<u64>,
    ) -> Self {
        match failure.map(|failure| failure.code) {
            Some(ErrorCode::InternalError) => Self::Broken { others: None },
            Some(ErrorCode::Overloaded) => {
                let cause = failure.and_then(|failure| failure.cause.as_deref());
                let others = line_of_outage(cause.unwrap_or_default());
                others.map_or(Self::Light, |others| Self::Broken { others: Some(others) })
            }
            _ if is_watched(route) && status < 400 => Self::Light,
            _ => Self::Usual,
        }
    }
}

/// The interface that an address belongs to, for the metrics.
fn interface_of(path: &str) -> &'static str {
    /// The beginnings of addresses that are not web pages.
    const BEGINNINGS: [(&str, &str); 7] = [
        ("api", "rest"),
        ("mcp", "mcp"),
        ("oauth", "oauth"),
        (".well-known", "oauth"),
        ("assets", "assets"),
        ("healthz", "health"),
        ("readyz", "health"),
    ];
    let first = path.split('/').nth(1);
    let known = BEGINNINGS.into_iter().find(|(beginning, _)| Some(*beginning) == first);
    known.map_or("web", |(_, interface)| interface)
}

/// Shortens an unknown path, so that an operator can look for the typing error in it. Long segments are left out: they
/// may be the tokens of uploads, previews, review links or password links.
fn without_secrets(path: &str) -> String {
    const MAX_PATH_CHARS: usize = 200;
    const MAX_SEGMENT_BYTES: usize = 31;
    let parts = path.split('/').map(|part| match part.len() {
        0..=MAX_SEGMENT_BYTES => part,
        _ => "...",
    });
    let path: String = parts
        .collect::<Vec<_>>()
        .join("/")
        .chars()
        .take(MAX_PATH_CHARS)
        .collect();
    path
}

/// The client's own request id, if it is safe to log.
fn own_id(request: &Request) -> Option<String> {
    let id = request.headers().get(REQUEST_ID)?.to_str().ok()?;
    let fit = (1..=128).contains(&id.len())
        && id
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    fit.then(|| id.to_owned())
}

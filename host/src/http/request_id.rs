//! The outermost layer: names each request, logs it, and writes what every response carries.
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use tracing::Instrument;

use super::client_address::ClientAddress;
use super::failure_page::{RequestName, Told};
use super::outage_log::OutageLog;
use super::{ErrorCode, Failure, brand_header};
use crate::app::App;
use crate::ids::{AccountId, RequestId};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

pub async fn assign_request_id(
    State((app, outages)): State<(App, OutageLog)>,
    mut request: Request,
    next: Next,
) -> Response {
    let begin = Instant::now();
    let id = own_id(&request).unwrap_or_else(|| RequestId::generate(app.clock.now(), &app.random).to_string());
    // Not the path of one that is known: the addresses of uploads and previews are secrets.
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map(|path| path.as_str().to_owned());
    // An error's, so that each line below it says whose it is, whatever the log leaves out.
    let span = tracing::error_span!("request", request_id = %id, method = %request.method(), route);
    let unknown = route.is_none().then(|| without_secrets(request.uri().path()));
    let client = ClientAddress::of(&app, request.extensions(), request.headers()).0;
    request.extensions_mut().insert(RequestName(id.clone()));
    let mut response = next.run(request).instrument(span.clone()).await;
    let failure = response.extensions_mut().remove::<Arc<Failure>>();
    let weight = Weight::of(
        failure.as_deref(),
        route.as_deref(),
        response.status().as_u16(),
        |cause| outages.line(app.clock.now(), cause),
    );
    span.in_scope(|| log(&response, failure.as_deref(), weight, unknown, client, begin.elapsed()));
    let is_told = response.extensions().get::<Told>().is_some();
    if let (Some(failure), false) = (failure, is_told) {
        response = failure.write(response, &id);
    }
    let headers = response.headers_mut();
    if let Ok(value) = HeaderValue::from_str(&id) {
        headers.insert(REQUEST_ID, value);
    }
    headers.insert(brand_header(&app, "Api-Version"), HeaderValue::from_static("v1"));
    // But for what says otherwise of itself: the files of pages, and pictures under an address of their own.
    let caching = headers.entry(header::CACHE_CONTROL);
    caching.or_insert(HeaderValue::from_static("private, no-store"));
    response
}

/// One line for each request, when the head of its response is known; an error where something of ours broke.
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
    let account = response.extensions().get::<AccountId>().map(AccountId::as_str);
    let code = failure.map(|failure| failure.code.as_str());
    let cause = failure.and_then(|failure| failure.cause.as_deref());
    match weight {
        Weight::Broken { others: None } => {
            tracing::error!(status, milliseconds, %client, account, code, cause, "a request failed");
        }
        Weight::Broken { others: Some(others) } => {
            tracing::error!(status, milliseconds, %client, account, code, cause, others, "a request failed");
        }
        Weight::Light => tracing::debug!(status, milliseconds, %client, account, code, cause, "responded"),
        Weight::Usual => tracing::info!(status, milliseconds, %client, account, code, cause, unknown_path, "responded"),
    }
}

/// How much an operator wants to know of a request.
#[derive(Clone, Copy)]
enum Weight {
    /// Something of ours broke, or is unavailable; so many others have failed of the same since the last line.
    Broken {
        others: Option<u64>,
    },
    Usual,
    /// One of the many that a monitor sends, or that fail of an outage.
    Light,
}

impl Weight {
    /// `line_of_outage` returns nothing when the outage has had its line.
    fn of(
        failure: Option<&Failure>,
        route: Option<&str>,
        status: u16,
        line_of_outage: impl FnOnce(&str) -> Option<u64>,
    ) -> Self {
        let is_watched = matches!(route, Some("/healthz" | "/readyz"));
        match failure.map(|failure| failure.code) {
            Some(ErrorCode::InternalError) => Self::Broken { others: None },
            Some(ErrorCode::Overloaded) => {
                let cause = failure.and_then(|failure| failure.cause.as_deref());
                let others = line_of_outage(cause.unwrap_or_default());
                others.map_or(Self::Light, |others| Self::Broken { others: Some(others) })
            }
            _ if is_watched && status < 400 => Self::Light,
            _ => Self::Usual,
        }
    }
}

/// A path that leads nowhere, for whoever looks for the typing error in it: short, and without what may be the token of an
/// upload or of a preview, which are the only parts of our own addresses that are so long.
fn without_secrets(path: &str) -> String {
    const LONGEST: usize = 200;
    const LONGEST_PART: usize = 31;
    let parts = path.split('/').map(|part| match part.len() {
        0..=LONGEST_PART => part,
        _ => "...",
    });
    let path: String = parts.collect::<Vec<_>>().join("/").chars().take(LONGEST).collect();
    path
}

/// The client's own id, when it is fit for a log.
fn own_id(request: &Request) -> Option<String> {
    let id = request.headers().get(REQUEST_ID)?.to_str().ok()?;
    let fit = (1..=128).contains(&id.len())
        && id
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    fit.then(|| id.to_owned())
}

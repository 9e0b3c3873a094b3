//! The outermost layer: names each request, logs it, and writes what every response carries.
use std::sync::Arc;

use axum::extract::{MatchedPath, Request, State};
use axum::http::{HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use tracing::Instrument;

use super::{ErrorCode, Failure, brand_header};
use crate::app::App;
use crate::ids::RequestId;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

pub async fn assign_request_id(State(app): State<App>, request: Request, next: Next) -> Response {
    let id = own_id(&request).unwrap_or_else(|| RequestId::generate(app.clock.now(), &app.random).to_string());
    // Not the path: the addresses of uploads and previews are secrets.
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map(|path| path.as_str().to_owned());
    let span = tracing::info_span!("request", request_id = %id, method = %request.method(), route);
    let mut response = next.run(request).instrument(span.clone()).await;
    if let Some(failure) = response.extensions_mut().remove::<Arc<Failure>>() {
        if matches!(failure.code, ErrorCode::InternalError | ErrorCode::Overloaded) {
            span.in_scope(|| tracing::error!(error = failure.message, cause = failure.cause, "a request failed"));
        }
        response = failure.write(response, &id);
    }
    span.in_scope(|| tracing::debug!(status = response.status().as_u16(), "responded"));
    let headers = response.headers_mut();
    if let Ok(value) = HeaderValue::from_str(&id) {
        headers.insert(REQUEST_ID, value);
    }
    headers.insert(brand_header(&app, "Api-Version"), HeaderValue::from_static("v1"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
    response
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

//! Forms that a browser sends, as `application/x-www-form-urlencoded`.
use axum::body::to_bytes;
use axum::extract::Request;
use axum::http::{StatusCode, header};
use axum::response::Response;
use bytes::Bytes;
use serde::de::DeserializeOwned;

use super::session::refusal;

/// The body of a form of at most so many bytes.
pub(super) async fn read(request: Request, most: usize) -> Result<Bytes, Response> {
    let kind = request.headers().get(header::CONTENT_TYPE);
    let essence = kind
        .and_then(|kind| kind.to_str().ok())
        .and_then(|kind| kind.split(';').next());
    if !essence.is_some_and(|essence| essence.trim().eq_ignore_ascii_case("application/x-www-form-urlencoded")) {
        return Err(refusal(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "This takes a form as a browser sends it.",
        ));
    }
    let too_large = |_| {
        refusal(
            StatusCode::PAYLOAD_TOO_LARGE,
            "The form is too large, or ended too early.",
        )
    };
    to_bytes(request.into_body(), most).await.map_err(too_large)
}

/// The fields of a form. A field that stands twice where one is expected is refused.
pub(super) fn parse<T: DeserializeOwned>(body: &[u8]) -> Result<T, Response> {
    serde_urlencoded::from_bytes(body)
        .map_err(|error| refusal(StatusCode::BAD_REQUEST, &format!("The form is not complete: {error}.")))
}

//! Checks that are shared by all readers of a body.
use axum::http::{HeaderMap, header};

use super::Failure;

/// Rejects a body by its declared `Content-Length`, before any of it is read: a client that expects `100 Continue` then
/// sends none of it.
pub fn check_length(headers: &HeaderMap, what: &str, max_bytes: u64) -> Result<(), Failure> {
    let length = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok());
    match length.and_then(|length| length.parse::<u64>().ok()) {
        Some(length) if length > max_bytes => Err(Failure::too_large(what, max_bytes)),
        _ => Ok(()),
    }
}

/// Returns true if the error, or any error in its chain of sources, is of type `E`.
pub fn is_caused_by<E: std::error::Error + 'static>(error: &(dyn std::error::Error + 'static)) -> bool {
    std::iter::successors(Some(error), |error| error.source()).any(|error| error.is::<E>())
}

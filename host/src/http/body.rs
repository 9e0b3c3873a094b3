//! What every reader of a body looks at first.
use axum::http::{HeaderMap, header};

use super::Failure;

/// Refuses what says that it is too large before any of it is read: a client that expects `100 Continue` sends none of it.
pub(crate) fn check_length(headers: &HeaderMap, what: &str, most: u64) -> Result<(), Failure> {
    let length = headers
        .get(header::CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok());
    match length.and_then(|length| length.parse::<u64>().ok()) {
        Some(length) if length > most => Err(Failure::too_large(what, most)),
        _ => Ok(()),
    }
}

/// Whether an error, or one that lies behind it, is of this type.
pub(crate) fn is_caused_by<E: std::error::Error + 'static>(error: &(dyn std::error::Error + 'static)) -> bool {
    std::iter::successors(Some(error), |error| error.source()).any(|error| error.is::<E>())
}

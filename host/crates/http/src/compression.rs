//! Compression of text responses for clients that accept it: a page of a hundred drawings shrinks to a tenth.
//!
//! An attacker learns nothing from the compressed length of a page (BREACH): a page repeats text from a request only
//! for a form with the session's CSRF token, and the token is masked differently in each page.
use axum::http::{Extensions, HeaderMap, StatusCode, Version, header};
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{And, Predicate as _, SizeAbove};

type IsText = fn(StatusCode, Version, &HeaderMap, &Extensions) -> bool;

/// Smaller responses are not worth compressing. The limit also exempts responses that consist of a token or a key.
const MIN_RESPONSE_BYTES: u64 = 1_024;

pub fn layer() -> CompressionLayer<And<SizeAbove, IsText>> {
    CompressionLayer::new()
        .quality(CompressionLevel::Fastest)
        .compress_when(SizeAbove::new(MIN_RESPONSE_BYTES).and(is_text as IsText))
}

fn is_text(_: StatusCode, _: Version, headers: &HeaderMap, _: &Extensions) -> bool {
    const TEXT_TYPES: [&str; 6] = [
        "text/html",
        "text/css",
        "text/javascript",
        "application/javascript",
        "application/json",
        "image/svg+xml",
    ];
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.and_then(|kind| kind.split(';').next()).unwrap_or_default();
    TEXT_TYPES.contains(&kind.trim())
}

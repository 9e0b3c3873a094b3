//! Text is sent compressed to clients that take it so: a page of a hundred drawings shrinks to a tenth.
//!
//! A page holds nothing that its compressed length could tell an attacker (BREACH): what a request brings is repeated only to
//! the sender of a form with the session's token, which itself is written differently into each page.
use axum::http::{Extensions, HeaderMap, StatusCode, Version, header};
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::compression::predicate::{And, Predicate as _, SizeAbove};

type IsText = fn(StatusCode, Version, &HeaderMap, &Extensions) -> bool;

/// Less is not worth it, in bytes. It leaves tokens and keys alone, too.
const MIN_BYTES: u64 = 1_024;

pub(crate) fn layer() -> CompressionLayer<And<SizeAbove, IsText>> {
    CompressionLayer::new()
        .quality(CompressionLevel::Fastest)
        .compress_when(SizeAbove::new(MIN_BYTES).and(is_text as IsText))
}

fn is_text(_: StatusCode, _: Version, headers: &HeaderMap, _: &Extensions) -> bool {
    const TEXTS: [&str; 6] = [
        "text/html",
        "text/css",
        "text/javascript",
        "application/javascript",
        "application/json",
        "image/svg+xml",
    ];
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind = kind.and_then(|kind| kind.split(';').next()).unwrap_or_default();
    TEXTS.contains(&kind.trim())
}

//! Error messages at the top of forms outside of the library.
use std::time::Duration;

use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;

use linepress_http::ErrorCode;
use linepress_platform::error::{Error, ErrorKind};
use linepress_platform::field::Field;

/// The status of the page, and the message for the top of the form; `None` for an internal error.
pub(super) fn for_user(error: &Error) -> Option<(StatusCode, String)> {
    let message = match &error.kind {
        ErrorKind::Internal => return None,
        ErrorKind::ValidationFailed(details) => details
            .iter()
            .map(|detail| format!("{} {}.", subject(&detail.field), detail.message))
            .collect::<Vec<_>>()
            .join(" "),
        ErrorKind::RateLimited { retry_after, .. } => format!("{error} Please try again in {}.", wait(*retry_after)),
        _ => error.to_string(),
    };
    Some((ErrorCode::from(error).status(), message))
}

/// Adds the `Retry-After` header to a page if its error says when to try again, for programs that read no words.
pub(super) fn with_retry_after(mut page: Response, retry_after: Option<Duration>) -> Response {
    if let Some(retry_after) = retry_after {
        let seconds = HeaderValue::from(whole_seconds(retry_after));
        page.headers_mut().insert(header::RETRY_AFTER, seconds);
    }
    page
}

/// The seconds of a wait, rounded up.
fn whole_seconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis().div_ceil(1000).max(1)).unwrap_or(u64::MAX)
}

/// A waiting time in words, rounded up.
pub(super) fn wait(time: Duration) -> String {
    let seconds = whole_seconds(time);
    match (seconds, seconds.div_ceil(60)) {
        (1, _) => "a second".into(),
        (..=90, _) => format!("{seconds} seconds"),
        (_, minutes) => format!("{minutes} minutes"),
    }
}

fn subject(field: &Field) -> String {
    match field.to_string().as_str() {
        "email" => "The e-mail address:".into(),
        "password" => "The password".into(),
        "account" => "This account".into(),
        "name" => "The name".into(),
        "text" => "The comment".into(),
        "page" => "This page".into(),
        "credits" => "The number of credits".into(),
        "scopes" => "What the key may do:".into(),
        "expires_at" => "The last day".into(),
        "credit_cap" => "The most it may spend".into(),
        "overlap_hours" => "The hours".into(),
        "key" => "This key".into(),
        path if path.starts_with("allowed_networks") => "Each network".into(),
        _ => format!("{field}:"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_rounded_up() {
        for (milliseconds, words) in [
            (0, "a second"),
            (1_001, "2 seconds"),
            (90_000, "90 seconds"),
            (90_001, "2 minutes"),
            (120_001, "3 minutes"),
        ] {
            assert_eq!(wait(Duration::from_millis(milliseconds)), words);
        }
    }
}

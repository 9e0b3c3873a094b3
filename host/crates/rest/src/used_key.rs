//! Conflicts of idempotency keys in requests that fail before a concept sees them, such as invalid JSON.
use std::sync::Arc;

use axum::extract::Request;
use axum::http::Method;
use axum::response::{IntoResponse as _, Response};

use super::extract::optional_key;
use linepress_accounts::caller::Caller;
use linepress_accounts::idempotency::{self, IdempotencyKey};
use linepress_http::Failure;
use linepress_platform::app::App;

/// The idempotency key of a request, and the caller that it belongs to.
pub(super) struct SentKey {
    caller: Caller,
    key: IdempotencyKey,
}

/// The well-formed key of an authenticated request that may write; `None` without one.
pub(super) fn of_request(request: &Request) -> Option<SentKey> {
    if !matches!(*request.method(), Method::POST | Method::PUT) {
        return None;
    }
    let key = optional_key(request.headers()).ok().flatten()?;
    let caller = request.extensions().get::<Caller>()?.clone();
    Some(SentKey { caller, key })
}

/// Replaces the error of a request that failed before its key was checked by a conflict, if the key was used before.
pub(super) async fn report_conflict(app: &App, sent: &SentKey, response: Response) -> Response {
    let failure = response.extensions().get::<Arc<Failure>>();
    if !failure.is_some_and(|failure| failure.is_rejection) {
        return response;
    }
    match idempotency::check_unused(app, &sent.caller, &sent.key).await {
        Ok(()) => response,
        Err(error) => Failure::from(error).into_response(),
    }
}

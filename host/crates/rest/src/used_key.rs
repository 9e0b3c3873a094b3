//! Conflicts of idempotency keys in requests that fail before a concept sees them, such as invalid JSON.
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::Method;
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::extract::optional_key;
use linepress_accounts::caller::Caller;
use linepress_accounts::idempotency;
use linepress_http::Failure;
use linepress_platform::app::App;

/// Replaces the error of a request that failed before its key was checked by a conflict, if the key was used before.
pub(super) async fn report_conflict(State(app): State<App>, request: Request, next: Next) -> Response {
    let writes = matches!(*request.method(), Method::POST | Method::PUT);
    let key = if writes {
        optional_key(request.headers())
    } else {
        Ok(None)
    };
    let Ok(Some(key)) = key else {
        return next.run(request).await;
    };
    let caller = request.extensions().get::<Caller>().cloned();
    let response = next.run(request).await;
    let failure = response.extensions().get::<Arc<Failure>>();
    let is_rejected = failure.is_some_and(|failure| failure.is_rejection);
    let (Some(caller), true) = (caller, is_rejected) else {
        return response;
    };
    match idempotency::check_unused(&app, &caller, &key).await {
        Ok(()) => response,
        Err(error) => Failure::from(error).into_response(),
    }
}

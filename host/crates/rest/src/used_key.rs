//! Conflicts of idempotency keys: a used key belongs to the request that used it. Any other request with it is a
//! conflict, even an invalid one.
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::extract::optional_key;
use linepress_core::app::App;
use linepress_core::caller::Caller;
use linepress_core::idempotency;
use linepress_http::Failure;
use linepress_platform::error::ErrorKind;

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
    let (Some(caller), true) = (caller, may_be_a_conflict(response.status())) else {
        return response;
    };
    match idempotency::is_used(&app, &caller, &key).await {
        Ok(true) => Failure::from(ErrorKind::IdempotencyConflict).into_response(),
        Ok(false) => response,
        Err(error) => Failure::from(error).into_response(),
    }
}

/// Returns true for statuses that a used key may hide. An accepted request cannot have had any of them, so the request
/// with this status is a different one.
fn may_be_a_conflict(status: StatusCode) -> bool {
    matches!(
        status,
        StatusCode::BAD_REQUEST
            | StatusCode::NOT_FOUND
            | StatusCode::PAYLOAD_TOO_LARGE
            | StatusCode::UNSUPPORTED_MEDIA_TYPE
            | StatusCode::UNPROCESSABLE_ENTITY
    )
}

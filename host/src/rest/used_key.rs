//! A key that was used belongs to the request that it was used for: any other request with it is a conflict, one that is
//! not valid too.
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

use super::extract::optional_key;
use crate::app::App;
use crate::caller::Caller;
use crate::error::ErrorKind;
use crate::http::Failure;
use crate::idempotency;

/// Refuses as a conflict what was refused for another reason before its key was looked at.
pub(super) async fn refuse(State(app): State<App>, request: Request, next: Next) -> Response {
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

/// The same request was accepted once, so none of these can be its reply.
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

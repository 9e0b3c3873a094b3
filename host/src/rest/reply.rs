//! How results and errors become responses.
use std::any::Any;
use std::sync::Arc;

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use crate::artwork::Download;
use crate::database::PageOf;
use crate::error::{Detail, Error, ErrorCode};
use crate::idempotency::Accepted;

/// A domain error on its way out. The request's id is not known here: the outermost layer writes the body.
#[derive(Debug)]
pub struct Failure(pub Error);

pub type Reply<T = Response> = Result<T, Failure>;

impl<E: Into<Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self(error.into())
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let mut response = status_of(self.0.code).into_response();
        response.extensions_mut().insert(Arc::new(self.0));
        response
    }
}

/// The one place where codes meet statuses.
pub fn status_of(code: ErrorCode) -> StatusCode {
    match code {
        ErrorCode::InvalidRequest | ErrorCode::InvalidPagination | ErrorCode::IdempotencyKeyRequired => {
            StatusCode::BAD_REQUEST
        }
        ErrorCode::Unauthorized => StatusCode::UNAUTHORIZED,
        ErrorCode::InsufficientCredits => StatusCode::PAYMENT_REQUIRED,
        ErrorCode::PlanRequired => StatusCode::FORBIDDEN,
        ErrorCode::NotFound => StatusCode::NOT_FOUND,
        ErrorCode::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
        ErrorCode::IdempotencyConflict | ErrorCode::GenerationActive => StatusCode::CONFLICT,
        ErrorCode::PayloadTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        ErrorCode::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        ErrorCode::ValidationFailed
        | ErrorCode::AccountLimitReached
        | ErrorCode::UnsupportedImage
        | ErrorCode::FormatMismatch
        | ErrorCode::BookNotReady => StatusCode::UNPROCESSABLE_ENTITY,
        ErrorCode::RateLimited => StatusCode::TOO_MANY_REQUESTS,
        ErrorCode::InternalError => StatusCode::INTERNAL_SERVER_ERROR,
        ErrorCode::PlanningUnavailable => StatusCode::SERVICE_UNAVAILABLE,
    }
}

/// The envelope of every error.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Error)]
pub struct ErrorEnvelope<'a> {
    pub error: ErrorBody<'a>,
}

#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct ErrorBody<'a> {
    #[schema(inline)]
    pub code: ErrorCode,
    /// Safe to show.
    pub message: &'a str,
    /// The same as the header `X-Request-Id`; leads an operator to the log.
    pub request_id: &'a str,
    /// The fields or parts that are at fault, where that is known.
    #[serde(skip_serializing_if = "<[Detail]>::is_empty")]
    pub details: &'a [Detail],
}

/// Writes the body of an error response, now that the request's id is known.
pub fn write_error(response: Response, error: &Error, request_id: &str) -> Response {
    let body = ErrorBody {
        code: error.code,
        message: &error.message,
        request_id,
        details: &error.details,
    };
    let (mut parts, _) = response.into_parts();
    parts.headers.remove(header::CONTENT_LENGTH);
    if error.code == ErrorCode::Unauthorized {
        parts
            .headers
            .insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    }
    if let Some(retry_after) = error.retry_after {
        // Rounded up: who comes back on the second must not come too early.
        let seconds = u64::try_from(retry_after.as_micros().div_ceil(1_000_000))
            .unwrap_or(u64::MAX)
            .max(1);
        parts.headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
    }
    (
        parts.status,
        parts.headers,
        parts.extensions,
        Json(ErrorEnvelope { error: body }),
    )
        .into_response()
}

/// A panic is an internal error; its words go to the log.
pub fn panicked(panic: Box<dyn Any + Send>) -> Response {
    let words = panic
        .downcast_ref::<String>()
        .cloned()
        .or_else(|| panic.downcast_ref::<&str>().map(|words| (*words).to_owned()))
        .unwrap_or_else(|| "a panic without words".into());
    Failure(Error::internal(words)).into_response()
}

/// What a call cost and what is left, for the credit headers.
#[derive(Clone, Copy, Debug)]
pub struct Balance {
    pub available: i64,
    pub consumed: i64,
}

/// Seconds between two looks at an operation that has not ended.
pub const POLL_AFTER: HeaderValue = HeaderValue::from_static("2");

/// 202 with what was saved when the generation was accepted.
pub fn accepted(accepted: Accepted) -> Reply {
    let mut response = (
        StatusCode::ACCEPTED,
        [
            (header::CONTENT_TYPE, "application/json"),
            (header::LOCATION, &accepted.location),
        ],
        accepted.body,
    )
        .into_response();
    response.headers_mut().insert(header::RETRY_AFTER, POLL_AFTER);
    if accepted.replayed {
        response
            .headers_mut()
            .insert("idempotency-replayed", HeaderValue::from_static("true"));
    }
    response.extensions_mut().insert(Balance {
        available: accepted.available,
        consumed: accepted.consumed,
    });
    Ok(response)
}

/// 204 for what was there, else the error.
pub fn gone(was_there: bool, missing: fn() -> Error) -> Reply<StatusCode> {
    if was_there {
        Ok(StatusCode::NO_CONTENT)
    } else {
        Err(Failure(missing()))
    }
}

/// 200 with an image.
pub fn download(download: Download) -> Reply {
    Ok(([(header::CONTENT_TYPE, download.media_type)], download.bytes).into_response())
}

/// The `meta` of a list.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Meta {
    /// The value of `after` for the next page; null on the last one.
    #[schema(required)]
    pub next_cursor: Option<String>,
}

impl<T> From<&PageOf<T>> for Meta {
    fn from(page: &PageOf<T>) -> Self {
        Self {
            next_cursor: page.next_cursor.clone(),
        }
    }
}

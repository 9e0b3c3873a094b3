//! How errors become responses: their code, their words and their envelope.
use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::http::{HeaderMap, HeaderValue, Method, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::ErrorCode;
use crate::error::{Detail, Error, ErrorKind};

/// What a request is refused with. The request's id is not known here: the outermost layer writes the body.
#[derive(Debug)]
pub struct Failure {
    pub code: ErrorCode,
    pub message: String,
    pub details: Vec<Detail>,
    pub retry_after: Option<Duration>,
    /// For the log alone.
    pub cause: Option<String>,
    /// What a client whose token does not do is told of how to get one that does.
    pub challenge: Option<Box<HeaderValue>>,
}

pub type Reply<T = Response> = Result<T, Failure>;

impl Failure {
    fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            details: Vec::new(),
            retry_after: None,
            cause: None,
            challenge: None,
        }
    }

    /// The same with a challenge of its own.
    pub fn with_challenge(self, challenge: HeaderValue) -> Self {
        Self {
            challenge: Some(Box::new(challenge)),
            ..self
        }
    }

    /// What was sent cannot be understood.
    pub fn invalid_request(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidRequest, message)
    }

    /// The query of a list cannot be understood.
    pub fn invalid_pagination(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidPagination, message)
    }

    pub fn unauthorized(message: &str) -> Self {
        Self::new(ErrorCode::Unauthorized, message)
    }

    /// The key that was sent is none of ours.
    pub fn invalid_key() -> Self {
        Self::unauthorized("The API key is not valid. It may have been revoked.")
    }

    /// Of several idempotency keys nobody knows which one counts.
    pub fn several_keys() -> Self {
        Self::new(
            ErrorCode::IdempotencyKeyRequired,
            "Send one Idempotency-Key header, not several.",
        )
    }

    pub fn method_not_allowed(method: &Method) -> Self {
        let message = format!("{method} is not allowed here; the Allow header lists what is.");
        Self::new(ErrorCode::MethodNotAllowed, message)
    }

    pub fn unsupported_media_type(message: &str) -> Self {
        Self::new(ErrorCode::UnsupportedMediaType, message)
    }

    /// `what` is larger than so many bytes.
    pub fn too_large(what: &str, limit: u64) -> Self {
        Self::new(
            ErrorCode::PayloadTooLarge,
            format!("{what} is larger than {limit} bytes."),
        )
    }

    /// The body holds more values than any request has.
    pub fn too_many_values(limit: usize) -> Self {
        Self::new(
            ErrorCode::PayloadTooLarge,
            format!("The body holds more than {limit} values."),
        )
    }

    /// There is nothing at this address.
    pub fn unknown_address() -> Self {
        Error::not_found("address").into()
    }
}

impl<E: Into<Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        let error = error.into();
        Self {
            code: ErrorCode::from(&error),
            message: message(&error.kind),
            details: error.details(),
            retry_after: error.retry_after(),
            cause: error.cause(),
            challenge: None,
        }
    }
}

/// The error's own sentence, with what a client of HTTP can do about it.
fn message(kind: &ErrorKind) -> String {
    match kind {
        ErrorKind::AccountLimitReached { .. } => format!("{kind} GET /me shows every limit and its use."),
        ErrorKind::RateLimited { .. } => format!("{kind} The Retry-After header says when to send the next."),
        ErrorKind::IdempotencyKeyMissing => {
            "Send an Idempotency-Key header with a new unique value, so that a retry cannot charge twice.".into()
        }
        ErrorKind::IdempotencyKeyMalformed => "An Idempotency-Key is 1 to 255 visible ASCII characters.".into(),
        ErrorKind::IdempotencyConflict => {
            "This Idempotency-Key was used for another request. Send a new key, or the same method, path and body."
                .into()
        }
        ErrorKind::UnknownPrintFormat { known, edition: None } => format!(
            "There is no such print format. GET /print_formats lists them; for this book: {}.",
            known.join(", ")
        ),
        ErrorKind::Internal => format!("{kind} The request id leads to the log."),
        kind => kind.to_string(),
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let mut response = self.code.status().into_response();
        response.extensions_mut().insert(Arc::new(self));
        response
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
    pub code: ErrorCode,
    /// Safe to show.
    pub message: &'a str,
    /// The same as the header `X-Request-Id`; leads an operator to the log.
    pub request_id: &'a str,
    /// The fields or parts that are at fault, where that is known.
    #[serde(skip_serializing_if = "<[Detail]>::is_empty")]
    pub details: &'a [Detail],
}

impl Failure {
    /// The envelope, now that the request's id is known.
    pub fn envelope<'a>(&'a self, request_id: &'a str) -> ErrorEnvelope<'a> {
        ErrorEnvelope {
            error: ErrorBody {
                code: self.code,
                message: &self.message,
                request_id,
                details: &self.details,
            },
        }
    }

    /// Writes headers and body of the response that this failure was left in.
    pub(super) fn write(&self, response: Response, request_id: &str) -> Response {
        let (mut parts, _) = response.into_parts();
        parts.headers.remove(header::CONTENT_LENGTH);
        let bearer = || (self.code == ErrorCode::Unauthorized).then(|| HeaderValue::from_static("Bearer"));
        if let Some(challenge) = self.challenge.as_deref().cloned().or_else(bearer) {
            parts.headers.insert(header::WWW_AUTHENTICATE, challenge);
        }
        self.tell_when_to_return(&mut parts.headers);
        let body = Json(self.envelope(request_id));
        (parts.status, parts.headers, parts.extensions, body).into_response()
    }
}

impl Failure {
    pub(super) fn tell_when_to_return(&self, headers: &mut HeaderMap) {
        if let Some(retry_after) = self.retry_after_header() {
            headers.insert(header::RETRY_AFTER, retry_after);
        }
    }

    /// When a client may come back, where that helps.
    pub(crate) fn retry_after_header(&self) -> Option<HeaderValue> {
        self.retry_after.map(whole_seconds).map(HeaderValue::from)
    }
}

/// Rounded up: who comes back on the second must not come too early.
pub(crate) fn whole_seconds(duration: Duration) -> u64 {
    let seconds = duration.as_micros().div_ceil(1_000_000);
    u64::try_from(seconds).unwrap_or(u64::MAX).max(1)
}

/// A panic is an internal error; its words go to the log.
pub fn panicked(panic: Box<dyn Any + Send>) -> Response {
    let words = panic
        .downcast_ref::<String>()
        .cloned()
        .or_else(|| panic.downcast_ref::<&str>().map(|words| (*words).to_owned()))
        .unwrap_or_else(|| "a panic without words".into());
    Failure::from(Error::internal(words)).into_response()
}

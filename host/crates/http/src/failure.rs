//! The mapping of errors to HTTP responses: code, message and envelope.
use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::http::{HeaderMap, HeaderValue, Method, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;

use super::{ErrorCode, wording};
use linepress_metrics::known_method;
use linepress_platform::error::{Detail, Error};

/// An error response. It does not have the request id yet: the middleware in [`request_id`](crate::request_id) adds it
/// and writes the body.
#[derive(Debug)]
pub struct Failure {
    pub code: ErrorCode,
    pub message: String,
    pub details: Vec<Detail>,
    pub retry_after: Option<Duration>,
    /// The cause of the error, which is logged and never sent.
    pub cause: Option<String>,
    /// The `WWW-Authenticate` challenge for a missing, invalid or insufficient token.
    pub challenge: Option<Box<HeaderValue>>,
    /// True for an error of the request itself, as in [`ErrorKind::is_rejection`].
    ///
    /// [`ErrorKind::is_rejection`]: linepress_platform::error::ErrorKind::is_rejection
    pub is_rejection: bool,
}

pub type Reply<T = Response> = Result<T, Failure>;

impl Failure {
    /// An error of the request itself.
    fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            details: Vec::new(),
            retry_after: None,
            cause: None,
            challenge: None,
            is_rejection: true,
        }
    }

    /// Replaces the challenge.
    pub fn with_challenge(self, challenge: HeaderValue) -> Self {
        Self {
            challenge: Some(Box::new(challenge)),
            ..self
        }
    }

    /// The request is malformed.
    pub fn invalid_request(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidRequest, message)
    }

    /// The paging parameters of a list are malformed.
    pub fn invalid_pagination(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidPagination, message)
    }

    pub fn unauthorized(message: &str) -> Self {
        Self {
            is_rejection: false,
            ..Self::new(ErrorCode::Unauthorized, message)
        }
    }

    /// The API key is unknown, has expired, or was revoked or rotated.
    pub fn invalid_key() -> Self {
        Self::unauthorized(
            "The API key is not valid. It may have expired, or been revoked or rotated. Send another key of the account.",
        )
    }

    /// The request has several idempotency keys, and it is unclear which of them counts.
    pub fn several_keys() -> Self {
        Self::new(
            ErrorCode::IdempotencyKeyRequired,
            "Send one Idempotency-Key header, not several.",
        )
    }

    pub fn method_not_allowed(method: &Method) -> Self {
        // Clients may invent methods of any length.
        let name = match known_method(method.as_str()) {
            "other" => "This method",
            known => known,
        };
        let message = format!("{name} is not allowed here; the Allow header lists what is.");
        Self {
            is_rejection: false,
            ..Self::new(ErrorCode::MethodNotAllowed, message)
        }
    }

    pub fn unsupported_media_type(message: &str) -> Self {
        Self::new(ErrorCode::UnsupportedMediaType, message)
    }

    /// `what`, the subject of the message, is larger than `limit` bytes.
    pub fn too_large(what: &str, limit: u64) -> Self {
        Self::new(
            ErrorCode::PayloadTooLarge,
            format!("{what} is larger than {limit} bytes."),
        )
    }

    /// The body has more than `limit` JSON values.
    pub fn too_many_values(limit: usize) -> Self {
        Self::new(
            ErrorCode::PayloadTooLarge,
            format!("The body holds more than {limit} values."),
        )
    }

    /// The server has no resource at this address.
    pub fn unknown_address() -> Self {
        Error::not_found("address").into()
    }
}

impl<E: Into<Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        let error = error.into();
        Self {
            code: ErrorCode::from(&error),
            message: wording::message_for(&error.kind),
            details: wording::details_for(&error),
            retry_after: error.retry_after(),
            cause: error.cause(),
            challenge: None,
            is_rejection: error.kind.is_rejection(),
        }
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
    /// A message that is safe to show to a person.
    pub message: &'a str,
    /// The same id as in the header `X-Request-Id`; the operator finds the request in the log by it.
    pub request_id: &'a str,
    /// The fields or parts that are wrong, where they are known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub details: Vec<DetailBody<'a>>,
}

/// One field of a request, or one part of a resource, and what is wrong with it.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[schema(as = Detail)]
pub struct DetailBody<'a> {
    /// A path into the request body, such as `page.title`.
    #[schema(example = "page.title")]
    pub field: String,
    /// The reason why the value is rejected.
    #[schema(example = "must not be blank")]
    pub message: &'a str,
}

impl<'a> From<&'a Detail> for DetailBody<'a> {
    fn from(detail: &'a Detail) -> Self {
        Self {
            field: detail.field.to_string(),
            message: &detail.message,
        }
    }
}

impl Failure {
    /// The envelope with the request id.
    pub fn envelope<'a>(&'a self, request_id: &'a str) -> ErrorEnvelope<'a> {
        ErrorEnvelope {
            error: ErrorBody {
                code: self.code,
                message: &self.message,
                request_id,
                details: self.details.iter().map(DetailBody::from).collect(),
            },
        }
    }

    /// Writes the headers and the body of this failure into its response.
    pub(super) fn write(&self, response: Response, request_id: &str) -> Response {
        let (mut parts, _) = response.into_parts();
        parts.headers.remove(header::CONTENT_LENGTH);
        let bearer = || (self.code == ErrorCode::Unauthorized).then(|| HeaderValue::from_static("Bearer"));
        if let Some(challenge) = self.challenge.as_deref().cloned().or_else(bearer) {
            parts.headers.insert(header::WWW_AUTHENTICATE, challenge);
        }
        self.insert_retry_after(&mut parts.headers);
        let body = Json(self.envelope(request_id));
        (parts.status, parts.headers, parts.extensions, body).into_response()
    }
}

impl Failure {
    pub(super) fn insert_retry_after(&self, headers: &mut HeaderMap) {
        if let Some(retry_after) = self.retry_after_header() {
            headers.insert(header::RETRY_AFTER, retry_after);
        }
    }

    /// The value of the `Retry-After` header, for failures that are worth a retry.
    pub fn retry_after_header(&self) -> Option<HeaderValue> {
        self.retry_after.map(whole_seconds).map(HeaderValue::from)
    }
}

/// Rounds up to whole seconds, at least 1, so that a client that waits this long is not early.
pub fn whole_seconds(duration: Duration) -> u64 {
    let seconds = duration.as_micros().div_ceil(1_000_000);
    u64::try_from(seconds).unwrap_or(u64::MAX).max(1)
}

/// Converts a panic into an internal error; the panic message is logged only.
pub fn response_to_panic(panic: Box<dyn Any + Send>) -> Response {
    let words = panic
        .downcast_ref::<String>()
        .cloned()
        .or_else(|| panic.downcast_ref::<&str>().map(|words| (*words).to_owned()))
        .unwrap_or_else(|| "a panic without a message".into());
    Failure::from(Error::internal(words)).into_response()
}

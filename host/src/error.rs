//! The one domain error, with its stable codes. It knows no HTTP: each door maps the code.
use std::fmt;
use std::time::Duration;

use serde::Serialize;

/// What went wrong, in a word that clients may rely on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    InvalidRequest,
    InvalidPagination,
    IdempotencyKeyRequired,
    Unauthorized,
    InsufficientCredits,
    PlanRequired,
    NotFound,
    MethodNotAllowed,
    IdempotencyConflict,
    GenerationActive,
    PayloadTooLarge,
    UnsupportedMediaType,
    ValidationFailed,
    AccountLimitReached,
    UnsupportedImage,
    FormatMismatch,
    BookNotReady,
    RateLimited,
    InternalError,
    PlanningUnavailable,
}

/// One field of a request, or one part of a resource, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Detail {
    /// A path into the request body, such as `page.title`.
    #[schema(example = "page.title")]
    pub field: String,
    /// What is wrong with it.
    #[schema(example = "must be 1 to 200 characters")]
    pub message: String,
}

/// An error that a client may see: message and details are safe; the cause is for the log alone.
#[derive(Debug)]
pub struct Error {
    pub code: ErrorCode,
    pub message: String,
    pub details: Vec<Detail>,
    pub retry_after: Option<Duration>,
    cause: Option<Box<dyn std::error::Error + Send + Sync>>,
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            details: Vec::new(),
            retry_after: None,
            cause: None,
        }
    }

    pub fn invalid_request(message: impl Into<String>) -> Self {
        Self::new(ErrorCode::InvalidRequest, message)
    }

    /// The same for what does not exist, what is someone else's and what is archived.
    pub fn not_found(what: &str) -> Self {
        Self::new(ErrorCode::NotFound, format!("There is no such {what}."))
    }

    pub fn validation(details: Vec<Detail>) -> Self {
        let message = match details.first() {
            Some(detail) => format!("{}: {}.", detail.field, detail.message),
            None => "The request is not valid.".into(),
        };
        Self {
            details,
            ..Self::new(ErrorCode::ValidationFailed, message)
        }
    }

    pub fn invalid_field(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self::validation(vec![Detail {
            field: field.into(),
            message: message.into(),
        }])
    }

    pub fn insufficient_credits(needed: i64, available: i64) -> Self {
        Self::new(
            ErrorCode::InsufficientCredits,
            format!("This needs {needed} credits and the account has {available}."),
        )
    }

    /// An account has as much of something as it may have.
    pub fn account_limit(what: &str, limit: i64) -> Self {
        Self::new(
            ErrorCode::AccountLimitReached,
            format!("This account may have at most {limit} {what}. GET /me shows every limit and its use."),
        )
    }

    pub fn rate_limited(what: &str, retry_after: Duration) -> Self {
        Self::new(
            ErrorCode::RateLimited,
            format!("Too many {what} in a short time. The Retry-After header says when to send the next."),
        )
        .with_retry_after(retry_after)
    }

    pub fn generation_active(what: &str) -> Self {
        Self::new(
            ErrorCode::GenerationActive,
            format!("This {what} already has a generation under way. Wait until its operation has ended."),
        )
    }

    pub fn planning_unavailable(retry_after: Duration) -> Self {
        Self::new(
            ErrorCode::PlanningUnavailable,
            "Book planning is temporarily unavailable. Try again later.",
        )
        .with_retry_after(retry_after)
    }

    /// Something of ours broke. The cause is logged where the error leaves the house, never sent.
    pub fn internal(cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::new(
            ErrorCode::InternalError,
            "Something went wrong on our side. The request id leads to the log.",
        )
        .with_cause(cause)
    }

    pub fn with_details(self, details: Vec<Detail>) -> Self {
        Self { details, ..self }
    }

    pub fn with_retry_after(self, retry_after: Duration) -> Self {
        Self {
            retry_after: Some(retry_after),
            ..self
        }
    }

    pub fn with_cause(self, cause: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self {
            cause: Some(cause.into()),
            ..self
        }
    }

    /// The cause and what lies behind it, for the log.
    pub fn cause(&self) -> Option<String> {
        let text = chain(self.cause.as_deref()?);
        (!text.is_empty()).then_some(text)
    }
}

/// An error and what lies behind it, for the log.
pub fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = String::new();
    let mut next = Some(error);
    while let Some(error) = next {
        if !text.is_empty() {
            text.push_str(": ");
        }
        text.push_str(&error.to_string());
        next = error.source();
    }
    text
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.message)
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.cause.as_deref().map(|cause| cause as _)
    }
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        Self::internal(error)
    }
}

impl From<serde_json::Error> for Error {
    fn from(error: serde_json::Error) -> Self {
        Self::internal(error)
    }
}

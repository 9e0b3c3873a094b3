//! The error codes of the API, which are stable, and their HTTP statuses.
use axum::http::StatusCode;
use linepress_model::text_enum;

use linepress_platform::error::{Error, ErrorKind};

text_enum! {
    /// The kind of error, as a stable word that clients can depend on.
    pub enum ErrorCode {
        InvalidRequest = "invalid_request",
        InvalidPagination = "invalid_pagination",
        IdempotencyKeyRequired = "idempotency_key_required",
        Unauthorized = "unauthorized",
        InsufficientCredits = "insufficient_credits",
        CreditCapReached = "credit_cap_reached",
        InsufficientScope = "insufficient_scope",
        PlanRequired = "plan_required",
        OperatorRequired = "operator_required",
        NotFound = "not_found",
        MethodNotAllowed = "method_not_allowed",
        IdempotencyConflict = "idempotency_conflict",
        GenerationActive = "generation_active",
        PageLocked = "page_locked",
        SettingsNotWritable = "settings_not_writable",
        PayloadTooLarge = "payload_too_large",
        UnsupportedMediaType = "unsupported_media_type",
        ValidationFailed = "validation_failed",
        AccountLimitReached = "account_limit_reached",
        UnsupportedImage = "unsupported_image",
        FormatMismatch = "format_mismatch",
        BookNotReady = "book_not_ready",
        RateLimited = "rate_limited",
        InternalError = "internal_error",
        PlanningUnavailable = "planning_unavailable",
        GenerationUnavailable = "generation_unavailable",
        PrintingUnavailable = "printing_unavailable",
        Overloaded = "overloaded",
        Maintenance = "maintenance",
    }
}

impl ErrorCode {
    /// The HTTP status of the code. No other place maps codes to statuses.
    pub fn status(self) -> StatusCode {
        match self {
            Self::InvalidRequest | Self::InvalidPagination | Self::IdempotencyKeyRequired => StatusCode::BAD_REQUEST,
            Self::Unauthorized => StatusCode::UNAUTHORIZED,
            Self::InsufficientCredits | Self::CreditCapReached => StatusCode::PAYMENT_REQUIRED,
            Self::PlanRequired | Self::InsufficientScope | Self::OperatorRequired => StatusCode::FORBIDDEN,
            Self::NotFound => StatusCode::NOT_FOUND,
            Self::MethodNotAllowed => StatusCode::METHOD_NOT_ALLOWED,
            Self::IdempotencyConflict | Self::GenerationActive | Self::PageLocked | Self::SettingsNotWritable => {
                StatusCode::CONFLICT
            }
            Self::PayloadTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Self::UnsupportedMediaType => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::ValidationFailed
            | Self::AccountLimitReached
            | Self::UnsupportedImage
            | Self::FormatMismatch
            | Self::BookNotReady => StatusCode::UNPROCESSABLE_ENTITY,
            Self::RateLimited => StatusCode::TOO_MANY_REQUESTS,
            Self::InternalError => StatusCode::INTERNAL_SERVER_ERROR,
            Self::PlanningUnavailable
            | Self::GenerationUnavailable
            | Self::PrintingUnavailable
            | Self::Overloaded
            | Self::Maintenance => StatusCode::SERVICE_UNAVAILABLE,
        }
    }
}

impl From<&Error> for ErrorCode {
    fn from(error: &Error) -> Self {
        match &error.kind {
            ErrorKind::InvalidPagination(_) => Self::InvalidPagination,
            ErrorKind::IdempotencyKeyMissing | ErrorKind::IdempotencyKeyMalformed { .. } => {
                Self::IdempotencyKeyRequired
            }
            ErrorKind::IdempotencyConflict | ErrorKind::KeyShownBefore { .. } => Self::IdempotencyConflict,
            ErrorKind::InsufficientCredits { .. } => Self::InsufficientCredits,
            ErrorKind::CreditCapReached { .. } | ErrorKind::KeyCapReached { .. } => Self::CreditCapReached,
            ErrorKind::InsufficientScope { .. }
            | ErrorKind::KeyLacksScope { .. }
            | ErrorKind::KeyOutsideNetworks { .. }
            | ErrorKind::UnlimitedKeyRequired
            | ErrorKind::OwnerRequired => Self::InsufficientScope,
            ErrorKind::GrantRevoked | ErrorKind::KeyRevoked | ErrorKind::SessionEnded => Self::Unauthorized,
            ErrorKind::PlanRequired => Self::PlanRequired,
            ErrorKind::OperatorRequired => Self::OperatorRequired,
            ErrorKind::SettingsNotWritable => Self::SettingsNotWritable,
            ErrorKind::NotFound { .. } | ErrorKind::NoImage { .. } => Self::NotFound,
            ErrorKind::GenerationActive { .. } => Self::GenerationActive,
            ErrorKind::PageLocked | ErrorKind::PagesLocked { .. } => Self::PageLocked,
            ErrorKind::ValidationFailed(_) | ErrorKind::SourcePicture(_) | ErrorKind::PriceChanged { .. } => {
                Self::ValidationFailed
            }
            ErrorKind::AccountLimitReached { .. } => Self::AccountLimitReached,
            ErrorKind::FileTooLarge { .. } => Self::PayloadTooLarge,
            ErrorKind::UnsupportedImage(_) => Self::UnsupportedImage,
            ErrorKind::UnknownPrintFormat { .. } => Self::InvalidRequest,
            ErrorKind::FormatMismatch(_) => Self::FormatMismatch,
            ErrorKind::BookNotReady(_) => Self::BookNotReady,
            ErrorKind::RateLimited { .. } => Self::RateLimited,
            ErrorKind::PlanningUnavailable { .. } => Self::PlanningUnavailable,
            ErrorKind::GenerationUnavailable { .. } => Self::GenerationUnavailable,
            ErrorKind::PrintingUnavailable { .. } => Self::PrintingUnavailable,
            ErrorKind::Overloaded { .. } | ErrorKind::Unavailable { .. } => Self::Overloaded,
            ErrorKind::Maintenance { .. } => Self::Maintenance,
            ErrorKind::Internal => Self::InternalError,
        }
    }
}

//! Errors as OAuth words them (RFC 6749, section 5.2): JSON for apps.
use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use crate::error::Error;
use crate::grants::Refusal;
use crate::http::Failure;

/// Why an app is refused: a word that it can rely on, and a sentence for those who build it. The sentence holds neither
/// quotation marks nor backslashes: OAuth does not let it.
#[derive(Debug)]
pub(super) struct OAuthError {
    status: StatusCode,
    code: &'static str,
    description: String,
    retry_after: Option<HeaderValue>,
    /// How to show who one is, where that is what is missing.
    challenge: Option<&'static str>,
}

impl OAuthError {
    pub(super) fn new(code: &'static str, description: impl Into<String>) -> Self {
        Self {
            status: StatusCode::BAD_REQUEST,
            code,
            description: description.into(),
            retry_after: None,
            challenge: None,
        }
    }

    pub(super) fn invalid_request(description: impl Into<String>) -> Self {
        Self::new("invalid_request", description)
    }

    /// The same words whether the client is unknown, was revoked, or has shown the wrong secret.
    pub(super) fn invalid_client() -> Self {
        Self {
            status: StatusCode::UNAUTHORIZED,
            challenge: Some("Basic realm=\"Linepress\""),
            ..Self::new(
                "invalid_client",
                "The client is not known, or did not show that it is itself.",
            )
        }
    }

    /// Of a token that opens a registration.
    pub(super) fn invalid_token(description: &str) -> Self {
        Self {
            status: StatusCode::UNAUTHORIZED,
            challenge: Some("Bearer"),
            ..Self::new("invalid_token", description)
        }
    }
}

impl From<Refusal> for OAuthError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Grant(why) => Self::new("invalid_grant", why),
            Refusal::Scope(why) => Self::new("invalid_scope", why),
            Refusal::Target(why) => Self::new("invalid_target", why),
        }
    }
}

/// Something of ours, or too much at a time.
impl From<Error> for OAuthError {
    fn from(error: Error) -> Self {
        let code = if error.is_internal() {
            tracing::error!(error = %error, cause = error.cause(), "an app could not be served");
            "server_error"
        } else {
            "temporarily_unavailable"
        };
        let failure = Failure::from(error);
        Self {
            status: failure.code.status(),
            retry_after: failure.retry_after_header(),
            ..Self::new(code, failure.message)
        }
    }
}

impl IntoResponse for OAuthError {
    fn into_response(self) -> Response {
        let body = Json(json!({"error": self.code, "error_description": self.description}));
        let mut response = (self.status, body).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(challenge) = self.challenge {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static(challenge));
        }
        if let Some(retry_after) = self.retry_after {
            headers.insert(header::RETRY_AFTER, retry_after);
        }
        response
    }
}

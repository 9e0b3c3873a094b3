//! OAuth error responses (RFC 6749, section 5.2), as JSON.
use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde_json::json;

use linepress_accounts::grants::Refusal;
use linepress_http::Failure;
use linepress_platform::error::Error;

/// An error for an app: a stable code, and a description for its developer. The description must not contain quotation
/// marks or backslashes (RFC 6749, section 5.2).
#[derive(Debug)]
pub(super) struct OAuthError {
    status: StatusCode,
    code: &'static str,
    description: String,
    retry_after: Option<HeaderValue>,
    /// The `WWW-Authenticate` challenge, if the client or the token could not be authenticated.
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

    /// The error for a failed client authentication. It is the same for an unknown client, a revoked client and a wrong
    /// secret.
    pub(super) fn invalid_client() -> Self {
        Self {
            status: StatusCode::UNAUTHORIZED,
            challenge: Some("Basic realm=\"Linepress\""),
            ..Self::new("invalid_client", "The client is unknown, or its authentication failed.")
        }
    }

    /// The error for a wrong registration access token.
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

/// An internal error, or a rate limit.
impl From<Error> for OAuthError {
    fn from(error: Error) -> Self {
        let code = if error.is_internal() {
            tracing::error!(error = %error, cause = error.cause(), "OAuth request failed");
            "server_error"
        } else {
            "temporarily_unavailable"
        };
        let failure = Failure::from(error);
        Self {
            status: failure.code.status(),
            retry_after: failure.retry_after_header(),
            ..Self::new(code, describable(&failure.message))
        }
    }
}

/// The text with the characters that a description must not contain replaced (RFC 6749, section 5.2). An operator's
/// message may contain any.
fn describable(text: &str) -> String {
    let allowed = |letter: char| match letter {
        '"' => '\'',
        '\\' => '/',
        ' '..='~' => letter,
        _ => '?',
    };
    text.chars().map(allowed).collect()
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

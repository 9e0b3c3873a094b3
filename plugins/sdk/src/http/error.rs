//! Errors of requests without a response. A response with an error status is not an error here.

use crate::Failure;

/// Why a request has no usable response. The texts are for the operator's log and contain no secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// The URL is not an `http` or `https` URL with a host.
    Url { url: String },
    /// The connection was not established, or the host refused the request.
    Connect { request: String, reason: String },
    /// One of the timeouts expired.
    Timeout { request: String },
    /// The response ended too early, or was not valid HTTP.
    Interrupted { request: String, reason: String },
    /// The response is larger than `limit` bytes. `limit` is `None` for the server's limit, whose size the plugin does
    /// not know.
    TooLarge { request: String, limit: Option<usize> },
    /// The response is not the expected JSON.
    Json { request: String, reason: String },
}

impl std::fmt::Display for Error {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Url { url } => write!(formatter, "{url:?} is not an http or https URL"),
            Self::Connect { request, reason } => {
                write!(formatter, "{request}: the API cannot be reached: {reason}")
            }
            Self::Timeout { request } => write!(formatter, "{request}: the API did not respond in time"),
            Self::Interrupted { request, reason } => {
                write!(formatter, "{request}: the response was interrupted: {reason}")
            }
            Self::TooLarge { request, limit } => {
                let limit = limit.map_or_else(|| "the plugin may receive".into(), |limit| format!("{limit} bytes"));
                write!(formatter, "{request}: the response is larger than {limit}")
            }
            Self::Json { request, reason } => {
                write!(formatter, "{request}: the response is not the expected JSON: {reason}")
            }
        }
    }
}

impl std::error::Error for Error {}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        match error {
            Error::TooLarge { .. } | Error::Json { .. } => Self::Other(error.to_string()),
            _ => Self::Unavailable(error.to_string()),
        }
    }
}

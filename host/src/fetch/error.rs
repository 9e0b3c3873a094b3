//! Why a file was not fetched: what clients may know of it, and what only the log holds.
use std::io;

use reqwest::StatusCode;

use crate::error::{Detail, Error, ErrorCode};

/// Its messages are safe to send; sources are not.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// What is wrong with the URL as it was written.
    #[error("{0}")]
    Url(&'static str),
    /// One message for all: who could tell refused from silent could map the network behind the server.
    #[error("{FAILED}")]
    Failed(#[source] Cause),
    #[error("leads to a file larger than {limit} bytes")]
    TooLarge { limit: u64 },
    /// A fault of ours.
    #[error("could not be kept")]
    Keep(#[source] io::Error),
}

const FAILED: &str = "could not be fetched: it must lead to a file that anybody may read, on a server on the public \
                      internet that answers soon and redirects 3 times at most";

/// What happened on the way.
#[derive(Debug, thiserror::Error)]
pub enum Cause {
    #[error("this server cannot fetch anything: {0}")]
    Setup(String),
    #[error("the request failed")]
    Transport(#[source] reqwest::Error),
    #[error("a redirect leads to a URL that {0}")]
    Redirect(&'static str),
    #[error("there are more than {0} redirects")]
    Redirects(usize),
    #[error("the answer is {0}")]
    Status(StatusCode),
    #[error("the time is up")]
    TimedOut,
}

impl FetchError {
    pub(super) fn transport(error: reqwest::Error) -> Self {
        // The query of a URL is often what lets its bearer in.
        Self::Failed(Cause::Transport(error.without_url()))
    }

    /// The same as a complaint about a field of a request.
    pub fn into_error(self, field: &str) -> Error {
        let message = self.to_string();
        match self {
            Self::Url(_) => Error::invalid_field(field, message),
            Self::Failed(cause) => Error::invalid_field(field, message).with_cause(cause),
            Self::TooLarge { .. } => {
                let detail = Detail {
                    field: field.into(),
                    message,
                };
                Error::new(
                    ErrorCode::PayloadTooLarge,
                    format!("{}: {}.", detail.field, detail.message),
                )
                .with_details(vec![detail])
            }
            Self::Keep(cause) => Error::internal(cause),
        }
    }
}

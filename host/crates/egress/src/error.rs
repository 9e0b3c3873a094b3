//! Why a file was not fetched: what clients may know of it, and what only the log holds.
use std::error::Error;

use reqwest::StatusCode;

/// Why a file was not fetched. The messages are safe to send, and read on from the name of the field that held the URL;
/// sources are for the log.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// What is wrong with the URL as it was written.
    #[error("{0}")]
    Url(&'static str),
    /// One message for all: who could tell refused from silent could map the network behind the server.
    #[error("{FAILED}")]
    Failed(#[source] Cause),
    /// In bytes.
    #[error("leads to a file larger than {limit} bytes")]
    TooLarge { limit: u64 },
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
    #[error("the response is {0}")]
    Status(StatusCode),
    #[error("the time is up")]
    TimedOut,
}

impl FetchError {
    pub(crate) fn transport(error: reqwest::Error) -> Self {
        // The query of a URL is often what lets its bearer in.
        Self::Failed(Cause::Transport(error.without_url()))
    }
}

/// An error and what lies behind it, in one line.
pub(crate) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(error) = next {
        text = format!("{text}: {error}");
        next = error.source();
    }
    text
}

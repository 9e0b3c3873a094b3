//! Errors of fetching a file: messages that clients may see, and causes for the log only.
use std::error::Error;
use std::iter::successors;

use reqwest::StatusCode;
use url::Url;

use crate::guard::Refusal;
use crate::origin::exact_host;
use crate::target;

/// The reason why a file was not fetched. The messages are safe to send to clients, and continue a sentence that begins
/// with the name of the field that held the URL. Sources are for the log only.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The URL itself is not acceptable.
    #[error("{0}")]
    Url(&'static str),
    /// All other causes share one message: a client that could distinguish a refused connection from a silent host
    /// could map the network behind the server. `Fetcher::host_problem` tells those of hosts on the public internet.
    #[error("{FAILED_MESSAGE}")]
    Failed(#[source] Cause),
    /// The file is larger than `limit` bytes.
    #[error("leads to a file larger than {limit} bytes")]
    TooLarge { limit: u64 },
}

const FAILED_MESSAGE: &str = "could not be fetched: it must lead to a file that anyone may read, on a server on the \
                              public internet that answers soon and redirects 3 times at most";

/// The cause of a failed fetch.
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
    #[error("the file was not received within the time limit")]
    TimedOut,
}

impl FetchError {
    pub(crate) fn transport(error: reqwest::Error) -> Self {
        // The query of a URL often contains credentials.
        Self::Failed(Cause::Transport(error.without_url()))
    }

    /// The host of the fetched URL, as a setting names it, if it was refused because its address is not public. `None`
    /// for another host to which a redirect leads: a redirect must not lead the operator to permit another host.
    pub fn private_host(&self, url: &Url) -> Option<String> {
        let host = url.host_str().and_then(exact_host)?;
        let is_refused = match self {
            Self::Url(problem) => *problem == target::NOT_PUBLIC,
            Self::Failed(cause) => {
                let mut causes = successors(Some(cause as &(dyn Error + 'static)), |&error| error.source());
                causes.any(|cause| {
                    let refusal = cause.downcast_ref::<Refusal>();
                    matches!(refusal, Some(Refusal::NotPublic { name, .. }) if *name == host)
                })
            }
            Self::TooLarge { .. } => false,
        };
        is_refused.then_some(host)
    }
}

/// An error and its sources, in one line.
pub(crate) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(error) = next {
        text = format!("{text}: {error}");
        next = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_host_of_the_url_itself_is_named_as_private() {
        let redirect = || FetchError::Failed(Cause::Redirect(target::NOT_PUBLIC));
        for (error, url, host) in [
            (
                FetchError::Url(target::NOT_PUBLIC),
                "https://10.0.0.5/a",
                Some("10.0.0.5"),
            ),
            (
                FetchError::Url(target::NOT_PUBLIC),
                "https://[FD00::1]/a",
                Some("[fd00::1]"),
            ),
            (FetchError::Url("must start with https://"), "http://10.0.0.5/a", None),
            (redirect(), "https://plugins.test/a", None),
            (FetchError::TooLarge { limit: 1 }, "https://plugins.test/a", None),
        ] {
            let found = error.private_host(&url.parse().expect("a URL"));
            assert_eq!(found.as_deref(), host, "{error:?} {url}");
        }
    }
}

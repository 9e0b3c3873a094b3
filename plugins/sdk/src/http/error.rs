//! What can keep a request from an answer. An answer with a bad status is an answer.

/// The texts are for the operator's log and hold no secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// No `http` or `https` address with a host.
    Url { url: String },
    /// The server refused it, or nobody answered there.
    Connect { request: String, reason: String },
    /// One of the timeouts ran out.
    Timeout { request: String },
    /// The response ended before it was whole, or was no HTTP.
    Interrupted { request: String, reason: String },
    /// The response is larger than the request allows, or than the server does, which tells no figure.
    TooLarge { request: String, limit: Option<usize> },
    /// The response is not the JSON that was expected.
    Json { request: String, reason: String },
}

impl std::fmt::Display for Error {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Url { url } => write!(formatter, "{url:?} is no http or https address"),
            Self::Connect { request, reason } => {
                write!(formatter, "{request}: the API cannot be reached: {reason}")
            }
            Self::Timeout { request } => write!(formatter, "{request}: the API did not answer in time"),
            Self::Interrupted { request, reason } => write!(formatter, "{request}: the response broke off: {reason}"),
            Self::TooLarge { request, limit } => {
                let limit = limit.map_or_else(|| "the plugin may receive".into(), |limit| format!("{limit} bytes"));
                write!(formatter, "{request}: the response is larger than {limit}")
            }
            Self::Json { request, reason } => {
                write!(
                    formatter,
                    "{request}: the response is not what the API promises: {reason}"
                )
            }
        }
    }
}

impl std::error::Error for Error {}

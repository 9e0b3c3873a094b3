//! Errors of loading the plugin folder and of calling a plugin.
use std::path::PathBuf;
use std::time::Duration;

use crate::log_text::one_line;
use crate::network::Secrets;

/// Maximum size of a reason that a plugin gives. The rest is cut off.
const MAX_REASON_BYTES: usize = 2 << 10;

/// Why no plugin could be loaded at all. A problem with a single plugin is a [`crate::Refusal`] instead.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error("the plugin folder {} cannot be read: {source}", path.display())]
    Folder { path: PathBuf, source: std::io::Error },
    #[error("the plugin folder {} contains more than {max} folders: check that it is the right folder", path.display())]
    TooManyFolders { path: PathBuf, max: usize },
    #[error("the folder for compiled plugins {} cannot be used: {source}", path.display())]
    Cache { path: PathBuf, source: std::io::Error },
    // Wasmtime's error type does not implement `std::error::Error`, so its whole chain is printed here.
    #[error("the WebAssembly engine cannot be created: {0:#}")]
    Engine(wasmtime::Error),
}

/// Why a call failed. The texts may come from the plugin: the log and the log of calls show them to operators, and
/// customers never see them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// The request violates the plugin's content policy. Not retried.
    #[error("refused: {0}")]
    Refused(String),
    /// The request can never succeed unless it is changed. Not retried.
    #[error("invalid request: {0}")]
    Invalid(String),
    /// Too many requests. May be retried after the given time, if the plugin gave one.
    #[error("rate limited")]
    RateLimited(Option<Duration>),
    /// Not called: no permit was free, and a call of this kind does not wait for one.
    #[error("not called: too many calls of this kind are running")]
    Busy,
    /// A temporary problem. May be retried later.
    #[error("unavailable: {0}")]
    Unavailable(String),
    /// Any other failure that the plugin reports.
    #[error("failed: {0}")]
    Failed(String),
    /// The component crashed.
    #[error("trapped: {0}")]
    Trapped(String),
    /// The call was stopped at its deadline.
    #[error("stopped after {} s, the plugin's deadline", .0.as_secs_f32())]
    Deadline(Duration),
    /// The component reached its memory limit and then failed.
    #[error("out of memory: the plugin's limit is {limit_mib} MiB")]
    OutOfMemory { limit_mib: u32 },
    /// The component returned more bytes than its limit.
    #[error("the response is too large: more than {limit} bytes")]
    ResponseTooLarge { limit: u64 },
    /// The response violates the contract.
    #[error("invalid response: {0}")]
    InvalidResponse(String),
}

/// Upper bound of the pause that a plugin may ask for.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(600);

impl CallError {
    /// The same error with its reason shortened to one line, without secrets.
    pub(crate) fn for_the_log(self, secrets: &Secrets) -> Self {
        let brief = |reason| one_line(secrets.removed_from(reason), MAX_REASON_BYTES);
        match self {
            Self::Refused(reason) => Self::Refused(brief(reason)),
            Self::Invalid(reason) => Self::Invalid(brief(reason)),
            Self::Unavailable(reason) => Self::Unavailable(brief(reason)),
            Self::Failed(reason) => Self::Failed(brief(reason)),
            Self::Trapped(reason) => Self::Trapped(brief(reason)),
            Self::InvalidResponse(reason) => Self::InvalidResponse(brief(reason)),
            other => other,
        }
    }

    /// The kind of the error in a word, for metrics.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Refused(_) => "refused",
            Self::Invalid(_) => "invalid",
            Self::RateLimited(_) => "rate_limited",
            Self::Busy => "busy",
            Self::Unavailable(_) => "unavailable",
            Self::Failed(_) => "failed",
            Self::Trapped(_) => "trapped",
            Self::Deadline(_) => "deadline_exceeded",
            Self::OutOfMemory { .. } => "out_of_memory",
            Self::ResponseTooLarge { .. } => "response_too_large",
            Self::InvalidResponse(_) => "invalid_response",
        }
    }

    /// Returns true if the same request would fail again in the same way.
    pub fn is_final(&self) -> bool {
        matches!(self, Self::Refused(_) | Self::Invalid(_))
    }

    /// Returns true if the plugin itself is at fault: it crashed, exceeded a limit, or returned something invalid.
    pub fn is_fault(&self) -> bool {
        match self {
            Self::Trapped(_)
            | Self::Deadline(_)
            | Self::OutOfMemory { .. }
            | Self::ResponseTooLarge { .. }
            | Self::InvalidResponse(_) => true,
            Self::Refused(_)
            | Self::Invalid(_)
            | Self::RateLimited(_)
            | Self::Busy
            | Self::Unavailable(_)
            | Self::Failed(_) => false,
        }
    }

    /// The pause that the plugin asked for, if any, limited to 1 second to 10 minutes: a provider that confuses
    /// milliseconds with seconds must not delay a page for weeks.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited(wait) => wait.map(|wait| wait.clamp(Duration::from_secs(1), MAX_RETRY_AFTER)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_requested_pause_is_limited_to_ten_minutes() {
        let wait = |seconds| CallError::RateLimited(Some(Duration::from_secs(seconds))).retry_after();
        assert_eq!(wait(0), Some(Duration::from_secs(1)));
        assert_eq!(wait(30), Some(Duration::from_secs(30)));
        assert_eq!(wait(u64::from(u32::MAX)), Some(MAX_RETRY_AFTER));
        assert_eq!(CallError::RateLimited(None).retry_after(), None);
    }
}

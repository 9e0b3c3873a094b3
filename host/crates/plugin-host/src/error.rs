//! What can go wrong with plugins: while their folder is read, and while one of them is called.
use std::path::PathBuf;
use std::time::Duration;

use crate::log_text::one_line;
use crate::network::Secrets;

/// How much of a plugin's own reason is kept.
const REASON_BYTES: usize = 2 << 10;

/// Why no plugin could be loaded at all. One bad plugin is a [`crate::Refusal`] instead.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error("the plugin folder {} cannot be read: {source}", path.display())]
    Folder { path: PathBuf, source: std::io::Error },
    #[error("the plugin folder {} holds more than {most} folders: is it the right one?", path.display())]
    TooManyFolders { path: PathBuf, most: usize },
    #[error("the folder for compiled plugins {} cannot be used: {source}", path.display())]
    Cache { path: PathBuf, source: std::io::Error },
    // Wasmtime's error is no `std::error::Error`, so its whole chain is printed here.
    #[error("the WebAssembly engine cannot be made: {0:#}")]
    Engine(wasmtime::Error),
}

/// Why a call gave nothing. The texts are the plugin's own words: they are for the operator's log
/// and never reach a client.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// The plugin's content policy says no: never tried again.
    #[error("refused: {0}")]
    Refused(String),
    /// The request can never succeed as it stands: never tried again.
    #[error("invalid request: {0}")]
    Invalid(String),
    /// Try again, after this long if the plugin knows.
    #[error("rate limited")]
    RateLimited(Option<Duration>),
    /// Try again later.
    #[error("unavailable: {0}")]
    Unavailable(String),
    /// Whatever else the plugin reports about itself.
    #[error("failed: {0}")]
    Failed(String),
    /// The component crashed.
    #[error("trapped: {0}")]
    Trapped(String),
    /// The call was stopped when its time was up.
    #[error("stopped after {} s, the plugin's deadline", .0.as_secs_f32())]
    Deadline(Duration),
    /// The component asked for more memory than it may have, and did not survive being refused.
    #[error("out of memory: the plugin's limit is {limit_mib} MiB")]
    OutOfMemory { limit_mib: u32 },
    /// The component handed over more bytes at a time than it may.
    #[error("the response is too large: more than {limit} bytes")]
    ResponseTooLarge { limit: u64 },
    /// The response is not what the contract promises.
    #[error("invalid response: {0}")]
    InvalidResponse(String),
}

/// The longest a plugin may ask to be left alone.
const LONGEST_WAIT: Duration = Duration::from_secs(600);

impl CallError {
    /// The same, with a reason that fits a log and holds no secret.
    pub(crate) fn for_the_log(self, secrets: &Secrets) -> Self {
        let brief = |reason| one_line(secrets.removed_from(reason), REASON_BYTES);
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

    /// Whether the same request would only fail the same way.
    pub fn is_final(&self) -> bool {
        matches!(self, Self::Refused(_) | Self::Invalid(_))
    }

    /// How long the plugin asks to be left alone, if it said so. Never longer than ten minutes: a
    /// provider that means milliseconds must not put a page off for weeks.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited(wait) => wait.map(|wait| wait.clamp(Duration::from_secs(1), LONGEST_WAIT)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_plugin_puts_its_work_off_for_longer_than_ten_minutes() {
        let wait = |seconds| CallError::RateLimited(Some(Duration::from_secs(seconds))).retry_after();
        assert_eq!(wait(0), Some(Duration::from_secs(1)));
        assert_eq!(wait(30), Some(Duration::from_secs(30)));
        assert_eq!(wait(u64::from(u32::MAX)), Some(LONGEST_WAIT));
        assert_eq!(CallError::RateLimited(None).retry_after(), None);
    }
}

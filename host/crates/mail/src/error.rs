//! The reasons why a message could not be sent.
use lettre::transport::smtp::Error;

/// The reason why a message could not be sent. For the log only, because it may reveal the network of this machine.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    /// Another attempt may succeed: the mail server cannot be reached, refuses this client, or takes no mail at present.
    #[error("{0}")]
    Unavailable(String),
    /// No attempt will succeed: the address is invalid, or the mail server rejected it or the content for good.
    #[error("{0}")]
    Rejected(String),
}

impl SendError {
    /// An error of the connection or of a command that does not depend on the recipient.
    pub(crate) fn of_connection(error: &Error) -> Self {
        Self::Unavailable(error.to_string())
    }

    /// An error of a command about the recipient or the content.
    pub(crate) fn of_message(error: &Error) -> Self {
        match error.is_permanent() {
            true => Self::Rejected(error.to_string()),
            false => Self::Unavailable(error.to_string()),
        }
    }
}

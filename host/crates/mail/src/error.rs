//! The reasons why a message could not be sent.
use lettre::transport::smtp::Error;

/// The reason why a message could not be sent. For the log only, because it may reveal the network of this machine.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    /// Another attempt may succeed: the mail server cannot be reached, refuses this client or its sender, or takes no
    /// mail at present.
    #[error("{0}")]
    Unavailable(String),
    /// No attempt will succeed: the address is invalid, or the mail server rejected it for good.
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
        let text = std::error::Error::source(error).map(ToString::to_string);
        let is_final = |code| rejects_recipient(code, text.as_deref().unwrap_or_default());
        match error.status().map(u16::from).is_some_and(is_final) {
            true => Self::Rejected(error.to_string()),
            false => Self::Unavailable(error.to_string()),
        }
    }
}

/// Returns true if the reply rejects the recipient for good. Other permanent replies may be caused by the settings, and
/// all messages can be sent once these are corrected: Postfix reports a denied relay (554 5.7.1) and a sender that the
/// user does not own (553 5.7.1) when the recipient is named, and Amazon SES reports an unverified sender (554) after
/// the content.
///
/// The enhanced status code decides (RFC 3463): 5.1 is about an address, which is that of the sender in 5.1.7 and
/// 5.1.8, and 5.2 is about the recipient's mailbox. Without one, the codes for mailboxes do (RFC 5321, section 4.2.3).
fn rejects_recipient(code: u16, text: &str) -> bool {
    match enhanced_status(text) {
        Some((5, 1, detail)) => !matches!(detail, 7 | 8),
        Some(status) => matches!(status, (5, 2, _)),
        None => (550..=553).contains(&code),
    }
}

/// The enhanced status code with which the text of a reply begins (RFC 2034), such as 5.1.1.
fn enhanced_status(text: &str) -> Option<(u16, u16, u16)> {
    // Cisco's mail gateways write #5.1.1.
    let word = text.split_whitespace().next()?.trim_start_matches('#');
    let mut parts = word.split('.').map(|part| part.parse::<u16>().ok());
    let status = (parts.next()??, parts.next()??, parts.next()??);
    // An IP address has a fourth part.
    parts.next().is_none().then_some(status)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_about_the_recipient_is_final() {
        for (code, text) in [
            (550, "5.1.1 <ada@example.com>: Recipient address rejected: User unknown"),
            (550, "#5.1.0 Address rejected."),
            (554, "5.2.1 mailbox disabled"),
            (552, "5.2.2 mailbox full"),
            (550, "no such mailbox"),
            (553, ""),
            (550, "10.0.0.1 says no such mailbox"),
        ] {
            assert!(rejects_recipient(code, text), "{code} {text}");
        }
    }

    #[test]
    fn a_reply_that_the_settings_may_cause_is_not_final() {
        for (code, text) in [
            (554, "5.7.1 <ada@example.com>: Relay access denied"),
            (
                553,
                "5.7.1 <books@example.com>: Sender address rejected: not owned by user books",
            ),
            (
                550,
                "5.1.8 <books@example.com>: Sender address rejected: Domain not found",
            ),
            (550, "#5.7.1 Your access to this mail system has been rejected"),
            (554, "Message rejected: Email address is not verified."),
            (530, "Authentication required"),
            (451, "try again later"),
            (451, "4.1.1 try again later"),
        ] {
            assert!(!rejects_recipient(code, text), "{code} {text}");
        }
    }
}

//! Messages.
use std::time::SystemTime;

use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart, SinglePart};

use crate::{SendError, Sender};

/// A message to one recipient.
#[derive(Clone, Debug)]
pub struct Message<'a> {
    /// A permanent, unique id. A message that is sent twice has the same id both times, by which mail servers and
    /// programs recognize it.
    pub id: &'a str,
    pub date: SystemTime,
    pub sender: &'a Sender,
    /// The address of the recipient.
    pub to: &'a str,
    pub subject: &'a str,
    pub text: String,
    pub html: String,
    /// The URL that ends messages of this kind (RFC 2369), with a single POST (RFC 8058). None if the recipient asked
    /// for this very message.
    pub unsubscribe: Option<&'a str>,
}

impl Message<'_> {
    pub(crate) fn encode(self) -> Result<lettre::Message, SendError> {
        let rejected = |problem: String| SendError::Rejected(problem);
        let to = self
            .to
            .parse()
            .map_err(|error| rejected(format!("invalid address: {error}")))?;
        let mut message = lettre::Message::builder()
            .message_id(Some(format!("<{}@{}>", self.id, self.sender.domain())))
            .date(self.date)
            .from(self.sender.mailbox().clone())
            .to(Mailbox::new(None, to))
            .subject(self.subject)
            // Automatic replies, such as those of people on holiday, must not be sent (RFC 3834, section 5).
            .raw_header(header("Auto-Submitted", "auto-generated"));
        if let Some(url) = self.unsubscribe {
            message = message
                .raw_header(header("List-Unsubscribe", &format!("<{url}>")))
                .raw_header(header("List-Unsubscribe-Post", "List-Unsubscribe=One-Click"));
        }
        // Named by the message, because lettre would choose a random boundary.
        let parts = MultiPart::alternative()
            .boundary(self.id)
            .singlepart(SinglePart::plain(self.text))
            .singlepart(SinglePart::html(self.html));
        message.multipart(parts).map_err(|error| rejected(error.to_string()))
    }
}

fn header(name: &'static str, value: &str) -> HeaderValue {
    HeaderValue::new(HeaderName::new_from_ascii_str(name), value.to_owned())
}

#[cfg(test)]
mod tests {
    use std::time::UNIX_EPOCH;

    use super::*;

    fn encoded(to: &str, subject: &str, unsubscribe: Option<&str>) -> Result<String, SendError> {
        let message = Message {
            id: "mail_1",
            date: UNIX_EPOCH,
            sender: &Sender::parse("Our books <books@example.com>").expect("a sender"),
            to,
            subject,
            text: "Hello\n".into(),
            html: "<p>Hello</p>\n".into(),
            unsubscribe,
        };
        let bytes = message.encode()?.formatted();
        Ok(String::from_utf8(bytes).expect("a mail is ASCII"))
    }

    #[test]
    fn a_message_has_the_headers_that_programs_rely_on() {
        let mail = encoded("ada@example.com", "Your book", Some("https://books.example/x")).expect("a mail");
        for line in [
            "Message-ID: <mail_1@example.com>",
            "Date: Thu, 01 Jan 1970 00:00:00 +0000",
            "To: ada@example.com",
            "Subject: Your book",
            "Auto-Submitted: auto-generated",
            "List-Unsubscribe: <https://books.example/x>",
            "List-Unsubscribe-Post: List-Unsubscribe=One-Click",
            "Content-Type: text/plain; charset=utf-8",
            "Content-Type: text/html; charset=utf-8",
        ] {
            assert!(mail.lines().any(|other| other == line), "{line}:\n{mail}");
        }
    }

    #[test]
    fn a_message_that_was_asked_for_has_no_link_to_unsubscribe() {
        let mail = encoded("ada@example.com", "Your password", None).expect("a mail");
        assert!(!mail.contains("List-Unsubscribe"), "{mail}");
    }

    #[test]
    fn a_subject_adds_no_header() {
        let mail = encoded("ada@example.com", "A\r\nBcc: eve@example.com", None).expect("a mail");
        assert!(!mail.lines().any(|line| line.starts_with("Bcc")), "{mail}");
    }

    #[test]
    fn an_invalid_address_is_rejected_for_good() {
        for to in [
            "ada",
            "ada@example.com\r\nRCPT TO:<eve@example.com>",
            "ada lovelace@example.com",
        ] {
            assert!(matches!(encoded(to, "x", None), Err(SendError::Rejected(_))), "{to:?}");
        }
    }
}

//! The sender of all messages.
use lettre::message::Mailbox;

/// The sender of all messages: an address, with a name if there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sender(Mailbox);

impl Sender {
    /// Parses an address such as `books@example.com` or `Our books <books@example.com>`. None if it is malformed.
    pub fn parse(text: &str) -> Option<Self> {
        // A line break would begin another header.
        if text.contains(char::is_control) {
            return None;
        }
        text.parse().ok().map(Self)
    }

    /// The same sender, with this name unless it has one.
    #[must_use]
    pub fn with_default_name(mut self, name: &str) -> Self {
        self.0.name.get_or_insert_with(|| name.to_owned());
        self
    }

    /// The domain of the address.
    pub fn domain(&self) -> &str {
        self.0.email.domain()
    }

    pub(crate) fn mailbox(&self) -> &Mailbox {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sender_is_an_address_with_or_without_a_name() {
        for text in [
            "books@example.com",
            "Our books <books@example.com>",
            "Bücher <books@example.com>",
        ] {
            assert_eq!(Sender::parse(text).expect(text).domain(), "example.com");
        }
        for text in [
            "",
            "books",
            "Our books",
            "books@",
            "a <b@c.example>\r\nBcc: <d@e.example>",
        ] {
            assert_eq!(Sender::parse(text), None, "{text:?}");
        }
    }

    #[test]
    fn the_name_of_the_server_replaces_a_missing_name_only() {
        let name = |text: &str| Sender::parse(text).expect(text).with_default_name("Linepress").0.name;
        assert_eq!(name("books@example.com").as_deref(), Some("Linepress"));
        assert_eq!(name("Our books <books@example.com>").as_deref(), Some("Our books"));
    }
}

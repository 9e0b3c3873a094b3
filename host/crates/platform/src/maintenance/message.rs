//! The operator's message for clients.
use std::ops::Deref;
use std::str::FromStr;

/// One line of text, which may be empty.
#[derive(Clone, Debug, Default)]
pub struct Message(String);

impl Message {
    /// The maximum length in characters.
    const MAX_CHARS: usize = 300;
}

impl FromStr for Message {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.chars().count() > Self::MAX_CHARS || text.chars().any(char::is_control) {
            return Err(format!("must be one line of up to {} characters", Self::MAX_CHARS));
        }
        Ok(Self(text.to_owned()))
    }
}

impl Deref for Message {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_line() {
        assert_eq!(&*"  Back at 14:00. ".parse::<Message>().unwrap(), "Back at 14:00.");
        assert!("é".repeat(Message::MAX_CHARS).parse::<Message>().is_ok());
        for wrong in ["a".repeat(Message::MAX_CHARS + 1), "two\nlines".into()] {
            assert!(wrong.parse::<Message>().is_err(), "{wrong:?}");
        }
    }
}

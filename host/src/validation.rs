//! Checks of what clients send, and how their complaints become details of a 422.
use garde::Validate;
use serde::{Deserialize, Deserializer};

use crate::error::{Detail, Error, Result};

/// Refuses what is not valid, naming every field below `root`, which is empty for the body itself.
pub fn check<T: Validate<Context = ()>>(root: &str, value: &T) -> Result<()> {
    let Err(report) = value.validate() else { return Ok(()) };
    let details = report
        .iter()
        .map(|(path, error)| Detail {
            field: join(root, &path.to_string()),
            message: error.message().to_string(),
        })
        .collect();
    Err(Error::validation(details))
}

fn join(root: &str, path: &str) -> String {
    match (root, path) {
        (root, "") => root.into(),
        // The body itself has the fields.
        ("", path) => path.into(),
        (root, path) => format!("{root}.{path}"),
    }
}

/// A value that may be left out and may not be null: null could mean "as it is" or "nothing".
pub fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

/// One line that a reader can see: not blank, no control characters.
pub fn line(value: &str, _: &()) -> garde::Result {
    if value.trim().is_empty() {
        return Err(garde::Error::new("must not be blank"));
    }
    optional_line(value, &())
}

/// One line that may be empty.
pub fn optional_line(value: &str, _: &()) -> garde::Result {
    if value.contains(char::is_control) {
        return Err(garde::Error::new("must not contain control characters"));
    }
    Ok(())
}

/// Some lines of text that a reader can see: not blank.
pub fn visible_text(value: &str, _: &()) -> garde::Result {
    if value.trim().is_empty() {
        return Err(garde::Error::new("must not be blank"));
    }
    text(value, &())
}

/// Some lines of text that may be empty.
pub fn text(value: &str, _: &()) -> garde::Result {
    if value.contains(|letter: char| letter.is_control() && letter != '\n' && letter != '\t' && letter != '\r') {
        return Err(garde::Error::new("must not contain control characters"));
    }
    Ok(())
}

/// The shape of a BCP 47 language tag.
pub fn language_tag(value: &str, _: &()) -> garde::Result {
    let mut parts = value.split('-');
    let primary = parts.next().unwrap_or_default();
    let primary_fits = (2..=8).contains(&primary.len()) && primary.bytes().all(|byte| byte.is_ascii_alphabetic());
    let fits = |part: &str| (1..=8).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if primary_fits && parts.all(fits) {
        Ok(())
    } else {
        Err(garde::Error::new("must be a language tag such as en or en-GB"))
    }
}

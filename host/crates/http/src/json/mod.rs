//! JSON from clients: parsed within limits, accepted only in exactly the expected shape, and rejected with this API's
//! messages.
mod budget;
mod complaints;
mod strict;

use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_path_to_error::Path;

pub use budget::{MAX_BODY_VALUES, Refusal, check};
use complaints::message_for;
use strict::Strict;

use linepress_platform::error::{Error, Result};
use linepress_platform::field::Field;

/// Converts a JSON value to `T`, or returns an error that names the wrong field.
pub fn parse_value<T: DeserializeOwned>(value: Value) -> Result<T> {
    serde_path_to_error::deserialize(Strict(value)).map_err(|error| {
        let outer = field_at(error.path());
        let message = error.inner().to_string();
        match missing_field(&message) {
            Some(name) => Error::invalid_field(outer.unwrap_or_default().then(Field::named(name.to_owned())), REQUIRED),
            None => Error::invalid_field(outer.unwrap_or_else(Field::body), shortened(&message_for(&message))),
        }
    })
}

/// The field that serde's path names; `None` if the path is empty, which means the whole value.
fn field_at(path: &Path) -> Option<Field> {
    let is_below = path.iter().next().is_some();
    is_below.then(|| Field::parse(&shortened(&path.to_string())))
}

const REQUIRED: &str = "is required";

/// The name of a missing field. Serde reports a missing field at the path of its parent, so only the message has the
/// name.
fn missing_field(message: &str) -> Option<&str> {
    message.strip_prefix("missing field `")?.strip_suffix('`')
}

/// Cuts text to 200 characters for an error message: a wrong value may be as long as the request.
pub fn shortened(text: &str) -> String {
    const MAX_CHARS: usize = 200;
    match text.char_indices().nth(MAX_CHARS) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.into(),
    }
}

//! JSON as clients send it: read within limits, taken only in the shape it should have, and refused in our words.
mod budget;
mod complaints;
mod strict;

use serde::de::DeserializeOwned;
use serde_json::Value;

pub(crate) use budget::{MOST_VALUES, Refusal, check};
use complaints::complaint;
use strict::Strict;

use crate::error::{Error, Result};

/// JSON of the right shape, else the field that is wrong.
pub(crate) fn parse_value<T: DeserializeOwned>(value: Value) -> Result<T> {
    serde_path_to_error::deserialize(Strict(value)).map_err(|error| {
        let path = error.path().to_string();
        let message = error.inner().to_string();
        let field = match (path.as_str(), missing_field(&message)) {
            (".", Some(name)) => return Error::invalid_field(name, REQUIRED),
            (path, Some(name)) => return Error::invalid_field(format!("{path}.{name}"), REQUIRED),
            (".", None) => "body",
            (path, None) => path,
        };
        Error::invalid_field(shortened(field), shortened(&complaint(&message)))
    })
}

const REQUIRED: &str = "is required";

/// Serde tells of a missing field where it should have been: its name stands in the message alone.
fn missing_field(message: &str) -> Option<&str> {
    message.strip_prefix("missing field `")?.strip_suffix('`')
}

/// What is wrong with a request may be as long as the request.
pub(crate) fn shortened(text: &str) -> String {
    const LONGEST: usize = 200;
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.into(),
    }
}

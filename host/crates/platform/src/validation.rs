//! Validation of requests, and the conversion of its errors to error details.
use garde::Validate;
use serde::{Deserialize, Deserializer};

use crate::error::{Detail, Error, Result};

/// Validates a value; on failure returns an error that names every invalid field below `root`, which is empty for the
/// body itself.
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
        // The path already starts at a field of the body.
        ("", path) => path.into(),
        (root, path) => format!("{root}.{path}"),
    }
}

/// Deserializes a field that may be omitted but must not be null: null could mean both "unchanged" and "none".
pub fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

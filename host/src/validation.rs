//! Checks of what clients send, and how their complaints become details of an error.
use garde::Validate;
use serde::{Deserialize, Deserializer};

use crate::error::{Detail, Error, Result};

/// Refuses what is not valid, naming every field below `root`, which is empty for the body itself.
pub(crate) fn check<T: Validate<Context = ()>>(root: &str, value: &T) -> Result<()> {
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
pub(crate) fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

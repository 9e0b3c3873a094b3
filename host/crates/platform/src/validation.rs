//! Validation of requests, and the conversion of its errors to error details.
use garde::Validate;
use serde::{Deserialize, Deserializer};

use crate::error::{Detail, Error, Result};
use crate::field::Field;

/// Validates a value; on failure returns an error that names every invalid field.
pub fn check<T: Validate<Context = ()>>(value: &T) -> Result<()> {
    let Err(report) = value.validate() else { return Ok(()) };
    let details = report
        .iter()
        .map(|(path, error)| Detail {
            field: Field::parse(&path.to_string()),
            message: error.message().to_string(),
        })
        .collect();
    Err(Error::validation(details))
}

/// Deserializes a field that may be omitted but must not be null: null could mean both "unchanged" and "none".
pub fn given<'de, T: Deserialize<'de>, D: Deserializer<'de>>(deserializer: D) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

//! JSON bodies of requests.
use linepress_http::json::{MAX_BODY_VALUES, Refusal, check};
use serde_json::Value;

use crate::Input;

/// A body that passes the check is JSON of at most the permitted number of values.
pub(super) fn run(bytes: &[u8]) -> Input {
    let parsed = serde_json::from_slice::<Value>(bytes);
    match check(bytes) {
        Ok(()) => {
            let value = parsed.expect("a body that passed the check is JSON");
            assert!(values(&value) <= MAX_BODY_VALUES);
        }
        Err(Refusal::NotJson(_)) => assert!(parsed.is_err(), "JSON was taken for something else"),
        Err(Refusal::TooManyValues | Refusal::DuplicateField(_)) => {}
    }
    Input::Used
}

fn values(value: &Value) -> usize {
    let inner: usize = match value {
        Value::Array(items) => items.iter().map(values).sum(),
        Value::Object(fields) => fields.values().map(values).sum(),
        _ => 0,
    };
    1 + inner
}

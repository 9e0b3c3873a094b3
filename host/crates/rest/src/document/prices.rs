//! The prices in descriptions.

use serde_json::Value;

use linepress_accounts::credits::pricing;

/// Replaces the placeholders of prices in every text.
pub(super) fn fill_in(value: &mut Value) {
    match value {
        Value::String(text) => *text = pricing::fill_in(text),
        Value::Array(items) => items.iter_mut().for_each(fill_in),
        Value::Object(fields) => fields.values_mut().for_each(fill_in),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

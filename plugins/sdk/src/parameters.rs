//! What an operator adds to the body of a request: APIs have more parameters than a plugin has settings.

use serde_json::{Map, Value};

/// Lays the parameters over the body (RFC 7396, but only its first level): a value replaces what is there, and `null`
/// takes it out.
pub fn merge(mut body: Value, parameters: &Map<String, Value>) -> Value {
    if let Some(body) = body.as_object_mut() {
        for (name, value) in parameters {
            if value.is_null() {
                body.remove(name);
            } else {
                body.insert(name.clone(), value.clone());
            }
        }
    }
    body
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn parameters_replace_add_and_take_out() {
        let parameters = json!({"n": null, "quality": "low", "size": "1x1"});
        let body = json!({"n": 1, "size": "2x2", "prompt": "a fox"});
        let merged = merge(body, parameters.as_object().unwrap());
        assert_eq!(merged, json!({"quality": "low", "size": "1x1", "prompt": "a fox"}));
    }
}

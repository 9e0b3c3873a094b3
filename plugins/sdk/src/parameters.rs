//! Changes of a request body by the operator, because APIs have more parameters than a plugin has settings.

use serde_json::{Map, Value};

/// Adds the parameters to the body, replacing those with the same name, and then removes the omitted ones.
pub fn merge(mut body: Value, parameters: &Map<String, Value>, omitted: &[String]) -> Value {
    if let Some(body) = body.as_object_mut() {
        body.extend(parameters.clone());
        body.retain(|name, _| !omitted.contains(name));
    }
    body
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn parameters_are_replaced_added_and_omitted() {
        let parameters = json!({"quality": "low", "size": "1x1"});
        let body = json!({"n": 1, "size": "2x2", "prompt": "a fox"});
        let merged = merge(body, parameters.as_object().unwrap(), &["n".into(), "unknown".into()]);
        assert_eq!(merged, json!({"quality": "low", "size": "1x1", "prompt": "a fox"}));
    }
}

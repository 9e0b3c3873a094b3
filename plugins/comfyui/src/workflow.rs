//! The operator's workflow, and the values that replace its placeholders.

use linepress_plugin_sdk::image::DrawRequest;
use linepress_plugin_sdk::{picture, style};
use serde_json::{Value, json};

/// The values of the placeholders, by name.
pub(crate) struct Values(Vec<(String, Value)>);

impl Values {
    /// Collects the values for a request. `uploads` are the names of the uploaded pictures, and `wanted` is the number
    /// of pictures that the workflow refers to.
    pub(crate) fn new(request: &DrawRequest, uploads: &[String], wanted: usize) -> Self {
        let mut values = vec![
            ("prompt".to_owned(), json!(style::prompt(request))),
            ("negative".to_owned(), json!(style::negative(request))),
            ("width".to_owned(), json!(request.size.width)),
            ("height".to_owned(), json!(request.size.height)),
            ("seed".to_owned(), json!(picture::seed(request))),
        ];
        // The workflow's placeholders need a value even if the page has fewer pictures, so the last picture is
        // repeated.
        let names = (0..wanted).filter_map(|index| uploads.get(index).or(uploads.last()));
        values.extend(
            names
                .enumerate()
                .map(|(index, name)| (format!("reference_{}", index + 1), json!(name))),
        );
        Self(values)
    }

    /// Returns the workflow with its placeholders replaced. Placeholders in the customer's own text are not replaced.
    pub(crate) fn fill(&self, workflow: &Value) -> Value {
        match workflow {
            Value::String(text) => self.text(text),
            Value::Array(list) => list.iter().map(|value| self.fill(value)).collect(),
            Value::Object(map) => map
                .iter()
                .map(|(name, value)| (name.clone(), self.fill(value)))
                .collect(),
            other => other.clone(),
        }
    }

    fn text(&self, text: &str) -> Value {
        if let Some(value) = placeholder(text).and_then(|name| self.get(name)) {
            return value.clone();
        }
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("{{") {
            let found = after
                .split_once("}}")
                .and_then(|(name, after)| Some((self.get(name)?, after)));
            filled.push_str(before);
            rest = match found {
                Some((value, after)) => {
                    filled.push_str(&value.as_str().map_or_else(|| value.to_string(), str::to_owned));
                    after
                }
                None => {
                    filled.push_str("{{");
                    after
                }
            };
        }
        filled.push_str(rest);
        filled.into()
    }

    fn get(&self, name: &str) -> Option<&Value> {
        let name = name.trim();
        self.0.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }
}

/// Returns the name of the placeholder if the text consists of a single one.
fn placeholder(text: &str) -> Option<&str> {
    text.trim().strip_prefix("{{")?.strip_suffix("}}")
}

/// Returns the number of reference pictures that a workflow refers to.
pub(crate) fn references(workflow: &Value) -> usize {
    let text = workflow.to_string();
    (1..)
        .take_while(|number| text.contains(&format!("{{{{reference_{number}}}}}")))
        .count()
}

#[cfg(test)]
mod tests {
    use linepress_plugin_sdk::testing::draw_request;

    use super::*;

    #[test]
    fn placeholders_are_replaced_at_any_position() {
        let mut request = draw_request(0);
        request.prompt = "a {{seed}} fox".into();
        let workflow = json!({
            "1": {"inputs": {"text": "best {{prompt}} ever", "seed": "{{seed}}", "model": ["4", 0], "name": "{{unknown}}"}},
            "2": {"inputs": {"width": "{{ width }}", "prefix": "page-{{seed}}-{{", "picture": "{{reference_2}}"}},
        });
        let filled = Values::new(&request, &["a.png".into()], 2).fill(&workflow);
        let text = filled["1"]["inputs"]["text"].as_str().unwrap();
        assert!(
            text.starts_with("best Draw") && text.ends_with("ever") && text.contains("a {{seed}} fox"),
            "{text}"
        );
        assert_eq!(filled["1"]["inputs"]["seed"], 7);
        assert_eq!(filled["1"]["inputs"]["model"], json!(["4", 0]));
        assert_eq!(filled["1"]["inputs"]["name"], "{{unknown}}");
        assert_eq!(
            filled["2"]["inputs"],
            json!({"width": 1152, "prefix": "page-7-{{", "picture": "a.png"})
        );
    }

    #[test]
    fn placeholders_for_pictures_are_counted() {
        assert_eq!(references(&json!({"1": "{{prompt}}"})), 0);
        assert_eq!(
            references(&json!({"1": "{{reference_1}}", "2": ["{{reference_2}}"], "3": "{{reference_4}}"})),
            2
        );
    }
}

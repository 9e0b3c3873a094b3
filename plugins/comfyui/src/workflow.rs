//! The operator's workflow, with what is to be drawn in place of its placeholders.

use linepress_plugin_sdk::image::DrawRequest;
use linepress_plugin_sdk::{picture, style};
use serde_json::{Value, json};

/// What a placeholder stands for.
pub(crate) struct Values(Vec<(String, Value)>);

impl Values {
    /// With the names of the pictures that were uploaded.
    pub(crate) fn of(request: &DrawRequest, uploads: &[String], wanted: usize) -> Self {
        let mut values = vec![
            ("prompt".to_owned(), json!(style::prompt(request))),
            ("negative".to_owned(), json!(style::NEGATIVE)),
            ("width".to_owned(), json!(request.size.width)),
            ("height".to_owned(), json!(request.size.height)),
            ("seed".to_owned(), json!(picture::seed(request))),
        ];
        // A workflow has its places for pictures whether a page fills them or not.
        let names = (0..wanted).filter_map(|index| uploads.get(index).or(uploads.last()));
        values.extend(
            names
                .enumerate()
                .map(|(index, name)| (format!("reference_{}", index + 1), json!(name))),
        );
        Self(values)
    }

    /// The workflow with its placeholders filled in. What a customer writes is never read as a placeholder.
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

/// The name of the placeholder that a text is.
fn placeholder(text: &str) -> Option<&str> {
    text.trim().strip_prefix("{{")?.strip_suffix("}}")
}

/// How many pictures a workflow has places for.
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
    fn placeholders_are_filled_wherever_they_stand() {
        let mut request = draw_request(0);
        request.prompt = "a {{seed}} fox".into();
        let workflow = json!({
            "1": {"inputs": {"text": "best {{prompt}} ever", "seed": "{{seed}}", "model": ["4", 0], "name": "{{unknown}}"}},
            "2": {"inputs": {"width": "{{ width }}", "prefix": "page-{{seed}}-{{", "picture": "{{reference_2}}"}},
        });
        let filled = Values::of(&request, &["a.png".into()], 2).fill(&workflow);
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
    fn the_places_for_pictures_are_counted() {
        assert_eq!(references(&json!({"1": "{{prompt}}"})), 0);
        assert_eq!(
            references(&json!({"1": "{{reference_1}}", "2": ["{{reference_2}}"], "3": "{{reference_4}}"})),
            2
        );
    }
}

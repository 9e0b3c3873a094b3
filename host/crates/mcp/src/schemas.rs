//! The schemas of tools, derived from the REST document, so that each field is described in one place only. An agent
//! pays for all schemas in every conversation, so inputs are described in full, and outputs only by the names of their
//! fields.
use serde_json::{Map, Value, json};

/// The schemas of the REST document, by name.
pub(super) struct Components(Map<String, Value>);

impl Components {
    pub(super) fn new(document: &Value) -> Self {
        Self(
            document["components"]["schemas"]
                .as_object()
                .cloned()
                .unwrap_or_default(),
        )
    }

    fn named(&self, name: &str) -> &Value {
        self.0.get(name).unwrap_or(&Value::Null)
    }

    /// Returns the schema that a reference leads to, or the schema itself.
    fn resolve<'a>(&'a self, schema: &'a Value) -> &'a Value {
        match schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
            Some(name) => self.named(name),
            None => schema,
        }
    }

    /// A schema for inputs: without references, examples and nulls.
    pub(super) fn input(&self, name: &str) -> Value {
        self.expanded(self.named(name))
    }

    fn expanded(&self, schema: &Value) -> Value {
        // A description next to a reference is specific to this field, and overrides the other.
        let (schema, own_description) = match schema.get("oneOf").and_then(Value::as_array) {
            Some(kinds) if kinds.iter().any(is_null) => {
                let kind = kinds.iter().find(|kind| !is_null(kind)).unwrap_or(schema);
                (self.resolve(kind), kind.get("description"))
            }
            _ => (self.resolve(schema), schema.get("description")),
        };
        let mut written = Map::new();
        for (name, value) in schema.as_object().into_iter().flatten() {
            let value = match name.as_str() {
                "example" | "examples" | "nullable" | "uniqueItems" | "format" => continue,
                // The patterns of ids say less than the descriptions of where ids come from.
                "pattern" => continue,
                "type" => only_type(value),
                "items" => {
                    let mut items = self.expanded(value);
                    // The list already has a description.
                    items.as_object_mut().map(|items| items.remove("description"));
                    items
                }
                "properties" => value
                    .as_object()
                    .into_iter()
                    .flatten()
                    .map(|(name, schema)| (name.clone(), self.expanded(schema)))
                    .collect(),
                // The parser distinguishes the kinds of a body; one schema with all their fields is shorter.
                "oneOf" => return self.merged(value, own_description),
                _ => value.clone(),
            };
            written.insert(name.clone(), value);
        }
        if let Some(own_description) = own_description {
            written.insert("description".into(), own_description.clone());
        }
        Value::Object(written)
    }

    /// Merges several kinds of a body into one object with all their fields. Only fields that all kinds require are
    /// required.
    fn merged(&self, kinds: &Value, description: Option<&Value>) -> Value {
        let kinds: Vec<Value> = kinds
            .as_array()
            .into_iter()
            .flatten()
            .map(|kind| self.expanded(kind))
            .collect();
        let mut fields = Map::new();
        for kind in &kinds {
            fields.extend(kind["properties"].as_object().cloned().unwrap_or_default());
        }
        let is_required = |name: &str| {
            kinds.iter().all(|kind| {
                kind["required"]
                    .as_array()
                    .is_some_and(|required| required.iter().any(|field| field == name))
            })
        };
        let required: Vec<&String> = fields.keys().filter(|name| is_required(name)).collect();
        let mut whole = json!({"type": "object", "additionalProperties": false, "properties": fields});
        if !required.is_empty() {
            whole["required"] = json!(required);
        }
        if let Some(description) = description {
            whole["description"] = description.clone();
        }
        whole
    }
}

fn is_null(schema: &Value) -> bool {
    schema["type"] == "null"
}

/// Removes null from the types: a field that may be null may also be left out.
fn only_type(kind: &Value) -> Value {
    let kinds = kind.as_array().into_iter().flatten();
    kinds.clone().find(|kind| *kind != "null").unwrap_or(kind).clone()
}

//! The schemas of tools, made from those of the REST document: one description of each field, in one place. Every
//! conversation of an agent pays for all of them, so what a tool takes is described in full, and of what it returns only
//! the names of its parts.
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

    /// The schema that a reference names, or the schema itself.
    fn resolve<'a>(&'a self, schema: &'a Value) -> &'a Value {
        match schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
            Some(name) => self.named(name),
            None => schema,
        }
    }

    /// A schema as a client sends by it: without references, examples and nulls.
    pub(super) fn input(&self, name: &str) -> Value {
        self.written_out(self.named(name))
    }

    fn written_out(&self, schema: &Value) -> Value {
        // What stands beside a reference is about this field, and wins.
        let (schema, beside) = match schema.get("oneOf").and_then(Value::as_array) {
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
                // The ids' own, which say less than where they come from.
                "pattern" => continue,
                "type" => only_type(value),
                "items" => {
                    let mut items = self.written_out(value);
                    // The list has one already.
                    items.as_object_mut().map(|items| items.remove("description"));
                    items
                }
                "properties" => value
                    .as_object()
                    .into_iter()
                    .flatten()
                    .map(|(name, schema)| (name.clone(), self.written_out(schema)))
                    .collect(),
                // Of the kinds of one body the parser tells which it is; a schema of all fields is shorter.
                "oneOf" => return self.any_of_all(value, beside),
                _ => value.clone(),
            };
            written.insert(name.clone(), value);
        }
        if let Some(beside) = beside {
            written.insert("description".into(), beside.clone());
        }
        Value::Object(written)
    }

    /// One object with the fields of several kinds, of which those are required that all of them require.
    fn any_of_all(&self, kinds: &Value, description: Option<&Value>) -> Value {
        let kinds: Vec<Value> = kinds
            .as_array()
            .into_iter()
            .flatten()
            .map(|kind| self.written_out(kind))
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

/// A field that may be null may as well be left out.
fn only_type(kind: &Value) -> Value {
    let kinds = kind.as_array().into_iter().flatten();
    kinds.clone().find(|kind| *kind != "null").unwrap_or(kind).clone()
}

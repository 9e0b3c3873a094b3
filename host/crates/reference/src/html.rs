//! Schemas as HTML.
use serde_json::Value;

use crate::document::{Document, items, object, reference, text};
use crate::text::{escaped, inline};

/// A field of an object, or a parameter.
pub(crate) struct Field {
    pub(crate) name: String,
    /// The type, as HTML.
    pub(crate) kind: String,
    pub(crate) is_required: bool,
    /// The description, as HTML.
    pub(crate) description: String,
}

impl Field {
    /// A parameter of an operation.
    pub(crate) fn of_parameter(parameter: &Value) -> Self {
        Self {
            name: text(parameter, "name").to_owned(),
            kind: kind(&parameter["schema"]),
            is_required: parameter["required"] == true,
            description: inline(text(parameter, "description")),
        }
    }

    /// The fields of an object.
    pub(crate) fn all_of(document: &Document<'_>, schema: &Value) -> Vec<Self> {
        let required = items(&schema["required"]);
        let fields = object(&schema["properties"]).iter();
        fields
            .map(|(name, field)| Self {
                name: name.clone(),
                kind: kind(field),
                is_required: required.iter().any(|required| required == name.as_str()),
                description: inline(description(document, field)),
            })
            .collect()
    }
}

/// The description of a field, or that of its type.
fn description<'a>(document: &Document<'a>, schema: &'a Value) -> &'a str {
    let own = text(schema, "description");
    if !own.is_empty() {
        return own;
    }
    let variants = items(&schema["oneOf"]).iter();
    let of_variant = variants
        .map(|variant| text(variant, "description"))
        .find(|text| !text.is_empty());
    let of_type = || reference(schema).map(|name| text(document.schema(name), "description"));
    of_variant.or_else(of_type).unwrap_or_default()
}

/// The type that a schema describes: links to named types, and words for the others.
pub(crate) fn kind(schema: &Value) -> String {
    if let Some(name) = reference(schema) {
        let name = escaped(name);
        return format!("<a href=\"types#{name}\">{name}</a>");
    }
    if let Some(variants) = schema["oneOf"].as_array().or_else(|| schema["anyOf"].as_array()) {
        return joined(variants.iter().map(kind));
    }
    if let Some(words) = schema["enum"].as_array() {
        return joined(
            words
                .iter()
                .map(|word| format!("<code>{}</code>", escaped(&word.to_string()))),
        );
    }
    match &schema["type"] {
        Value::String(name) if name == "array" => format!("list of {}", kind(&schema["items"])),
        Value::String(name) => escaped(name),
        Value::Array(names) => joined(names.iter().filter_map(Value::as_str).map(escaped)),
        _ => "any".to_owned(),
    }
}

fn joined(kinds: impl Iterator<Item = String>) -> String {
    kinds.collect::<Vec<_>>().join(" or ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_type_is_named_by_links_and_words() {
        let book = json!({"$ref": "#/components/schemas/Book"});
        assert_eq!(kind(&book), r#"<a href="types#Book">Book</a>"#);
        assert_eq!(
            kind(&json!({"oneOf": [book, {"type": "null"}]})),
            r#"<a href="types#Book">Book</a> or null"#
        );
        let list = json!({"type": "array", "items": {"type": ["string", "null"]}});
        assert_eq!(kind(&list), "list of string or null");
        let word = json!({"enum": ["a<"], "type": "string"});
        assert_eq!(kind(&word), "<code>&quot;a&lt;&quot;</code>");
        assert_eq!(kind(&json!({})), "any");
    }
}

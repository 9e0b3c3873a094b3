//! What a text, an id or a key may look like, said in patterns: what a schema allows must be what the server takes.
//!
//! A field names its kind with `format`, and each kind is a function of `validation.rs`. The patterns are spelled with ranges,
//! not with `\s` or `\w`: JavaScript, Python and Rust disagree about those.

use serde_json::{Value, json};

use super::{operations_of, parameters_of};

/// All but control characters.
const LETTER: &str = r"[^\x00-\x1F\x7F-\x9F]";
/// The same without what is white space to Unicode.
const VISIBLE: &str = r"[^\x00-\x20\x7F-\xA0\u1680\u2000-\u200A\u2028\u2029\u202F\u205F\u3000]";
/// All but control characters, with the three that shape a text.
const TEXT: &str = r"[^\x00-\x08\x0B\x0C\x0E-\x1F\x7F-\x9F]";

/// Puts a pattern in the place of every format that is one of ours, and tells of parameters what their names mean everywhere.
pub fn complete(document: &mut Value) {
    name_kinds(document);
    for (path, _, operation) in operations_of(document) {
        for parameter in parameters_of(operation) {
            describe_parameter(path, parameter);
        }
    }
}

fn name_kinds(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(name_kinds),
        Value::Object(fields) => {
            let pattern = fields.get("format").and_then(Value::as_str).and_then(pattern_of);
            if let Some(pattern) = pattern {
                fields.remove("format");
                fields.insert("pattern".into(), pattern.into());
            }
            // No attribute of a field says this.
            if let Some(ids) = fields.get_mut("character_ids").filter(|ids| ids.get("items").is_some()) {
                ids["uniqueItems"] = true.into();
            }
            fields.values_mut().for_each(name_kinds);
        }
        _ => {}
    }
}

fn pattern_of(kind: &str) -> Option<String> {
    match kind {
        "line" => Some(format!("^{LETTER}*{VISIBLE}{LETTER}*$")),
        "optional_line" => Some(format!("^{LETTER}*$")),
        "visible_text" => Some(format!("^{TEXT}*{VISIBLE}{TEXT}*$")),
        "text" => Some(format!("^{TEXT}*$")),
        "https_address" => Some(r"^https://[^\x00-\x20\x7F-\x9F]+$".into()),
        "language_tag" => Some("^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*$".into()),
        _ => None,
    }
}

fn describe_parameter(path: &str, parameter: &mut Value) {
    let name = parameter["name"].as_str().unwrap_or_default();
    if name == "Idempotency-Key" {
        parameter["description"] =
            "A new value for each generation, such as a UUID. Repeating a request with its key answers what the first \
             one answered, and charges nothing."
                .into();
        parameter["schema"] = json!({
            "type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[!-~]+$",
            "examples": ["6f1c2d0e-8f4b-4f0e-9a55-0c7f5b1f2a10"],
        });
    } else if parameter["in"] == "path" {
        let collection = path.split(&format!("/{{{name}}}")).next().unwrap_or_default();
        let (schema, what) = match collection.rsplit('/').next() {
            Some("characters") => ("CharacterId", "character"),
            Some("books") => ("BookId", "book"),
            Some("pages") => ("PageId", "page"),
            Some("operations") => ("OperationId", "operation"),
            _ => return,
        };
        parameter["schema"] = json!({"$ref": format!("#/components/schemas/{schema}")});
        parameter["description"] = format!("The id of the {what}.").into();
    }
}

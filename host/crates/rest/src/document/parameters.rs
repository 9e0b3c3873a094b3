//! Descriptions of parameters that mean the same in all operations: ids in paths, and idempotency keys.

use serde_json::{Value, json};

use super::{operations_of, parameters_of};
use linepress_core::idempotency::IdempotencyKey;
use linepress_platform::database::PageRequest;
use linepress_platform::ids::{BookId, CharacterId, OperationId, PageId};

/// Describes such parameters by their names.
pub(super) fn describe(document: &mut Value) {
    for (path, _, operation) in operations_of(document) {
        for parameter in parameters_of(operation) {
            describe_parameter(path, parameter);
        }
    }
}

fn describe_parameter(path: &str, parameter: &mut Value) {
    let name = parameter["name"].as_str().unwrap_or_default();
    if name == "Idempotency-Key" {
        parameter["description"] =
            "A new value for each generation, such as a UUID. A repeated request with the same key returns the \
             first response, and charges nothing."
                .into();
        parameter["schema"] = json!({
            "type": "string", "minLength": 1, "maxLength": IdempotencyKey::MAX_KEY_CHARS, "pattern": "^[!-~]+$",
            "examples": ["6f1c2d0e-8f4b-4f0e-9a55-0c7f5b1f2a10"],
        });
    } else if name == "limit" {
        parameter["schema"] = json!({
            "type": "integer",
            "format": "int64",
            "minimum": 1,
            "maximum": PageRequest::MAX_LIMIT,
            "default": PageRequest::DEFAULT_LIMIT,
        });
    } else if parameter["in"] == "path" {
        let collection = path.split(&format!("/{{{name}}}")).next().unwrap_or_default();
        let (prefix, what) = match collection.rsplit('/').next() {
            Some("characters") => (CharacterId::PREFIX, "character"),
            Some("books") => (BookId::PREFIX, "book"),
            Some("pages") => (PageId::PREFIX, "page"),
            Some("operations") => (OperationId::PREFIX, "operation"),
            _ => return,
        };
        // A plain string without a pattern: an id that does not exist is a 404.
        parameter["schema"] = json!({"type": "string", "examples": [format!("{prefix}01KAFMYG00000000000000000A")]});
        parameter["description"] = format!("The id of the {what}.").into();
    }
}

//! The only operation outside of the base address. It needs no API key.

use serde_json::{Value, json};

use super::operations_of;

pub(super) fn describe(document: &mut Value, public_url: &str) {
    for (path, _, operation) in operations_of(document) {
        if path.starts_with("/uploads/") {
            operation["servers"] = json!([{"url": public_url, "description": "This server, without the base address"}]);
            operation["security"] = json!([]);
        }
    }
}

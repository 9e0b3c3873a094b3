//! Links from the ids in a response to operations. Every operation with an id in its path has an entry here.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{operations_of, schema_name};

/// A link from all responses with a `resource` to one operation.
struct Link {
    resource: &'static str,
    operation: &'static str,
    /// The parameters of the operation, with the JSON pointers to their values in the resource.
    parameters: &'static [(&'static str, &'static str)],
    /// The JSON pointer to the request body in the resource.
    body: Option<&'static str>,
}

const LINKS: &[Link] = &[
    by_id("character", "get_character"),
    by_id("character", "get_character_image"),
    by_id("character", "update_character"),
    by_id("character", "put_character"),
    by_id("character", "archive_character"),
    by_id("character", "restore_character"),
    by_id("character", "regenerate_character"),
    by_id("page", "get_page"),
    by_id("page", "get_page_image"),
    by_id("page", "update_page"),
    by_id("page", "put_page"),
    by_id("page", "delete_page"),
    by_id("page", "replace_page_image"),
    by_id("page", "regenerate_page"),
    by_id("book", "get_book"),
    by_id("book", "get_book_cover_image"),
    by_id("book", "replace_book_cover_image"),
    by_id("book", "regenerate_book_cover"),
    by_id("book", "get_book_pdf"),
    by_id("book", "check_book_print"),
    by_id("book", "update_book"),
    by_id("book", "put_book"),
    by_id("book", "delete_book"),
    by_id("book", "add_book_page"),
    by_id("book", "reorder_book_pages"),
    Link {
        resource: "book",
        operation: "detach_book_page",
        parameters: &[("id", "id"), ("page_id", "pages/0/id")],
        body: None,
    },
    by_id("operation", "get_operation"),
    by_body("book_plan", "create_book", "generation_request"),
];

/// A link to an operation whose only path parameter is the resource's id.
const fn by_id(resource: &'static str, operation: &'static str) -> Link {
    Link {
        resource,
        operation,
        parameters: &[("id", "id")],
        body: None,
    }
}

/// A link to an operation that takes a part of the resource as its body.
const fn by_body(resource: &'static str, operation: &'static str, body: &'static str) -> Link {
    Link {
        resource,
        operation,
        parameters: &[],
        body: Some(body),
    }
}

impl Link {
    fn to_value(&self) -> Value {
        let place = |pointer: &str| format!("$response.body#/{}/{pointer}", self.resource);
        let parameters: BTreeMap<_, _> = self
            .parameters
            .iter()
            .map(|(name, pointer)| (*name, place(pointer)))
            .collect();
        let mut link = json!({"operationId": self.operation});
        if !parameters.is_empty() {
            link["parameters"] = json!(parameters);
        }
        if let Some(pointer) = self.body {
            link["requestBody"] = place(pointer).into();
        }
        link
    }
}

/// Adds the links of the contained resources to every successful response.
pub(super) fn add(document: &mut Value) {
    let schemas = document["components"]["schemas"].clone();
    for (_, _, operation) in operations_of(document) {
        let own = operation["operationId"].as_str().unwrap_or_default().to_owned();
        for (status, response) in operation["responses"].as_object_mut().into_iter().flatten() {
            let schema = response.pointer("/content/application~1json/schema");
            let (Some(body), true) = (schema.and_then(schema_name), status.starts_with('2')) else {
                continue;
            };
            let resources = schemas[body]["properties"].clone();
            let links = LINKS
                .iter()
                .filter(|link| resources[link.resource].is_object() && link.operation != own);
            let links: BTreeMap<_, _> = links.map(|link| (link.operation, link.to_value())).collect();
            if !links.is_empty() {
                response["links"] = json!(links);
            }
        }
    }
}

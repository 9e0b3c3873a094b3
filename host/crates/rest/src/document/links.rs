//! Links from the ids in a response to operations. Every operation with an id in its path has an entry here.
use utoipa::openapi::link::{Link, LinkBuilder};
use utoipa::openapi::path::Operation;
use utoipa::openapi::{RefOr, Schema};

use super::responses_of;
use super::schema::{Schemas, name_of_body};

/// A link from all responses with a `resource` to one operation.
struct Target {
    resource: &'static str,
    operation: &'static str,
    /// The parameters of the operation, with the JSON pointers to their values in the resource.
    parameters: &'static [(&'static str, &'static str)],
    /// The JSON pointer to the request body in the resource.
    body: Option<&'static str>,
}

const LINKS: &[Target] = &[
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
    Target {
        resource: "book",
        operation: "detach_book_page",
        parameters: &[("id", "id"), ("page_id", "pages/0/id")],
        body: None,
    },
    by_id("operation", "get_operation"),
    by_id("managed_account", "admin_get_account"),
    by_id("managed_account", "admin_update_account"),
    by_id("managed_account", "admin_change_account_credits"),
    by_id("managed_account", "admin_suspend_account"),
    by_id("managed_account", "admin_resume_account"),
    by_id("managed_account", "admin_close_account"),
    by_id("managed_account", "admin_create_password_link"),
    by_id("managed_account", "admin_reset_second_factor"),
    by_id("managed_operation", "admin_get_operation"),
    by_id("managed_operation", "admin_cancel_operation"),
    by_id("managed_operation", "admin_retry_operation"),
    by_id("managed_provider", "admin_switch_off_provider"),
    by_id("managed_provider", "admin_switch_on_provider"),
    by_id("managed_provider", "admin_end_provider_pause"),
    by_id("managed_plugin", "admin_get_plugin"),
    by_id("managed_plugin", "admin_allow_plugin"),
    by_id("managed_plugin", "admin_deny_plugin"),
    by_body("book_plan", "create_book", "generation_request"),
];

/// A link to an operation whose only path parameter is the resource's id.
const fn by_id(resource: &'static str, operation: &'static str) -> Target {
    Target {
        resource,
        operation,
        parameters: &[("id", "id")],
        body: None,
    }
}

/// A link to an operation that takes a part of the resource as its body.
const fn by_body(resource: &'static str, operation: &'static str, body: &'static str) -> Target {
    Target {
        resource,
        operation,
        parameters: &[],
        body: Some(body),
    }
}

impl Target {
    fn link(&self) -> Link {
        let place = |pointer: &str| format!("$response.body#/{}/{pointer}", self.resource);
        let link = LinkBuilder::new()
            .operation_id(self.operation)
            .request_body(self.body.map(place));
        let parameters = self.parameters.iter();
        parameters
            .fold(link, |link, (name, pointer)| link.parameter(*name, place(pointer)))
            .build()
    }
}

/// Adds the links of the contained resources to every successful response of the operation.
pub(super) fn add(operation: &mut Operation, schemas: &Schemas) {
    let own = operation.operation_id.clone();
    for (status, response) in responses_of(operation) {
        let body = response.content.get("application/json").and_then(name_of_body);
        let Some(RefOr::T(Schema::Object(body))) = body.and_then(|name| schemas.get(name)) else {
            continue;
        };
        if status.starts_with('2') {
            let targets = LINKS.iter().filter(|target| {
                body.properties.contains_key(target.resource) && own.as_deref() != Some(target.operation)
            });
            let links = targets.map(|target| (target.operation.to_owned(), target.link().into()));
            response.links.extend(links);
        }
    }
}

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
    /// The list of whose responses alone the link is a part. The parameter `id` is then that of its request.
    list: Option<&'static str>,
}

const LINKS: &[Target] = &[
    by_id("character", "get_character"),
    by_id("character", "get_character_image"),
    by_id("character", "update_character"),
    by_id("character", "put_character"),
    by_id("character", "archive_character"),
    by_id("character", "restore_character"),
    by_id("character", "regenerate_character"),
    by_id("character", "list_character_attempts"),
    by_id("page", "get_page"),
    by_id("page", "get_page_image"),
    by_id("page", "update_page"),
    by_id("page", "put_page"),
    by_id("page", "delete_page"),
    by_id("page", "replace_page_image"),
    by_id("page", "regenerate_page"),
    by_id("page", "refine_page"),
    by_id("page", "list_page_attempts"),
    by_id("book", "get_book"),
    by_id("book", "get_book_cover_image"),
    by_id("book", "replace_book_cover_image"),
    by_id("book", "regenerate_book_cover"),
    by_id("book", "restyle_book"),
    by_id("book", "copy_book"),
    by_id("book", "list_book_cover_attempts"),
    by_id("book", "get_book_pdf"),
    by_id("book", "get_book_package"),
    by_id("book", "check_book_print"),
    by_id("book", "update_book"),
    by_id("book", "put_book"),
    by_id("book", "delete_book"),
    by_id("book", "add_book_page"),
    by_id("book", "reorder_book_pages"),
    by_id("book", "list_review_links"),
    by_id("book", "create_review_link"),
    by_id("book", "list_book_comments"),
    by_id("review_link", "withdraw_review_link"),
    by_comment("update_comment"),
    by_comment("delete_comment"),
    Target {
        resource: "book",
        operation: "detach_book_page",
        parameters: &[("id", "id"), ("page_id", "pages/0/id")],
        body: None,
        list: None,
    },
    by_deleted("restore_deleted"),
    by_deleted("delete_for_good"),
    by_attempt("list_page_attempts", "choose_page_attempt"),
    by_attempt("list_page_attempts", "get_page_attempt_image"),
    by_attempt("list_book_cover_attempts", "choose_book_cover_attempt"),
    by_attempt("list_book_cover_attempts", "get_book_cover_attempt_image"),
    by_attempt("list_character_attempts", "choose_character_attempt"),
    by_attempt("list_character_attempts", "get_character_attempt_image"),
    by_id("operation", "get_operation"),
    by_id("operation", "follow_operation"),
    by_id("operation", "cancel_operation"),
    by_id("webhook", "get_webhook"),
    by_id("webhook", "update_webhook"),
    by_id("webhook", "delete_webhook"),
    by_id("webhook", "rotate_webhook_secret"),
    by_id("webhook", "test_webhook"),
    by_id("webhook", "list_webhook_deliveries"),
    Target {
        resource: "deliveries",
        operation: "replay_webhook_delivery",
        parameters: &[("delivery_id", "0/id")],
        body: None,
        list: Some("list_webhook_deliveries"),
    },
    by_id("key", "get_key"),
    by_id("key", "rotate_key"),
    by_id("key", "revoke_key"),
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
    by_id("managed_plugin", "admin_use_plugin"),
    by_id("managed_plugin", "admin_stop_using_plugin"),
    by_id("managed_plugin", "admin_configure_plugin"),
    by_id("managed_plugin", "admin_list_plugin_calls"),
    by_body("book_plan", "create_book", "generation_request"),
];

/// A link to an operation whose only path parameter is the resource's id.
const fn by_id(resource: &'static str, operation: &'static str) -> Target {
    Target {
        resource,
        operation,
        parameters: &[("id", "id")],
        body: None,
        list: None,
    }
}

/// A link from a list of attempts to an operation on one of them.
const fn by_attempt(list: &'static str, operation: &'static str) -> Target {
    Target {
        resource: "attempts",
        operation,
        parameters: &[("attempt_id", "0/id")],
        body: None,
        list: Some(list),
    }
}

/// A link from the list of the bin to an operation on its first book or page.
const fn by_deleted(operation: &'static str) -> Target {
    Target {
        resource: "deleted_items",
        operation,
        parameters: &[("id", "0/id")],
        body: None,
        list: None,
    }
}

/// A link from the list of a book's comments to an operation on the first one.
const fn by_comment(operation: &'static str) -> Target {
    Target {
        resource: "comments",
        operation,
        parameters: &[("id", "0/id")],
        body: None,
        list: None,
    }
}

/// A link to an operation that takes a part of the resource as its body.
const fn by_body(resource: &'static str, operation: &'static str, body: &'static str) -> Target {
    Target {
        resource,
        operation,
        parameters: &[],
        body: Some(body),
        list: None,
    }
}

impl Target {
    fn link(&self) -> Link {
        let place = |pointer: &str| format!("$response.body#/{}/{pointer}", self.resource);
        let link = LinkBuilder::new()
            .operation_id(self.operation)
            .request_body(self.body.map(place));
        let link = match self.list {
            Some(_) => link.parameter("id", "$request.path.id"),
            None => link,
        };
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
                body.properties.contains_key(target.resource)
                    && own.as_deref() != Some(target.operation)
                    && target.list.is_none_or(|list| own.as_deref() == Some(list))
            });
            let links = targets.map(|target| (target.operation.to_owned(), target.link().into()));
            response.links.extend(links);
        }
    }
}

//! `/bin`: the account's deleted books and pages.
use axum::Extension;
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use serde::Serialize;

use super::addresses::{addressed, addressed_reply};
use super::document::{DeletedParameter, DeletionErrors, ListErrors, RestoreErrors, StateChangeErrors};
use super::extract::{ListParameters, NoBody, PathId, list_query};
use super::response::{self, Meta};
use linepress_accounts::caller::Caller;
use linepress_core::books::Book;
use linepress_core::deletion::{self, DeletedId, DeletedItem, Restored};
use linepress_core::pages::Page;
use linepress_http::Reply;
use linepress_platform::app::App;
use linepress_platform::error::Error;
use linepress_platform::ids::BinId;

#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct DeletedItemsReply {
    deleted_items: Vec<DeletedItem>,
    meta: Meta,
}

/// The restored resource: a book or a page.
#[derive(Default, Serialize, utoipa::ToSchema)]
pub(super) struct RestoredReply {
    /// Present if a book was restored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub book: Option<Book>,
    /// Present if a page was restored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub page: Option<Page>,
}

addressed_reply!(RestoredReply: book, page);

/// The account's bin: books and pages that were deleted, the one that was deleted last first. Each can be restored
/// until it expires. The bin counts toward `stored_bytes`, and makes room for new files: then the oldest is deleted
/// first.
#[utoipa::path(get, path = "/bin", tag = "Bin", operation_id = "list_bin", params(ListParameters),
    responses((status = 200, description = "One page of the list", body = DeletedItemsReply), ListErrors))]
pub(super) async fn list(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    parameters: Result<Query<ListParameters>, QueryRejection>,
) -> Reply<Json<DeletedItemsReply>> {
    let request = list_query(parameters)?.page_request(&app, &caller, BinId::PREFIX)?;
    let page = deletion::list(&app, &caller, &request).await?;
    Ok(Json(DeletedItemsReply {
        meta: Meta::from(&page),
        deleted_items: page.items,
    }))
}

/// Restores a deleted book or page as it was. A page returns to its places in the books that exist; a book gets its
/// cover and those of its pages that exist. Drawings that were canceled by the deletion are not drawn: these pages have
/// failed, and can be regenerated.
#[utoipa::path(post, path = "/bin/{id}/restore", tag = "Bin", operation_id = "restore_deleted", params(DeletedParameter),
    responses((status = 200, description = "The book or the page", body = RestoredReply), RestoreErrors))]
pub(super) async fn restore(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<DeletedId>,
    _: NoBody,
) -> Reply<Json<RestoredReply>> {
    let restored = deletion::restore(&app, &caller, &id).await?.ok_or_else(missing)?;
    let reply = match restored {
        Restored::Book(book) => RestoredReply {
            book: Some(*book),
            page: None,
        },
        Restored::Page(page) => RestoredReply {
            page: Some(*page),
            book: None,
        },
    };
    Ok(addressed(&app, reply))
}

/// Deletes a book or page in the bin for good, with its pictures.
#[utoipa::path(delete, path = "/bin/{id}", tag = "Bin", operation_id = "delete_for_good", params(DeletedParameter),
    responses((status = 204, description = "Deleted"), DeletionErrors))]
pub(super) async fn delete(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<DeletedId>,
) -> Reply<StatusCode> {
    let deleted = deletion::delete_for_good(&app, &caller, &id).await?;
    response::no_content(deleted, missing)
}

/// Deletes everything in the bin for good. An empty bin remains empty.
#[utoipa::path(delete, path = "/bin", tag = "Bin", operation_id = "empty_bin",
    responses((status = 204, description = "Emptied"), StateChangeErrors))]
pub(super) async fn empty(State(app): State<App>, Extension(caller): Extension<Caller>) -> Reply<StatusCode> {
    deletion::empty_bin(&app, &caller).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn missing() -> Error {
    Error::not_found("deleted book or page")
}

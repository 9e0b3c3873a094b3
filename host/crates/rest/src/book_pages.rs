//! `/books/{id}/pages`.
use axum::Extension;
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use serde::Deserialize;

use super::addresses::addressed;
use super::books::missing;
use super::document::{
    BookPageParameter, BookParameter, ChangeErrors, DeletionErrors, OptionalKey, SourceRegenerationErrors,
};
use super::extract::{Body, PathId, optional_key, order};
use super::response;
use linepress_accounts::caller::Caller;
use linepress_accounts::webhooks::CallbackUrl;
use linepress_core::books::{self, BookPageAccepted, BookReply, NewBookPage};
use linepress_core::pages::NewPage;
use linepress_http::Reply;
use linepress_platform::app::App;
use linepress_platform::error::Error;
use linepress_platform::field::Field;
use linepress_platform::ids::{BookId, PageId};

/// Either a `page` to draw, for {page_price}, or the `page_id` of a ready page with the book's aspect, at no cost.
#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct BookPageBody {
    #[serde(default)]
    page: Option<NewPage>,
    #[serde(default)]
    page_id: Option<PageId>,
    /// The position in the book, from 1. Pages from there on move down. Last by default.
    #[serde(default)]
    #[schema(minimum = 1)]
    position: Option<u32>,
    #[serde(default)]
    callback_url: Option<CallbackUrl>,
}

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct OrderBody {
    /// Every page of the book, each once, in the new order.
    page_ids: Vec<PageId>,
}

/// Draws a new page in the book, for {page_price}, or attaches a ready page, at no cost. With `variants`, that many
/// pictures of the page are drawn, each at this price; one that fails is refunded. With `source_upload_id` the page is
/// drawn from a picture, such as a photograph, if the server's image provider supports that.
#[utoipa::path(post, path = "/books/{id}/pages", tag = "Books", operation_id = "add_book_page",
    params(BookParameter, OptionalKey), request_body = BookPageBody,
    responses((status = 200, description = "Attached", body = BookReply),
        (status = 202, description = "Accepted", body = BookPageAccepted), SourceRegenerationErrors))]
pub(super) async fn add(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<BookId>,
    headers: HeaderMap,
    Body(body): Body<BookPageBody>,
) -> Reply {
    match (body.page, body.page_id) {
        (Some(page), None) => {
            let new = NewBookPage {
                page,
                position: body.position,
            };
            let order = order(&app, &caller, &headers, body.callback_url).await?;
            let accepted = books::generate(&app, &caller, &order, &id, &new, None).await?;
            response::accepted(&app, &caller, &headers, accepted.ok_or_else(missing)?).await
        }
        (None, Some(_)) if body.callback_url.is_some() => {
            let problem = "is for a page to draw: a ready page is attached at once";
            Err(Error::invalid_field(Field::named("callback_url"), problem).into())
        }
        (None, Some(page)) => {
            let key = optional_key(&headers)?;
            let attached = books::attach(&app, &caller, key.as_ref(), &id, &page, body.position).await?;
            response::done(&app, attached.ok_or_else(missing)?)
        }
        (Some(_), Some(_)) => {
            Err(Error::invalid_field(Field::page_id(), "must not be combined with page: send one of the two").into())
        }
        (None, None) => Err(Error::invalid_field(Field::page(), "is required if there is no page_id").into()),
    }
}

/// Removes a page from the book. The page itself is not deleted.
#[utoipa::path(delete, path = "/books/{id}/pages/{page_id}", tag = "Books", operation_id = "detach_book_page",
    params(BookParameter, BookPageParameter),
    responses((status = 204, description = "Detached"), DeletionErrors))]
pub(super) async fn detach(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId((book, page)): PathId<(BookId, PageId)>,
) -> Reply<StatusCode> {
    let detached = books::detach(&app, &caller, &book, &page).await?;
    response::no_content(detached.ok_or_else(missing)?, || Error::not_found("page in this book"))
}

/// Changes the order of the book's pages.
#[utoipa::path(patch, path = "/books/{id}/pages/order", tag = "Books", operation_id = "reorder_book_pages",
    params(BookParameter), request_body = OrderBody,
    responses((status = 200, description = "The book", body = BookReply), ChangeErrors))]
pub(super) async fn reorder(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<BookId>,
    Body(body): Body<OrderBody>,
) -> Reply<Json<BookReply>> {
    let book = books::reorder(&app, &caller, &id, &body.page_ids).await?;
    Ok(addressed(
        &app,
        BookReply {
            book: book.ok_or_else(missing)?,
        },
    ))
}

//! `/pages`.
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::HeaderMap;
use serde::{Deserialize, Serialize};

use super::document::{Binary, Generation, Missing, PaginationErrors, Refusals, Regeneration};
use super::extract::{Body, ListParameters, OptionalBody, PathId, idempotency_key, list_query};
use super::reply::{self, Meta, Reply};
use crate::app::App;
use crate::caller::Caller;
use crate::error::Error;
use crate::idempotency::IdempotencyKey;
use crate::ids::{BookId, PageId};
use crate::pages::{self, NewPage, Page, PageAccepted, PageRegeneration};

#[derive(Serialize, utoipa::ToSchema)]
pub struct PageReply {
    page: Page,
}

#[derive(Serialize, utoipa::ToSchema)]
pub struct PagesReply {
    pages: Vec<Page>,
    meta: Meta,
}

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PageBody {
    page: NewPage,
}

#[derive(Default, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PageRegenerationBody {
    #[serde(default)]
    page: PageRegeneration,
}

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct BookFilter {
    /// Only pages that stand in this book.
    book_id: Option<String>,
}

/// The account's pages, newest first.
#[utoipa::path(get, path = "/pages", tag = "Pages", operation_id = "list_pages", params(ListParameters, BookFilter),
    responses((status = 200, description = "One page of the list", body = PagesReply), Refusals, PaginationErrors))]
pub async fn list(
    State(app): State<App>,
    caller: Caller,
    parameters: Result<Query<ListParameters>, QueryRejection>,
    filter: Result<Query<BookFilter>, QueryRejection>,
) -> Reply<Json<PagesReply>> {
    let request = list_query(parameters)?.page_request(PageId::PREFIX)?;
    let book = super::extract::query(filter)?
        .book_id
        .as_deref()
        .map(BookId::from_client);
    let page = pages::list(&app, &caller, book.as_ref(), &request).await?;
    Ok(Json(PagesReply {
        meta: Meta::from(&page),
        pages: page.items,
    }))
}

/// Creates a page and has it drawn, for 1 credit.
#[utoipa::path(post, path = "/pages", tag = "Pages", operation_id = "create_page",
    params(("Idempotency-Key" = String, Header)), request_body = PageBody,
    responses((status = 202, description = "Accepted", body = PageAccepted), Refusals, Generation))]
pub async fn create(State(app): State<App>, caller: Caller, headers: HeaderMap, Body(body): Body<PageBody>) -> Reply {
    let key = IdempotencyKey::new(idempotency_key(&headers), "POST /pages", &body.page)?;
    reply::accepted(pages::create(&app, &caller, &key, &body.page).await?)
}

/// One page.
#[utoipa::path(get, path = "/pages/{id}", tag = "Pages", operation_id = "get_page", params(("id" = String, Path)),
    responses((status = 200, description = "The page", body = PageReply), Refusals, Missing))]
pub async fn show(State(app): State<App>, caller: Caller, PathId(id): PathId) -> Reply<Json<PageReply>> {
    let page = pages::get(&app, &caller, &PageId::from_client(&id)).await?;
    Ok(Json(PageReply {
        page: page.ok_or_else(missing)?,
    }))
}

/// The page's image.
#[utoipa::path(get, path = "/pages/{id}/image", tag = "Pages", operation_id = "get_page_image", params(("id" = String, Path)),
    responses((status = 200, description = "The image", body = Binary, content_type = "image/png"), Refusals, Missing))]
pub async fn image(State(app): State<App>, caller: Caller, PathId(id): PathId) -> Reply {
    let image = pages::image(&app, &caller, &PageId::from_client(&id)).await?;
    reply::download(image.ok_or_else(|| Error::not_found("image"))?)
}

/// Draws the page again, for 1 credit. The old image stays until the new one is there.
#[utoipa::path(post, path = "/pages/{id}/regenerate", tag = "Pages", operation_id = "regenerate_page",
    params(("id" = String, Path), ("Idempotency-Key" = String, Header)), request_body = Option<PageRegenerationBody>,
    responses((status = 202, description = "Accepted", body = PageAccepted), Refusals, Missing, Generation, Regeneration))]
pub async fn regenerate(
    State(app): State<App>,
    caller: Caller,
    PathId(id): PathId,
    headers: HeaderMap,
    OptionalBody(body): OptionalBody<PageRegenerationBody>,
) -> Reply {
    let key = IdempotencyKey::new(
        idempotency_key(&headers),
        &format!("POST /pages/{id}/regenerate"),
        &body.page,
    )?;
    let accepted = pages::regenerate(&app, &caller, &key, &PageId::from_client(&id), &body.page).await?;
    reply::accepted(accepted.ok_or_else(missing)?)
}

fn missing() -> Error {
    Error::not_found("page")
}

//! `/pages`.
use axum::Extension;
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use axum::response::IntoResponse as _;
use serde::{Deserialize, Serialize};

use super::addresses::{addressed, addressed_reply};
use super::artwork::ArtworkBody;
use super::document::{
    Binary, ChangeErrors, DeletionErrors, DownloadErrors, GenerationErrors, ImageForm, ImportErrors, ImportForm,
    ListErrors, OptionalKey, PageParameter, PageRegenerationErrors, PageReplaceErrors, RefinementErrors, RequiredKey,
    ResourceErrors,
};
use super::extract::{
    Body, ListParameters, OptionalBody, PathId, SearchParameters, list_query, one_of, optional_key, order, query,
};
use super::response::{self, Meta};
use linepress_accounts::caller::Caller;
use linepress_accounts::webhooks::CallbackUrl;
use linepress_core::artwork::{ImageSize, Status};
use linepress_core::deletion;
use linepress_core::pages::{
    self, NewImage, NewImport, NewPage, Page, PageAccepted, PageChange, PageRefinement, PageRegeneration, PageReply,
};
use linepress_http::Reply;
use linepress_model::Aspect;
use linepress_platform::app::App;
use linepress_platform::error::Error;
use linepress_platform::field::Field;
use linepress_platform::ids::{BookId, PageId};

#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct PagesReply {
    pages: Vec<Page>,
    meta: Meta,
}

addressed_reply!(PagesReply: pages);

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PageBody {
    page: NewPage,
    #[serde(default)]
    callback_url: Option<CallbackUrl>,
}

#[derive(Default, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PageRegenerationBody {
    #[serde(default)]
    page: PageRegeneration,
    #[serde(default)]
    callback_url: Option<CallbackUrl>,
}

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PageRefinementBody {
    page: PageRefinement,
    #[serde(default)]
    callback_url: Option<CallbackUrl>,
}

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PageChangeBody {
    page: PageChange,
}

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct PageFilter {
    /// Only pages in this book.
    #[param(value_type = Option<String>)]
    book_id: Option<BookId>,
    /// Only pages of this status.
    #[param(value_type = Option<Status>)]
    status: Option<String>,
    /// Only pages of this aspect.
    #[param(value_type = Option<Aspect>)]
    aspect: Option<String>,
}

/// The account's pages, newest first unless `sort` says otherwise.
#[utoipa::path(get, path = "/pages", tag = "Pages", operation_id = "list_pages",
    params(ListParameters, SearchParameters, PageFilter),
    responses((status = 200, description = "One page of the list", body = PagesReply), ListErrors))]
pub(super) async fn list(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    parameters: Result<Query<ListParameters>, QueryRejection>,
    search: Result<Query<SearchParameters>, QueryRejection>,
    filter: Result<Query<PageFilter>, QueryRejection>,
) -> Reply<Json<PagesReply>> {
    let request = list_query(parameters)?.page_request(&app, &caller, PageId::PREFIX)?;
    let filter = query(filter)?;
    let status = one_of("status", filter.status, Status::ALL)?;
    let aspect = one_of("aspect", filter.aspect, Aspect::ALL)?;
    let search = query(search)?.search(status, aspect)?;
    let page = pages::search(&app, &caller, filter.book_id.as_ref(), &search, &request).await?;
    Ok(addressed(
        &app,
        PagesReply {
            meta: Meta::from(&page),
            pages: page.items,
        },
    ))
}

/// Creates a page and has it drawn, for {page_price}. With `source_upload_id` it is drawn from a picture, such as a
/// photograph, if the server's image provider supports that. With `variants`, that many pictures are drawn, each at
/// this price; one that fails is refunded.
#[utoipa::path(post, path = "/pages", tag = "Pages", operation_id = "create_page",
    params(RequiredKey), request_body = PageBody,
    responses((status = 202, description = "Accepted", body = PageAccepted), GenerationErrors))]
pub(super) async fn create(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    Body(body): Body<PageBody>,
) -> Reply {
    let order = order(&app, &caller, &headers, body.callback_url).await?;
    let accepted = pages::create(&app, &caller, &order, &body.page, None).await;
    response::accepted(&app, &caller, &headers, accepted.map_err(in_body)?).await
}

/// One page.
#[utoipa::path(get, path = "/pages/{id}", tag = "Pages", operation_id = "get_page", params(PageParameter),
    responses((status = 200, description = "The page", body = PageReply), ResourceErrors))]
pub(super) async fn show(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<PageId>,
) -> Reply {
    let page = pages::get(&app, &caller, &id).await?.ok_or_else(missing)?;
    // The balance that was read with the key saves a statement. It is not used for a page that is being drawn, or that
    // has no picture because its drawing failed: the charge or the refund may be later than the balance. A refund of a
    // redraw that ends during the request is in the next response.
    let is_free_of_drawings = page.active_operation_id.is_none() && page.error.is_none();
    let key = caller.key().filter(|_| is_free_of_drawings);
    let reply = addressed(&app, PageReply { page });
    Ok(match key {
        Some(key) => response::with_balance(key.account_credits, reply),
        None => reply.into_response(),
    })
}

/// Changes a page's metadata and characters, and locks or unlocks it. Fields that are left out do not change.
#[utoipa::path(patch, path = "/pages/{id}", tag = "Pages", operation_id = "update_page", params(PageParameter),
    request_body = PageChangeBody,
    responses((status = 200, description = "The page", body = PageReply), ChangeErrors))]
pub(super) async fn update(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<PageId>,
    Body(body): Body<PageChangeBody>,
) -> Reply<Json<PageReply>> {
    let page = pages::update(&app, &caller, &id, &body.page).await;
    let page = page.map_err(in_body)?.ok_or_else(missing)?;
    Ok(addressed(&app, PageReply { page }))
}

/// The same as PATCH.
#[utoipa::path(put, path = "/pages/{id}", tag = "Pages", operation_id = "put_page", params(PageParameter),
    request_body = PageChangeBody,
    responses((status = 200, description = "The page", body = PageReply), ChangeErrors))]
pub(super) async fn put(
    state: State<App>,
    caller: Extension<Caller>,
    id: PathId<PageId>,
    body: Body<PageChangeBody>,
) -> Reply<Json<PageReply>> {
    update(state, caller, id, body).await
}

/// Deletes a page with its image, and removes it from every book. Its waiting drawing is canceled and refunded. The
/// page can be restored from the bin until it expires.
#[utoipa::path(delete, path = "/pages/{id}", tag = "Pages", operation_id = "delete_page", params(PageParameter),
    responses((status = 204, description = "Deleted"), DeletionErrors))]
pub(super) async fn delete(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<PageId>,
) -> Reply<StatusCode> {
    let deleted = deletion::delete_page(&app, &caller, &id).await?;
    response::no_content(deleted, missing)
}

/// Imports finished artwork as a ready page, at no cost. Send the file as `multipart/form-data`, or JSON with an
/// `upload_id` or an https `image_url`.
#[utoipa::path(post, path = "/pages/import", tag = "Pages", operation_id = "import_page",
    params(OptionalKey),
    request_body(content((NewImport = "application/json"), (ImportForm = "multipart/form-data"))),
    responses((status = 201, description = "The page", body = PageReply), ImportErrors))]
pub(super) async fn import(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    ArtworkBody { fields, file }: ArtworkBody<NewImport>,
) -> Reply {
    let key = optional_key(&headers)?;
    let imported = pages::import(&app, &caller, key.as_ref(), &fields, file).await?;
    response::created(&app, imported)
}

/// Replaces the page's image with finished artwork, at no cost. Send the file as `multipart/form-data`, or JSON with an
/// `upload_id` or an https `image_url`.
#[utoipa::path(put, path = "/pages/{id}/image", tag = "Pages", operation_id = "replace_page_image",
    params(PageParameter, OptionalKey),
    request_body(content((NewImage = "application/json"), (ImageForm = "multipart/form-data"))),
    responses((status = 200, description = "The page", body = PageReply), PageReplaceErrors))]
pub(super) async fn replace_image(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<PageId>,
    headers: HeaderMap,
    ArtworkBody { fields, file }: ArtworkBody<NewImage>,
) -> Reply {
    let key = optional_key(&headers)?;
    let replaced = pages::replace_image(&app, &caller, key.as_ref(), &id, &fields, file).await?;
    response::done(&app, replaced.ok_or_else(missing)?)
}

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ImageParameters {
    /// `screen`, the default, is the gray picture of the page's `image`. `print` is the printed picture at 600 DPI:
    /// black and white with 1 bit per pixel, or gray if an imported picture has tones.
    #[param(value_type = Option<ImageSize>)]
    size: Option<String>,
}

/// The page's image, for the screen or as it is printed.
#[utoipa::path(get, path = "/pages/{id}/image", tag = "Pages", operation_id = "get_page_image",
    params(PageParameter, ImageParameters),
    responses((status = 200, description = "The image", body = Binary, content_type = "image/png"), DownloadErrors))]
pub(super) async fn image(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<PageId>,
    parameters: Result<Query<ImageParameters>, QueryRejection>,
) -> Reply {
    let size = one_of("size", query(parameters)?.size, ImageSize::ALL)?.unwrap_or_default();
    let image = pages::image(&app, &caller, &id, size).await?;
    response::download(image.ok_or_else(missing)?)
}

/// Draws the page again, for {page_price}. The old image remains until the new one is ready; PDFs of its books are
/// rejected meanwhile. Characters of the page that have been archived do not appear. With `variants`, that many
/// pictures are drawn, each at this price; one that fails is refunded. With `source_upload_id` it is drawn from a
/// picture, such as a photograph, if the server's image provider supports that.
#[utoipa::path(post, path = "/pages/{id}/regenerate", tag = "Pages", operation_id = "regenerate_page",
    params(PageParameter, RequiredKey), request_body = Option<PageRegenerationBody>,
    responses((status = 202, description = "Accepted", body = PageAccepted), PageRegenerationErrors))]
pub(super) async fn regenerate(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<PageId>,
    headers: HeaderMap,
    OptionalBody(body): OptionalBody<PageRegenerationBody>,
) -> Reply {
    let order = order(&app, &caller, &headers, body.callback_url).await?;
    let accepted = pages::regenerate(&app, &caller, &order, &id, &body.page, None).await;
    response::accepted(&app, &caller, &headers, accepted.map_err(in_body)?.ok_or_else(missing)?).await
}

/// Changes the page's picture as an instruction says, for {page_price}. The old image remains until the new one is
/// ready; PDFs of its books are rejected meanwhile. If no image provider of the server can change a picture, the page
/// is drawn again from its prompt and the instruction, and the `note` of the operation's item says so. The prompt of
/// the page does not change. A page without an image cannot be refined: regenerate it.
#[utoipa::path(post, path = "/pages/{id}/refine", tag = "Pages", operation_id = "refine_page",
    params(PageParameter, RequiredKey), request_body = PageRefinementBody,
    responses((status = 202, description = "Accepted", body = PageAccepted), RefinementErrors))]
pub(super) async fn refine(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<PageId>,
    headers: HeaderMap,
    Body(body): Body<PageRefinementBody>,
) -> Reply {
    let order = order(&app, &caller, &headers, body.callback_url).await?;
    let accepted = pages::refine(&app, &caller, &order, &id, &body.page).await;
    response::accepted(&app, &caller, &headers, accepted.map_err(in_body)?.ok_or_else(missing)?).await
}

/// Names the fields of an error as bodies contain them.
fn in_body(error: Error) -> Error {
    error.within(&Field::page())
}

pub(super) fn missing() -> Error {
    Error::not_found("page")
}

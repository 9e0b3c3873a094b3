//! `/pages/{id}/attempts`, `/books/{id}/cover/attempts` and `/characters/{id}/attempts`: the pictures that a page, a
//! cover or a character shows or has shown.
use axum::Extension;
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use serde::Serialize;

use super::addresses::{addressed, addressed_reply};
use super::characters::CharacterReply;
use super::document::{
    AttemptErrors, AttemptParameter, Binary, BookParameter, CharacterParameter, DownloadErrors, PageAttemptErrors,
    PageParameter, ResourceListErrors,
};
use super::extract::{ListParameters, NoBody, PathId, list_query};
use super::response::{self, Meta};
use super::{books as of_books, characters as of_characters, pages as of_pages};
use linepress_accounts::caller::Caller;
use linepress_core::artwork::attempts::Attempt;
use linepress_core::books::{self, BookReply};
use linepress_core::characters;
use linepress_core::pages::{self, PageReply};
use linepress_http::Reply;
use linepress_platform::app::App;
use linepress_platform::database::{PageOf, PageRequest};
use linepress_platform::error::Result;
use linepress_platform::ids::{AttemptId, BookId, CharacterId, PageId};

#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct AttemptsReply {
    attempts: Vec<Attempt>,
    meta: Meta,
}

addressed_reply!(AttemptsReply: attempts);

impl From<PageOf<Attempt>> for AttemptsReply {
    fn from(page: PageOf<Attempt>) -> Self {
        Self {
            meta: Meta::from(&page),
            attempts: page.items,
        }
    }
}

/// The part of a list that the parameters ask for.
fn requested(
    app: &App,
    caller: &Caller,
    parameters: Result<Query<ListParameters>, QueryRejection>,
) -> Reply<PageRequest> {
    Ok(list_query(parameters)?.page_request(app, caller, AttemptId::PREFIX)?)
}

/// The attempts of a page, newest first: the picture that it shows, and earlier ones that can be chosen again. Each
/// drawing and each replacement adds one. The server stores at most `attempts_per_picture` of them (`limits` in
/// `GET /me`), and each for a number of days after another one was chosen (the setting `attempts.max_age_days`).
/// Beyond that, and when the account's `stored_bytes` would exceed their limit, those that have been out of use the
/// longest are deleted, but never the chosen one.
#[utoipa::path(get, path = "/pages/{id}/attempts", tag = "Pages", operation_id = "list_page_attempts",
    params(PageParameter, ListParameters),
    responses((status = 200, description = "One page of the list", body = AttemptsReply), ResourceListErrors))]
pub(super) async fn of_page(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<PageId>,
    parameters: Result<Query<ListParameters>, QueryRejection>,
) -> Reply<Json<AttemptsReply>> {
    let request = requested(&app, &caller, parameters)?;
    let attempts = pages::list_attempts(&app, &caller, &id, &request).await?;
    Ok(addressed(&app, attempts.ok_or_else(of_pages::missing)?.into()))
}

/// Makes the page show one of its attempts, at no cost. The page also gets the attempt's prompt, unless its own was
/// edited since. Nothing changes if the page shows it already.
#[utoipa::path(post, path = "/pages/{id}/attempts/{attempt_id}/choose", tag = "Pages",
    operation_id = "choose_page_attempt", params(PageParameter, AttemptParameter),
    responses((status = 200, description = "The page", body = PageReply), PageAttemptErrors))]
pub(super) async fn choose_of_page(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId((id, attempt)): PathId<(PageId, AttemptId)>,
    _: NoBody,
) -> Reply<Json<PageReply>> {
    let page = pages::choose_attempt(&app, &caller, &id, &attempt).await?;
    let page = page.ok_or_else(of_pages::missing)?;
    Ok(addressed(&app, PageReply { page }))
}

/// The picture of one of the page's attempts.
#[utoipa::path(get, path = "/pages/{id}/attempts/{attempt_id}/image", tag = "Pages",
    operation_id = "get_page_attempt_image", params(PageParameter, AttemptParameter),
    responses((status = 200, description = "The image", body = Binary, content_type = "image/png"), DownloadErrors))]
pub(super) async fn image_of_page(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId((id, attempt)): PathId<(PageId, AttemptId)>,
) -> Reply {
    let image = pages::attempt_image(&app, &caller, &id, &attempt).await?;
    response::download(image.ok_or_else(of_pages::missing)?)
}

/// The attempts of a book's cover, newest first: the picture that it shows, and earlier ones that can be chosen again.
/// Each drawing and each replacement adds one. They are limited in number, age and stored bytes like those of a page.
#[utoipa::path(get, path = "/books/{id}/cover/attempts", tag = "Books", operation_id = "list_book_cover_attempts",
    params(BookParameter, ListParameters),
    responses((status = 200, description = "One page of the list", body = AttemptsReply), ResourceListErrors))]
pub(super) async fn of_cover(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<BookId>,
    parameters: Result<Query<ListParameters>, QueryRejection>,
) -> Reply<Json<AttemptsReply>> {
    let request = requested(&app, &caller, parameters)?;
    let attempts = books::list_cover_attempts(&app, &caller, &id, &request).await?;
    Ok(addressed(&app, attempts.ok_or_else(of_books::missing)?.into()))
}

/// Makes the cover show one of its attempts, at no cost. The cover also gets the attempt's prompt and style, each unless
/// its own was edited since. Nothing changes if the cover shows it already.
#[utoipa::path(post, path = "/books/{id}/cover/attempts/{attempt_id}/choose", tag = "Books",
    operation_id = "choose_book_cover_attempt", params(BookParameter, AttemptParameter),
    responses((status = 200, description = "The book", body = BookReply), AttemptErrors))]
pub(super) async fn choose_of_cover(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId((id, attempt)): PathId<(BookId, AttemptId)>,
    _: NoBody,
) -> Reply<Json<BookReply>> {
    let book = books::choose_cover_attempt(&app, &caller, &id, &attempt).await?;
    let book = book.ok_or_else(of_books::missing)?;
    Ok(addressed(&app, BookReply { book }))
}

/// The picture of one of the cover's attempts.
#[utoipa::path(get, path = "/books/{id}/cover/attempts/{attempt_id}/image", tag = "Books",
    operation_id = "get_book_cover_attempt_image", params(BookParameter, AttemptParameter),
    responses((status = 200, description = "The image", body = Binary, content_type = "image/png"), DownloadErrors))]
pub(super) async fn image_of_cover(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId((id, attempt)): PathId<(BookId, AttemptId)>,
) -> Reply {
    let image = books::cover_attempt_image(&app, &caller, &id, &attempt).await?;
    response::download(image.ok_or_else(of_books::missing)?)
}

/// The attempts of a character, newest first: its reference image, and earlier ones that can be chosen again. Each
/// drawing adds one. They are limited in number, age and stored bytes like those of a page.
#[utoipa::path(get, path = "/characters/{id}/attempts", tag = "Characters", operation_id = "list_character_attempts",
    params(CharacterParameter, ListParameters),
    responses((status = 200, description = "One page of the list", body = AttemptsReply), ResourceListErrors))]
pub(super) async fn of_character(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<CharacterId>,
    parameters: Result<Query<ListParameters>, QueryRejection>,
) -> Reply<Json<AttemptsReply>> {
    let request = requested(&app, &caller, parameters)?;
    let attempts = characters::list_attempts(&app, &caller, &id, &request).await?;
    Ok(addressed(&app, attempts.ok_or_else(of_characters::missing)?.into()))
}

/// Gives the character the reference image and the description of one of its attempts, at no cost. Pages that were
/// drawn before do not change. Nothing changes if the character has it already.
#[utoipa::path(post, path = "/characters/{id}/attempts/{attempt_id}/choose", tag = "Characters",
    operation_id = "choose_character_attempt", params(CharacterParameter, AttemptParameter),
    responses((status = 200, description = "The character", body = CharacterReply), AttemptErrors))]
pub(super) async fn choose_of_character(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId((id, attempt)): PathId<(CharacterId, AttemptId)>,
    _: NoBody,
) -> Reply<Json<CharacterReply>> {
    let character = characters::choose_attempt(&app, &caller, &id, &attempt).await?;
    let character = character.ok_or_else(of_characters::missing)?;
    Ok(addressed(&app, CharacterReply { character }))
}

/// The picture of one of the character's attempts.
#[utoipa::path(get, path = "/characters/{id}/attempts/{attempt_id}/image", tag = "Characters",
    operation_id = "get_character_attempt_image", params(CharacterParameter, AttemptParameter),
    responses((status = 200, description = "The image", body = Binary, content_type = "image/png"), DownloadErrors))]
pub(super) async fn image_of_character(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId((id, attempt)): PathId<(CharacterId, AttemptId)>,
) -> Reply {
    let image = characters::attempt_image(&app, &caller, &id, &attempt).await?;
    response::download(image.ok_or_else(of_characters::missing)?)
}

//! `/characters`.
use axum::Extension;
use axum::Json;
use axum::extract::rejection::QueryRejection;
use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode};
use serde::{Deserialize, Serialize};

use super::addresses::{addressed, addressed_reply};
use super::document::{
    Binary, ChangeErrors, CharacterParameter, DeletionErrors, DownloadErrors, GenerationErrors, ListErrors,
    RequiredKey, ResourceErrors, RestoreErrors, SourceRegenerationErrors,
};
use super::extract::{
    Body, ListParameters, NoBody, OptionalBody, PathId, SearchParameters, list_query, one_of, order, query,
};
use super::response::{self, Meta};
use linepress_accounts::caller::Caller;
use linepress_accounts::webhooks::CallbackUrl;
use linepress_core::artwork::Status;
use linepress_core::characters::{
    self, Character, CharacterAccepted, CharacterChange, CharacterRegeneration, NewCharacter,
};
use linepress_http::Reply;
use linepress_platform::app::App;
use linepress_platform::error::{Error, ErrorKind};
use linepress_platform::field::Field;
use linepress_platform::ids::CharacterId;

#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct CharacterReply {
    pub(super) character: Character,
}

addressed_reply!(CharacterReply: character);

#[derive(Serialize, utoipa::ToSchema)]
pub(super) struct CharactersReply {
    characters: Vec<Character>,
    meta: Meta,
}

addressed_reply!(CharactersReply: characters);

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CharacterBody {
    character: NewCharacter,
    #[serde(default)]
    callback_url: Option<CallbackUrl>,
}

#[derive(Default, Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CharacterRegenerationBody {
    #[serde(default)]
    character: CharacterRegeneration,
    #[serde(default)]
    callback_url: Option<CallbackUrl>,
}

#[derive(Deserialize, utoipa::ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CharacterChangeBody {
    character: CharacterChange,
}

#[derive(Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct CharacterFilter {
    /// Only characters of this status.
    #[param(value_type = Option<Status>)]
    status: Option<String>,
    /// True for the archived characters in place of the active ones.
    #[param(value_type = Option<bool>)]
    archived: Option<String>,
}

/// The account's active characters, or its archived ones, newest first unless `sort` says otherwise.
#[utoipa::path(get, path = "/characters", tag = "Characters", operation_id = "list_characters",
    params(ListParameters, SearchParameters, CharacterFilter),
    responses((status = 200, description = "One page of the list", body = CharactersReply), ListErrors))]
pub(super) async fn list(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    parameters: Result<Query<ListParameters>, QueryRejection>,
    search: Result<Query<SearchParameters>, QueryRejection>,
    filter: Result<Query<CharacterFilter>, QueryRejection>,
) -> Reply<Json<CharactersReply>> {
    let request = list_query(parameters)?.page_request(&app, &caller, CharacterId::PREFIX)?;
    let filter = query(filter)?;
    let status = one_of("status", filter.status, Status::ALL)?;
    let archived = one_of("archived", filter.archived, &[false, true])?.unwrap_or_default();
    let search = query(search)?.search(status, None)?;
    let page = characters::search(&app, &caller, archived, &search, &request).await?;
    Ok(addressed(
        &app,
        CharactersReply {
            meta: Meta::from(&page),
            characters: page.items,
        },
    ))
}

/// Creates a character and has its reference image drawn, for {character_price}. With `source_upload_id` it is drawn
/// from a picture, such as a photograph, if the server's image provider supports that. With `variants`, that many
/// pictures are drawn, each at this price; one that fails is refunded.
#[utoipa::path(post, path = "/characters", tag = "Characters", operation_id = "create_character",
    params(RequiredKey), request_body = CharacterBody,
    responses((status = 202, description = "Accepted", body = CharacterAccepted), GenerationErrors))]
pub(super) async fn create(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    Body(body): Body<CharacterBody>,
) -> Reply {
    let order = order(&app, &caller, &headers, body.callback_url).await?;
    let accepted = characters::create(&app, &caller, &order, &body.character, None).await;
    response::accepted(&app, &caller, &headers, accepted.map_err(in_body)?).await
}

/// One active character.
#[utoipa::path(get, path = "/characters/{id}", tag = "Characters", operation_id = "get_character", params(CharacterParameter),
    responses((status = 200, description = "The character", body = CharacterReply), ResourceErrors))]
pub(super) async fn show(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<CharacterId>,
) -> Reply<Json<CharacterReply>> {
    let character = characters::get(&app, &caller, &id).await?;
    Ok(addressed(
        &app,
        CharacterReply {
            character: character.ok_or_else(missing)?,
        },
    ))
}

/// Changes a character's name or public preview. Fields that are left out do not change.
#[utoipa::path(patch, path = "/characters/{id}", tag = "Characters", operation_id = "update_character",
    params(CharacterParameter), request_body = CharacterChangeBody,
    responses((status = 200, description = "The character", body = CharacterReply), ChangeErrors))]
pub(super) async fn update(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<CharacterId>,
    Body(body): Body<CharacterChangeBody>,
) -> Reply<Json<CharacterReply>> {
    let character = characters::update(&app, &caller, &id, &body.character).await;
    let character = character.map_err(in_body)?.ok_or_else(missing)?;
    Ok(addressed(&app, CharacterReply { character }))
}

/// The same as PATCH.
#[utoipa::path(put, path = "/characters/{id}", tag = "Characters", operation_id = "put_character",
    params(CharacterParameter), request_body = CharacterChangeBody,
    responses((status = 200, description = "The character", body = CharacterReply), ChangeErrors))]
pub(super) async fn put(
    state: State<App>,
    caller: Extension<Caller>,
    id: PathId<CharacterId>,
    body: Body<CharacterChangeBody>,
) -> Reply<Json<CharacterReply>> {
    update(state, caller, id, body).await
}

/// Archives a character: it is no longer listed, and cannot be used until it is restored. Its waiting drawings are
/// canceled and refunded.
#[utoipa::path(delete, path = "/characters/{id}", tag = "Characters", operation_id = "archive_character",
    params(CharacterParameter), responses((status = 204, description = "Archived"), DeletionErrors))]
pub(super) async fn archive(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<CharacterId>,
) -> Reply<StatusCode> {
    let archived = characters::archive(&app, &caller, &id).await?;
    response::no_content(archived, missing)
}

/// Restores an archived character. A public preview that was on is on again, at the same address. An active character
/// does not change.
#[utoipa::path(post, path = "/characters/{id}/restore", tag = "Characters", operation_id = "restore_character",
    params(CharacterParameter),
    responses((status = 200, description = "The character", body = CharacterReply), RestoreErrors))]
pub(super) async fn restore(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<CharacterId>,
    _: NoBody,
) -> Reply<Json<CharacterReply>> {
    let character = characters::restore(&app, &caller, &id).await?;
    Ok(addressed(
        &app,
        CharacterReply {
            character: character.ok_or_else(missing)?,
        },
    ))
}

/// The character's reference image.
#[utoipa::path(get, path = "/characters/{id}/reference_image", tag = "Characters", operation_id = "get_character_image", params(CharacterParameter),
    responses((status = 200, description = "The image", body = Binary, content_type = "image/png"), DownloadErrors))]
pub(super) async fn reference_image(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<CharacterId>,
) -> Reply {
    let image = characters::reference_image(&app, &caller, &id).await?;
    response::download(image.ok_or_else(missing)?)
}

/// Draws the character again, for {character_price}. The old image remains until the new one is ready. With `variants`,
/// that many pictures are drawn, each at this price; one that fails is refunded. With `source_upload_id` it is drawn
/// from a picture, such as a photograph, if the server's image provider supports that.
#[utoipa::path(post, path = "/characters/{id}/regenerate", tag = "Characters", operation_id = "regenerate_character",
    params(CharacterParameter, RequiredKey), request_body = Option<CharacterRegenerationBody>,
    responses((status = 202, description = "Accepted", body = CharacterAccepted), SourceRegenerationErrors))]
pub(super) async fn regenerate(
    State(app): State<App>,
    Extension(caller): Extension<Caller>,
    PathId(id): PathId<CharacterId>,
    headers: HeaderMap,
    OptionalBody(body): OptionalBody<CharacterRegenerationBody>,
) -> Reply {
    let order = order(&app, &caller, &headers, body.callback_url).await?;
    let accepted = characters::regenerate(&app, &caller, &order, &id, &body.character, None).await;
    response::accepted(&app, &caller, &headers, accepted.map_err(in_body)?.ok_or_else(missing)?).await
}

/// Names the fields of an error as bodies contain them.
fn in_body(error: Error) -> Error {
    let error = match error.kind {
        // Where it is not translated here, the error names the source picture of a page.
        ErrorKind::SourcePicture(mismatch) => Error::invalid_field(Field::source_upload_id(), mismatch.to_string()),
        _ => error,
    };
    error.within(&Field::character())
}

pub(super) fn missing() -> Error {
    Error::not_found("character")
}

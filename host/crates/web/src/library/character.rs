//! `/library/characters/{id}`: one character.
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use serde::Deserialize;

use super::attempts::Attempts;
use super::book_changes::changed_text;
use super::characters::{PhotoDescription, list_archived};
use super::choices::{self, VariantChoice};
use super::form::{Change, Complaints, Fields, Refused, Typed, may_change, new_key};
use super::page::no_photograph;
use super::pictures::Picture;
use super::progress::Following;
use super::undo::Undo;
use super::upload::Upload;
use super::{accepted, words};
use linepress_accounts::credits::pricing;
use linepress_core::artwork::Status;
use linepress_core::characters::{self, CharacterChange, CharacterRegeneration};
use linepress_core::generation;
use linepress_http::html::{Frame, Section, page};
use linepress_http::session::SignedIn;
use linepress_http::{PathId, Query, Reply};
use linepress_model::Aspect;
use linepress_platform::app::App;
use linepress_platform::error::{Error, Result};
use linepress_platform::field::Field;
use linepress_platform::ids::{AttemptId, CharacterId};

#[derive(Template)]
#[template(path = "library/character.html")]
struct CharacterPage {
    frame: Frame,
    may_change: bool,
    done: Option<&'static str>,
    undo: Option<Undo>,
    complaints: Complaints,
    /// The name of the rejected form; empty if none was rejected.
    opened: &'static str,
    typed_name: String,
    typed_description: String,
    /// The complaint about the description in the form that draws the character from its description.
    description_complaint: Option<String>,
    /// The description in the form that draws the character from a photograph, and the complaint about it.
    typed_photo_description: String,
    photo_description_complaint: Option<String>,
    photo_description: PhotoDescription,
    variants: Vec<VariantChoice>,
    /// True if a loaded provider draws from photographs.
    draws_from_pictures: bool,
    id: CharacterId,
    name: String,
    description: String,
    style: String,
    facts: String,
    picture: Option<Picture>,
    has_failed: bool,
    is_drawing: bool,
    following: Option<Following>,
    attempts: Attempts,
    aspect: &'static str,
    preview_url: Option<String>,
    key: String,
    /// The idempotency key of the form that draws the character from a photograph.
    photo_key: String,
    most_megabytes: u64,
    /// The sentence about the refund of a drawing that failed.
    refunded: String,
}

/// The query parameters of a character's address.
#[derive(Default, Deserialize)]
pub(super) struct CharacterQuery {
    done: Option<String>,
    /// The attempt that was chosen before what was done.
    attempt: Option<AttemptId>,
}

pub(super) async fn show(
    State(app): State<App>,
    signed_in: SignedIn,
    PathId(id): PathId<CharacterId>,
    Query(query): Query<CharacterQuery>,
) -> Reply {
    render(&app, &signed_in, &id, query, None).await
}

/// Redirects from the address of a form to the character.
pub(super) async fn to_character(_: SignedIn, PathId(id): PathId<CharacterId>) -> Redirect {
    Redirect::to(&format!("/library/characters/{id}"))
}

/// Redirects from the address of a form about an attempt to the character.
pub(super) async fn from_attempt(_: SignedIn, PathId((id, _)): PathId<(CharacterId, AttemptId)>) -> Redirect {
    Redirect::to(&format!("/library/characters/{id}"))
}

/// The names of the forms on the page.
const NAME: &str = "name";
const DRAW: &str = "draw";
const PHOTO: &str = "photo";
const SHARE: &str = "share";
const CHOOSE: &str = "choose";

async fn render(
    app: &App,
    signed_in: &SignedIn,
    id: &CharacterId,
    query: CharacterQuery,
    refused: Option<Refused<'_>>,
) -> Reply<Response> {
    let done = words::done(query.done.as_deref());
    let typed = Typed(refused.as_ref());
    let caller = signed_in.caller();
    let found = characters::get(app, &caller, id).await?.ok_or_else(missing)?;
    let following = Following::find(app, &caller, found.active_operation_id.as_ref()).await?;
    let status = refused.as_ref().map_or(StatusCode::OK, |refused| refused.status);
    let attempts = Attempts::of_character(app, &caller, id).await?;
    let attempts = attempts.while_drawing(found.active_operation_id.is_some());
    let described = typed.complaints().at(&Field::description());
    let description_complaint = |form: &str| described.clone().filter(|_| typed.form() == form);
    let view = CharacterPage {
        frame: signed_in.frame(Section::Characters),
        may_change: may_change(signed_in),
        undo: Undo::choice(&attempts, query.attempt.as_ref()),
        done: done.filter(|done| following.is_some() || !words::is_of_a_drawing(done)),
        opened: typed.form(),
        typed_name: typed.text(NAME, "name", &found.name),
        typed_description: typed.text(DRAW, "description", &found.description),
        description_complaint: description_complaint(DRAW),
        typed_photo_description: typed.text(PHOTO, "description", &found.description),
        photo_description_complaint: description_complaint(PHOTO),
        photo_description: PhotoDescription::find(app),
        variants: choices::variants(app, typed.variants(DRAW), pricing::CHARACTER),
        draws_from_pictures: generation::draws(app, true),
        facts: words::day(found.created_at),
        picture: Picture::whole(&format!("characters/{}", found.id), found.reference_image.as_ref()),
        has_failed: found.status == Status::Failed,
        is_drawing: found.active_operation_id.is_some(),
        following,
        attempts,
        aspect: Aspect::Square.as_str(),
        preview_url: found.public_preview_url,
        key: new_key(app),
        photo_key: new_key(app),
        most_megabytes: app.config.import_limit() / 1_000_000,
        refunded: pricing::refunded(pricing::CHARACTER),
        id: found.id,
        name: found.name,
        description: found.description,
        style: found.style,
        complaints: refused.map_or_else(Complaints::none, |refused| refused.complaints),
    };
    Ok(page(status, &view))
}

/// Redirects to the character, or renders it with the complaints about this form.
async fn respond<T>(
    app: &App,
    signed_in: &SignedIn,
    id: &CharacterId,
    (form, fields): (&'static str, &Fields),
    outcome: Result<Option<T>>,
    done: &'static str,
) -> Reply<Response> {
    let path = format!("/library/characters/{id}");
    let refused = match accepted::changed_by((form, fields), outcome, "character", &path, done)? {
        Ok(response) => return Ok(response),
        Err(refused) => refused,
    };
    render(app, signed_in, id, CharacterQuery::default(), Some(refused)).await
}

pub(super) async fn rename(State(app): State<App>, PathId(id): PathId<CharacterId>, change: Change) -> Reply {
    let wanted = CharacterChange {
        name: change.fields.changed("name").map(Into::into),
        public_preview: None,
    };
    let renamed = characters::update(&app, &change.caller, &id, &wanted).await;
    respond(&app, &change.signed_in, &id, (NAME, &change.fields), renamed, "saved").await
}

/// Turns the public preview on or off.
pub(super) async fn share(State(app): State<App>, PathId(id): PathId<CharacterId>, change: Change) -> Reply {
    let is_on = change.fields.text("public_preview") == "on";
    let wanted = CharacterChange {
        name: None,
        public_preview: Some(is_on),
    };
    let updated = characters::update(&app, &change.caller, &id, &wanted).await;
    let done = if is_on { "shared" } else { "private" };
    respond(&app, &change.signed_in, &id, (SHARE, &change.fields), updated, done).await
}

pub(super) async fn draw(State(app): State<App>, PathId(id): PathId<CharacterId>, change: Change) -> Reply {
    let wanted = CharacterRegeneration {
        description: changed_text(&change.fields, "description"),
        variants: change.fields.variants(),
        ..CharacterRegeneration::default()
    };
    let order = change.fields.order_of_variants()?;
    let drawn = characters::regenerate(&app, &change.caller, &order, &id, &wanted, None).await;
    respond(&app, &change.signed_in, &id, (DRAW, &change.fields), drawn, "drawing").await
}

/// Draws the character again from a photograph.
pub(super) async fn draw_from(State(app): State<App>, PathId(id): PathId<CharacterId>, upload: Upload) -> Reply {
    let Upload {
        signed_in,
        caller,
        fields,
        file,
    } = upload;
    let wanted = CharacterRegeneration {
        description: changed_text(&fields, "description"),
        variants: fields.variants(),
        ..CharacterRegeneration::default()
    };
    let order = fields.order_of_variants()?;
    let drawn = match file {
        file @ Some(_) => characters::regenerate(&app, &caller, &order, &id, &wanted, file).await,
        None => Err(no_photograph()),
    };
    respond(&app, &signed_in, &id, (PHOTO, &fields), drawn, "drawing").await
}

/// Gives the character one of its earlier pictures again.
pub(super) async fn choose(
    State(app): State<App>,
    PathId((id, attempt)): PathId<(CharacterId, AttemptId)>,
    change: Change,
) -> Reply {
    let before = Attempts::of_character(&app, &change.caller, &id).await?;
    let chosen = characters::choose_attempt(&app, &change.caller, &id, &attempt).await;
    if let Ok(Some(_)) = &chosen {
        let path = format!("/library/characters/{id}");
        return Ok(accepted::to_undoable(&path, "chosen", &before.undo(), None));
    }
    respond(&app, &change.signed_in, &id, (CHOOSE, &change.fields), chosen, "chosen").await
}

pub(super) async fn archive(State(app): State<App>, PathId(id): PathId<CharacterId>, change: Change) -> Reply {
    if characters::archive(&app, &change.caller, &id).await? {
        let archived = format!("/library/characters?done=archived&archived={id}");
        return Ok(Redirect::to(&archived).into_response());
    }
    Err(missing().into())
}

pub(super) async fn restore(State(app): State<App>, PathId(id): PathId<CharacterId>, change: Change) -> Reply {
    let restored = characters::restore(&app, &change.caller, &id).await;
    let path = format!("/library/characters/{id}");
    match accepted::changed(restored, "character", &path, "restored")? {
        Ok(response) => Ok(response),
        // An archived character has no page, so show the list of archived characters.
        Err(refused) => list_archived(&app, &change.signed_in, None, refused).await,
    }
}

fn missing() -> Error {
    Error::not_found("character")
}

//! `/library/characters/{id}`: one character.
use askama::Template;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};

use super::books::ListQuery;
use super::form::{Change, Complaints, may_change, new_key};
use super::pictures::Picture;
use super::progress::Following;
use super::{accepted, words};
use crate::app::App;
use crate::artwork::Status;
use crate::characters::{self, CharacterChange, CharacterRegeneration};
use crate::credits::pricing;
use crate::error::{Error, Result};
use crate::http::html::{Frame, Section, page};
use crate::http::session::SignedIn;
use crate::http::{PathId, Reply};
use crate::ids::CharacterId;

#[derive(Template)]
#[template(path = "library/character.html")]
struct CharacterPage {
    frame: Frame,
    may_change: bool,
    done: Option<&'static str>,
    complaints: Complaints,
    id: CharacterId,
    name: String,
    description: String,
    style: String,
    facts: String,
    picture: Option<Picture>,
    has_failed: bool,
    is_drawing: bool,
    following: Option<Following>,
    preview_url: Option<String>,
    key: String,
    price: String,
}

pub(super) async fn show(
    State(app): State<App>,
    signed_in: SignedIn,
    PathId(id): PathId<CharacterId>,
    Query(query): Query<ListQuery>,
) -> Reply {
    let done = words::done(query.done.as_deref());
    render(&app, &signed_in, &id, StatusCode::OK, done, Complaints::none()).await
}

async fn render(
    app: &App,
    signed_in: &SignedIn,
    id: &CharacterId,
    status: StatusCode,
    done: Option<&'static str>,
    complaints: Complaints,
) -> Reply<Response> {
    let caller = signed_in.caller();
    let found = characters::get(app, &caller, id).await?.ok_or_else(missing)?;
    let following = Following::of(app, &caller, found.active_operation_id.as_ref()).await?;
    let view = CharacterPage {
        frame: signed_in.frame(Section::Characters),
        may_change: may_change(signed_in),
        done: done.filter(|done| following.is_some() || !words::is_of_a_drawing(done)),
        complaints,
        facts: words::day(found.created_at),
        picture: Picture::whole(&format!("characters/{}", found.id), found.reference_image.as_ref()),
        has_failed: found.status == Status::Failed,
        is_drawing: found.active_operation_id.is_some(),
        following,
        preview_url: found.public_preview_url,
        key: new_key(app),
        price: words::credits(pricing::CHARACTER),
        id: found.id,
        name: found.name,
        description: found.description,
        style: found.style,
    };
    Ok(page(status, &view))
}

/// Back to the character, or the character with what was wrong.
async fn shown<T>(
    app: &App,
    change: &Change,
    id: &CharacterId,
    outcome: Result<Option<T>>,
    done: &'static str,
) -> Reply<Response> {
    match accepted::changed(outcome, "character", &format!("/library/characters/{id}"), done)? {
        Ok(response) => Ok(response),
        Err((status, complaints)) => render(app, &change.signed_in, id, status, None, complaints).await,
    }
}

pub(super) async fn rename(State(app): State<App>, PathId(id): PathId<CharacterId>, change: Change) -> Reply {
    let wanted = CharacterChange {
        name: Some(change.fields.text("name").into()),
        public_preview: None,
    };
    let renamed = characters::update(&app, &change.caller, &id, &wanted).await;
    shown(&app, &change, &id, renamed, "saved").await
}

/// Turns the public preview on or off.
pub(super) async fn share(State(app): State<App>, PathId(id): PathId<CharacterId>, change: Change) -> Reply {
    let is_on = change.fields.text("public_preview") == "on";
    let wanted = CharacterChange {
        name: None,
        public_preview: Some(is_on),
    };
    let updated = characters::update(&app, &change.caller, &id, &wanted).await;
    shown(&app, &change, &id, updated, if is_on { "shared" } else { "private" }).await
}

pub(super) async fn draw(State(app): State<App>, PathId(id): PathId<CharacterId>, change: Change) -> Reply {
    let wanted = CharacterRegeneration {
        description: change.fields.given("description"),
    };
    let key = change.fields.key()?;
    let drawn = characters::regenerate(&app, &change.caller, &key, &id, &wanted).await;
    shown(&app, &change, &id, drawn, "drawing").await
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
    shown(&app, &change, &id, restored, "restored").await
}

fn missing() -> Error {
    Error::not_found("character")
}

//! `/library/characters`: the list of characters, and the forms for a new one.
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Redirect, Response};
use serde::Deserialize;

use super::books::{ListQuery, PER_PAGE};
use super::choices::{self, VariantChoice};
use super::form::{Change, Complaints, Fields, may_change, new_key};
use super::pictures::Picture;
use super::search_bar::{SearchBar, unless_stale};
use super::upload::Upload;
use super::{accepted, words};
use linepress_accounts::credits::pricing;
use linepress_core::artwork::Status;
use linepress_core::characters::{self, Character, NewCharacter};
use linepress_core::generation;
use linepress_http::html::{Frame, Section, page};
use linepress_http::session::SignedIn;
use linepress_http::{Query, Reply};
use linepress_platform::app::App;
use linepress_platform::database::PageRequest;
use linepress_platform::field::Field;
use linepress_platform::ids::CharacterId;

#[derive(Template)]
#[template(path = "library/characters.html")]
struct CharactersPage {
    frame: Frame,
    may_change: bool,
    done: Option<&'static str>,
    /// A character that was just archived, which the page offers to restore.
    archived: Option<CharacterId>,
    has_archived: bool,
    bar: SearchBar,
    characters: Vec<CharacterCard>,
    is_first: bool,
    next: Option<String>,
}

/// A character, as a card of the list.
struct CharacterCard {
    id: CharacterId,
    name: String,
    picture: Option<Picture>,
    is_drawing: bool,
    has_failed: bool,
    is_shared: bool,
}

impl CharacterCard {
    fn from_character(character: Character) -> Self {
        Self {
            picture: Picture::small(
                &format!("characters/{}", character.id),
                character.reference_image.as_ref(),
            ),
            is_drawing: character.active_operation_id.is_some(),
            has_failed: character.status == Status::Failed,
            is_shared: character.public_preview,
            id: character.id,
            name: character.name,
        }
    }
}

#[derive(Deserialize)]
pub(super) struct CharactersQuery {
    archived: Option<CharacterId>,
}

pub(super) async fn list(
    State(app): State<App>,
    signed_in: SignedIn,
    Query(query): Query<ListQuery>,
    Query(CharactersQuery {
        archived: just_archived,
    }): Query<CharactersQuery>,
) -> Reply {
    let caller = signed_in.caller();
    let scope = app.cursors.scope(caller.account_id(), CharacterId::PREFIX);
    // The cursor may come from an old bookmark of a page of the list.
    let Ok(request) = PageRequest::parse(Some(PER_PAGE), query.after.as_deref(), scope) else {
        return Ok(Redirect::to("/library/characters").into_response());
    };
    let (bar, search) = SearchBar::read::<Status>("/library/characters", &query, false);
    let Some(list) = unless_stale(characters::search(&app, &caller, false, &search, &request).await)? else {
        return Ok(Redirect::to("/library/characters").into_response());
    };
    let scope = app.cursors.scope(caller.account_id(), CharacterId::PREFIX);
    let one = PageRequest::parse(Some("1"), None, scope)?;
    let archived = characters::list_archived(&app, &caller, &one).await?;
    let all = CharactersPage {
        frame: signed_in.frame(Section::Characters),
        may_change: may_change(&signed_in),
        done: words::done(query.done.as_deref()),
        archived: just_archived.filter(|id| !id.names_nothing()),
        has_archived: !archived.items.is_empty(),
        bar,
        characters: list.items.into_iter().map(CharacterCard::from_character).collect(),
        is_first: query.after.is_none(),
        next: list.next_cursor,
    };
    Ok(page(StatusCode::OK, &all))
}

#[derive(Template)]
#[template(path = "library/archived.html")]
struct ArchivedPage {
    frame: Frame,
    may_change: bool,
    complaints: Complaints,
    characters: Vec<CharacterCard>,
    is_first: bool,
    next: Option<String>,
}

/// Lists the archived characters, which can be restored.
pub(super) async fn archived(State(app): State<App>, signed_in: SignedIn, Query(query): Query<ListQuery>) -> Reply {
    let complained = (StatusCode::OK, Complaints::none());
    list_archived(&app, &signed_in, query.after.as_deref(), complained).await
}

pub(super) async fn list_archived(
    app: &App,
    signed_in: &SignedIn,
    after: Option<&str>,
    (status, complaints): (StatusCode, Complaints),
) -> Reply {
    let caller = signed_in.caller();
    let scope = app.cursors.scope(caller.account_id(), CharacterId::PREFIX);
    let Ok(request) = PageRequest::parse(Some(PER_PAGE), after, scope) else {
        return Ok(Redirect::to("/library/characters/archived").into_response());
    };
    let list = characters::list_archived(app, &caller, &request).await?;
    let all = ArchivedPage {
        frame: signed_in.frame(Section::Characters),
        may_change: may_change(signed_in),
        complaints,
        characters: list.items.into_iter().map(CharacterCard::from_character).collect(),
        is_first: after.is_none(),
        next: list.next_cursor,
    };
    Ok(page(status, &all))
}

#[derive(Template)]
#[template(path = "library/new_character.html")]
struct NewCharacterPage {
    frame: Frame,
    may_change: bool,
    refused: RefusedForms,
    name: String,
    description: String,
    style: String,
    variants: Vec<VariantChoice>,
    key: String,
    /// The idempotency key of the form that draws the character from a photograph.
    photo_key: String,
    balance: String,
    most_megabytes: u64,
    /// True if a loaded provider draws from photographs.
    draws_from_pictures: bool,
    photo_description: PhotoDescription,
}

/// The complaints about the forms on the page. Only one form is sent at a time.
#[derive(Default)]
struct RefusedForms {
    drawing: Complaints,
    photograph: Complaints,
}

/// The description of a character in a form that draws it from a photograph.
pub(super) struct PhotoDescription {
    /// True if no loaded provider looks at the pictures of characters when it draws a page.
    pub is_required: bool,
    pub hint: &'static str,
}

impl PhotoDescription {
    pub(super) fn find(app: &App) -> Self {
        let is_required = generation::needs_descriptions(app);
        Self {
            is_required,
            hint: match is_required {
                true => {
                    "This server draws a character from a photograph by its description, such as “A brown dog with one \
                     white paw”."
                }
                false => "Such as “A brown dog with one white paw”.",
            },
        }
    }
}

/// The name and description of a character that a book plan suggests.
#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Suggestion {
    name: String,
    description: String,
}

pub(super) async fn show_new(
    State(app): State<App>,
    signed_in: SignedIn,
    Query(suggestion): Query<Suggestion>,
) -> Reply {
    let mut fields = Fields::default();
    fields.push("name", suggestion.name);
    fields.push("description", suggestion.description);
    let shown = (StatusCode::OK, RefusedForms::default());
    Ok(new_character(&app, &signed_in, &fields, new_key(&app), shown))
}

/// Redirects from the address of a form's submission to the page of the form.
pub(super) async fn to_new(_: SignedIn) -> Redirect {
    Redirect::to("/library/characters/new")
}

fn new_character(
    app: &App,
    signed_in: &SignedIn,
    fields: &Fields,
    key: String,
    (status, refused): (StatusCode, RefusedForms),
) -> Response {
    let view = NewCharacterPage {
        frame: signed_in.frame(Section::Characters),
        may_change: may_change(signed_in),
        refused,
        name: fields.text("name"),
        description: fields.text("description"),
        style: fields.text("style"),
        variants: choices::variants(app, fields.variants(), pricing::CHARACTER),
        key,
        photo_key: new_key(app),
        balance: pricing::credits(signed_in.account.credits),
        most_megabytes: app.config.import_limit() / 1_000_000,
        draws_from_pictures: generation::draws(app, true),
        photo_description: PhotoDescription::find(app),
    };
    page(status, &view)
}

/// The character as the fields of a form describe it.
fn typed(fields: &Fields) -> NewCharacter {
    NewCharacter {
        name: fields.text("name").into(),
        description: fields.given("description"),
        style: fields.given("style"),
        public_preview: None,
        // A photograph comes with the form.
        source_upload_id: None,
        variants: fields.variants(),
    }
}

/// Redirects to a character that is being drawn.
fn drawn(id: &CharacterId) -> Response {
    accepted::to(&format!("/library/characters/{id}"), "drawing")
}

pub(super) async fn draw(State(app): State<App>, change: Change) -> Reply {
    let fields = &change.fields;
    let new = typed(fields);
    let error = match characters::create(&app, &change.caller, &fields.order_of_variants()?, &new, None).await {
        Ok(accepted) => return Ok(drawn(&accepted.reply.character.id)),
        Err(error) => error,
    };
    let key = fields.given("idempotency_key").unwrap_or_else(|| new_key(&app));
    let (status, drawing) = Complaints::with_status(error)?;
    let refused = RefusedForms {
        drawing,
        ..RefusedForms::default()
    };
    Ok(new_character(&app, &change.signed_in, fields, key, (status, refused)))
}

/// Draws a new character from a photograph.
pub(super) async fn draw_from(State(app): State<App>, upload: Upload) -> Reply {
    let Upload {
        signed_in,
        caller,
        fields,
        file,
    } = upload;
    let new = typed(&fields);
    let (status, photograph) = if file.is_none() {
        let missing = Complaints::from_message("Choose a photograph to draw from.");
        (StatusCode::UNPROCESSABLE_ENTITY, missing)
    } else {
        let order = fields.order_of_variants()?;
        match characters::create(&app, &caller, &order, &new, file).await {
            Ok(accepted) => return Ok(drawn(&accepted.reply.character.id)),
            Err(error) => Complaints::with_status(error)?,
        }
    };
    let refused = RefusedForms {
        photograph,
        ..RefusedForms::default()
    };
    Ok(new_character(
        &app,
        &signed_in,
        &fields,
        new_key(&app),
        (status, refused),
    ))
}

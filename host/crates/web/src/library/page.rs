//! `/library/pages/{id}`: one page.
use std::borrow::Cow;

use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{Redirect, Response};
use serde::Deserialize;

use super::attempts::Attempts;
use super::book_changes::changed_text;
use super::choices::{self, CharacterChoice, VariantChoice};
use super::form::{Change, Complaints, Fields, Refused, Typed, may_change, new_key};
use super::looks::LookInputs;
use super::page_texts::{self, TextInputs};
use super::pictures::Picture;
use super::place::{BookLink, Place, PlaceQuery};
use super::progress::Following;
use super::refine::{REFINE, RefineForm};
use super::undo::Undo;
use super::upload::Upload;
use super::{accepted, words};
use linepress_accounts::caller::Caller;
use linepress_accounts::credits::pricing;
use linepress_core::artwork::attempts;
use linepress_core::books;
use linepress_core::deletion;
use linepress_core::generation;
use linepress_core::pages::{self, NewImage, Origin, Page, PageChange, PageRegeneration, PageTexts};
use linepress_http::html::{Frame, Section, page};
use linepress_http::session::SignedIn;
use linepress_http::{PathId, Query, Reply};
use linepress_platform::app::App;
use linepress_platform::error::{Error, Result};
use linepress_platform::field::Field;
use linepress_platform::ids::{AttemptId, BookId, PageId};

#[derive(Template)]
#[template(path = "library/page.html")]
struct PagePage {
    frame: Frame,
    may_change: bool,
    done: Option<&'static str>,
    undo: Option<Undo>,
    complaints: Complaints,
    /// The name of the rejected form; empty if none was rejected.
    opened: &'static str,
    inputs: TextInputs,
    /// The prompt in the form that draws the page again.
    again: String,
    variants: Vec<VariantChoice>,
    /// True if a loaded provider draws from photographs.
    draws_from_pictures: bool,
    look: LookInputs,
    refine: RefineForm,
    image_url: String,
    id: PageId,
    /// The query of the page's address, which its forms keep.
    query: String,
    texts: PageTexts,
    aspect: &'static str,
    facts: String,
    /// The faults that make the picture hard to color.
    faults: Vec<Cow<'static, str>>,
    picture: Option<Picture>,
    /// True if the picture was drawn from a photograph and the page was not edited since, so that its caption, if it
    /// has one, may have been written for another picture.
    asks_about_caption: bool,
    problem: Option<Cow<'static, str>>,
    attempts: Attempts,
    is_drawing: bool,
    is_locked: bool,
    following: Option<Following>,
    books: Vec<BookLink>,
    /// The page's place in the book from which the user came, or otherwise in the first of its books.
    place: Option<Place>,
    characters: Vec<CharacterChoice>,
    key: String,
    /// The idempotency key of the form that draws the marked pages again.
    marked_key: String,
    /// The idempotency key of the form that draws the page from a photograph.
    photo_key: String,
    price: String,
    most_megabytes: u64,
    bin_days: u64,
}

/// The names of the forms on the page.
const WORDS: &str = "words";
const DRAW: &str = "draw";
const PHOTO: &str = "photo";
const REPLACE: &str = "replace";
const CHOOSE: &str = "choose";
const LOCK: &str = "lock";

/// The most books of a page that are listed by name.
const MAX_NAMED_BOOKS: usize = 12;

/// The query parameters of a page's address.
#[derive(Default, Deserialize)]
pub(super) struct PageQuery {
    done: Option<String>,
    /// The attempt that was chosen before what was done.
    attempt: Option<AttemptId>,
}

pub(super) async fn show(
    State(app): State<App>,
    signed_in: SignedIn,
    PathId(id): PathId<PageId>,
    Query(query): Query<PageQuery>,
    Query(from): Query<PlaceQuery>,
) -> Reply {
    render(&app, &signed_in, (&id, &from), query, None).await
}

/// Redirects from the address of a form to the page.
pub(super) async fn to_page(_: SignedIn, PathId(id): PathId<PageId>) -> Redirect {
    Redirect::to(&format!("/library/pages/{id}"))
}

/// Redirects from the address of a form about an attempt to the page.
pub(super) async fn from_attempt(_: SignedIn, PathId((id, _)): PathId<(PageId, AttemptId)>) -> Redirect {
    Redirect::to(&format!("/library/pages/{id}"))
}

async fn render(
    app: &App,
    signed_in: &SignedIn,
    (id, from): (&PageId, &PlaceQuery),
    query: PageQuery,
    refused: Option<Refused<'_>>,
) -> Reply<Response> {
    let done = words::done(query.done.as_deref());
    let typed = Typed(refused.as_ref());
    let caller = signed_in.caller();
    let found = pages::get(app, &caller, id).await?.ok_or_else(missing)?;
    let following = Following::find(app, &caller, found.active_operation_id.as_ref()).await?;
    let origin = match found.origin {
        Origin::Generated => "Drawn",
        Origin::Imported => "Imported",
    };
    let quality = found.image.as_ref().and_then(|image| image.quality.as_ref());
    let present = choices::ids(&found.characters);
    let chosen = typed.characters(WORDS, &present);
    let (books, place) = books_of(app, &caller, &found, from).await?;
    let status = refused.as_ref().map_or(StatusCode::OK, |refused| refused.status);
    let earlier = Attempts::of_page(app, &caller, id).await?;
    let earlier = earlier.while_drawing(found.active_operation_id.is_some() || found.locked);
    let earlier = earlier.with_query(from.query());
    let view = PagePage {
        frame: signed_in.frame(Section::Pages),
        may_change: may_change(signed_in),
        undo: Undo::choice(&earlier, query.attempt.as_ref()),
        done: done.filter(|done| following.is_some() || !words::is_of_a_drawing(done)),
        opened: typed.form(),
        inputs: TextInputs::of_page(&found, WORDS, &typed),
        again: typed.text(DRAW, "prompt", &found.prompt),
        variants: choices::variants(app, typed.variants(DRAW), pricing::PAGE),
        draws_from_pictures: generation::draws(app, true),
        look: LookInputs::of_form(WORDS, found.look(), &typed),
        refine: RefineForm::new(&found, generation::can_edit(app, &caller, found.aspect).await?, &typed),
        image_url: typed.text(REPLACE, "image_url", ""),
        facts: format!(
            "{origin} {} · {}",
            words::day(found.created_at),
            words::aspect(found.aspect)
        ),
        faults: words::faults(quality),
        picture: Picture::whole(&format!("pages/{}", found.id), found.image.as_ref()),
        asks_about_caption: !found.caption.is_empty()
            && attempts::is_unedited_from_photograph(app, &caller, id).await?,
        attempts: earlier,
        problem: found.error.as_ref().map(|error| error.message.clone()),
        is_drawing: found.active_operation_id.is_some(),
        is_locked: found.locked,
        following,
        books,
        place,
        characters: choices::changed_characters(app, &caller, &present, &chosen).await?,
        key: new_key(app),
        marked_key: new_key(app),
        photo_key: new_key(app),
        price: pricing::credits(pricing::PAGE),
        most_megabytes: app.config.import_limit() / 1_000_000,
        bin_days: app.config.bin.days,
        aspect: found.aspect.as_str(),
        query: from.query(),
        texts: found.texts(),
        id: found.id,
        complaints: refused.map_or_else(Complaints::none, |refused| refused.complaints),
    };
    Ok(page(status, &view))
}

async fn books_of(
    app: &App,
    caller: &Caller,
    page: &Page,
    from: &PlaceQuery,
) -> Result<(Vec<BookLink>, Option<Place>)> {
    let first = from.book.as_ref().filter(|book| page.book_ids.contains(book));
    let others = page.book_ids.iter().filter(|book| Some(*book) != first);
    let mut links = Vec::new();
    let mut place = None;
    for id in first.into_iter().chain(others).take(MAX_NAMED_BOOKS) {
        if let Some(book) = books::get(app, caller, id).await? {
            place = place.or_else(|| Place::find(&book, &page.id, from));
            links.push(BookLink {
                id: book.id,
                title: book.title,
            });
        }
    }
    Ok((links, place))
}

/// Redirects to the page, or renders it with the complaints about this form.
async fn respond<T>(
    app: &App,
    signed_in: &SignedIn,
    (id, from): (&PageId, &PlaceQuery),
    (form, fields): (&'static str, &Fields),
    outcome: Result<Option<T>>,
    done: &'static str,
) -> Reply<Response> {
    let refused = match accepted::changed_by((form, fields), outcome, "page", &address(id, from), done)? {
        Ok(response) => return Ok(response),
        Err(refused) => refused,
    };
    render(app, signed_in, (id, from), PageQuery::default(), Some(refused)).await
}

pub(super) async fn update(
    State(app): State<App>,
    PathId(id): PathId<PageId>,
    Query(from): Query<PlaceQuery>,
    change: Change,
) -> Reply {
    let fields = &change.fields;
    let wanted = page_texts::change(fields);
    let updated = pages::update_selecting(&app, &change.caller, &id, &wanted, &fields.selection()).await;
    respond(&app, &change.signed_in, (&id, &from), (WORDS, fields), updated, "saved").await
}

/// Locks or unlocks the page.
pub(super) async fn lock(
    State(app): State<App>,
    PathId(id): PathId<PageId>,
    Query(from): Query<PlaceQuery>,
    change: Change,
) -> Reply {
    let is_locked = change.fields.text("locked") == "yes";
    let wanted = PageChange {
        locked: Some(is_locked),
        ..PageChange::default()
    };
    let locked = pages::update(&app, &change.caller, &id, &wanted).await;
    let done = if is_locked { "locked" } else { "unlocked" };
    let form = (LOCK, &change.fields);
    respond(&app, &change.signed_in, (&id, &from), form, locked, done).await
}

pub(super) async fn draw(
    State(app): State<App>,
    PathId(id): PathId<PageId>,
    Query(from): Query<PlaceQuery>,
    change: Change,
) -> Reply {
    let wanted = PageRegeneration {
        prompt: changed_text(&change.fields, "prompt"),
        variants: change.fields.variants(),
        ..PageRegeneration::default()
    };
    let order = change.fields.order_of_variants()?;
    let drawn = pages::regenerate(&app, &change.caller, &order, &id, &wanted, None).await;
    // A form on a book's page returns to the book.
    let book = BookId::from_client(&change.fields.text("book"));
    if let (Ok(Some(_)), false) = (&drawn, book.names_nothing()) {
        return Ok(accepted::to(&format!("/library/books/{book}"), "drawing"));
    }
    let form = (DRAW, &change.fields);
    respond(&app, &change.signed_in, (&id, &from), form, drawn, "drawing").await
}

/// Draws the page again from a photograph.
pub(super) async fn draw_from(
    State(app): State<App>,
    PathId(id): PathId<PageId>,
    Query(from): Query<PlaceQuery>,
    upload: Upload,
) -> Reply {
    let Upload {
        signed_in,
        caller,
        fields,
        file,
    } = upload;
    let wanted = PageRegeneration {
        variants: fields.variants(),
        ..PageRegeneration::default()
    };
    let order = fields.order_of_variants()?;
    let drawn = match file {
        file @ Some(_) => pages::regenerate(&app, &caller, &order, &id, &wanted, file).await,
        None => Err(no_photograph()),
    };
    respond(&app, &signed_in, (&id, &from), (PHOTO, &fields), drawn, "drawing").await
}

/// The error of a form without a file. Browsers require one.
pub(super) fn no_photograph() -> Error {
    Error::invalid_field(Field::image(), "is required: choose a photograph to draw from")
}

pub(super) async fn refine(
    State(app): State<App>,
    PathId(id): PathId<PageId>,
    Query(from): Query<PlaceQuery>,
    change: Change,
) -> Reply {
    let wish = page_texts::refinement(&change.fields);
    let order = change.fields.order()?;
    let refined = pages::refine(&app, &change.caller, &order, &id, &wish).await;
    let form = (REFINE, &change.fields);
    respond(&app, &change.signed_in, (&id, &from), form, refined, "drawing").await
}

pub(super) async fn replace(
    State(app): State<App>,
    PathId(id): PathId<PageId>,
    Query(from): Query<PlaceQuery>,
    upload: Upload,
) -> Reply {
    let new = NewImage {
        upload_id: None,
        image_url: upload.fields.given("image_url"),
    };
    let key = upload.fields.key()?;
    let before = Attempts::of_page(&app, &upload.caller, &id).await?;
    let replaced = match upload.check(&app, &key).await {
        Ok(()) => pages::replace_image(&app, &upload.caller, Some(&key), &id, &new, upload.file).await,
        Err(error) => Err(error),
    };
    if let Ok(Some(_)) = &replaced {
        return Ok(accepted::to_undoable(
            &address(&id, &from),
            "replaced",
            &before.undo(),
            None,
        ));
    }
    let form = (REPLACE, &upload.fields);
    respond(&app, &upload.signed_in, (&id, &from), form, replaced, "replaced").await
}

/// Makes the page show one of its earlier pictures.
pub(super) async fn choose(
    State(app): State<App>,
    PathId((id, attempt)): PathId<(PageId, AttemptId)>,
    Query(from): Query<PlaceQuery>,
    change: Change,
) -> Reply {
    let before = Attempts::of_page(&app, &change.caller, &id).await?;
    let chosen = pages::choose_attempt(&app, &change.caller, &id, &attempt).await;
    if let Ok(Some(_)) = &chosen {
        return Ok(accepted::to_undoable(
            &address(&id, &from),
            "chosen",
            &before.undo(),
            None,
        ));
    }
    let form = (CHOOSE, &change.fields);
    respond(&app, &change.signed_in, (&id, &from), form, chosen, "chosen").await
}

/// The address of the page, at the place in the book from which the user came.
fn address(id: &PageId, from: &PlaceQuery) -> String {
    format!("/library/pages/{id}{}", from.query())
}

pub(super) async fn delete(State(app): State<App>, PathId(id): PathId<PageId>, change: Change) -> Reply {
    if deletion::delete_page(&app, &change.caller, &id).await? {
        return Ok(accepted::deleted("/library/pages", id.as_str()));
    }
    Err(missing().into())
}

fn missing() -> Error {
    Error::not_found("page")
}

//! `/library/pages/{id}`: one page.
use std::borrow::Cow;

use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{Redirect, Response};
use serde::Deserialize;

use super::book_changes::changed_text;
use super::choices::{self, CharacterChoice};
use super::form::{Change, Complaints, Fields, Refused, Typed, may_change, new_key};
use super::pictures::Picture;
use super::progress::Following;
use super::upload::Upload;
use super::{accepted, words};
use linepress_core::app::App;
use linepress_core::books::{self, Book};
use linepress_core::caller::Caller;
use linepress_core::credits::pricing;
use linepress_core::deletion;
use linepress_core::operations;
use linepress_core::pages::{self, NewImage, Origin, Page, PageChange, PageRegeneration};
use linepress_http::html::{Frame, Section, page};
use linepress_http::session::SignedIn;
use linepress_http::{PathId, Query, Reply};
use linepress_platform::error::{Error, Result};
use linepress_platform::field::Field;
use linepress_platform::ids::{BookId, PageId};

#[derive(Template)]
#[template(path = "library/page.html")]
struct PagePage {
    frame: Frame,
    may_change: bool,
    done: Option<&'static str>,
    complaints: Complaints,
    /// The name of the rejected form; empty if none was rejected.
    opened: &'static str,
    words: PageWords,
    id: PageId,
    title: String,
    prompt: String,
    caption: String,
    aspect: &'static str,
    facts: String,
    /// The faults that make the picture hard to color.
    faults: Vec<Cow<'static, str>>,
    picture: Option<Picture>,
    problem: Option<Cow<'static, str>>,
    /// The image provider's note about the drawing.
    note: Option<String>,
    is_drawing: bool,
    following: Option<Following>,
    books: Vec<BookLink>,
    /// The page's place in the book from which the user came, or otherwise in the first of its books.
    place: Option<Place>,
    characters: Vec<CharacterChoice>,
    key: String,
    price: String,
    most_megabytes: u64,
}

/// The values of the page's text fields in its forms.
struct PageWords {
    title: String,
    caption: String,
    prompt: String,
    /// The prompt in the form that draws the page again.
    again: String,
    image_url: String,
}

impl PageWords {
    fn from_page(page: &Page, typed: &Typed<'_>) -> Self {
        Self {
            title: typed.text(WORDS, "title", &page.title),
            caption: typed.text(WORDS, "caption", &page.caption),
            prompt: typed.text(WORDS, "prompt", &page.prompt),
            again: typed.text(DRAW, "prompt", &page.prompt),
            image_url: typed.text(REPLACE, "image_url", ""),
        }
    }
}

/// The names of the forms on the page.
const WORDS: &str = "words";
const DRAW: &str = "draw";
const REPLACE: &str = "replace";

/// A book that contains the page.
struct BookLink {
    id: BookId,
    title: String,
}

/// The place of the page in a book, with its neighbors.
struct Place {
    book: BookLink,
    number: usize,
    count: usize,
    previous: Option<PageId>,
    next: Option<PageId>,
}

impl Place {
    fn find(book: &Book, page: &PageId) -> Option<Self> {
        let index = book.pages.iter().position(|other| other.id == *page)?;
        let at = |index: usize| book.pages.get(index).map(|page| page.id.clone());
        Some(Self {
            book: BookLink {
                id: book.id.clone(),
                title: book.title.clone(),
            },
            number: index + 1,
            count: book.pages.len(),
            previous: index.checked_sub(1).and_then(at),
            next: at(index + 1),
        })
    }
}

/// The most books of a page that are listed by name.
const MAX_NAMED_BOOKS: usize = 12;

/// The query parameters of a page's address.
#[derive(Deserialize)]
pub(super) struct PageQuery {
    done: Option<String>,
    /// The book from which the user came.
    book: Option<BookId>,
}

pub(super) async fn show(
    State(app): State<App>,
    signed_in: SignedIn,
    PathId(id): PathId<PageId>,
    Query(query): Query<PageQuery>,
) -> Reply {
    let done = words::done(query.done.as_deref());
    render(&app, &signed_in, &id, query.book, done, None).await
}

/// Redirects from the address of a form to the page.
pub(super) async fn to_page(_: SignedIn, PathId(id): PathId<PageId>) -> Redirect {
    Redirect::to(&format!("/library/pages/{id}"))
}

async fn render(
    app: &App,
    signed_in: &SignedIn,
    id: &PageId,
    from: Option<BookId>,
    done: Option<&'static str>,
    refused: Option<Refused<'_>>,
) -> Reply<Response> {
    let typed = Typed(refused.as_ref());
    let caller = signed_in.caller();
    let found = pages::get(app, &caller, id).await?.ok_or_else(missing)?;
    let following = Following::find(app, &caller, found.active_operation_id.as_ref()).await?;
    let origin = match found.origin {
        Origin::Generated => "Drawn",
        Origin::Imported => "Imported",
    };
    let quality = found.image.as_ref().and_then(|image| image.quality.as_ref());
    let faults = quality.map(|quality| quality.faults.iter().map(|fault| fault.message.clone()).collect());
    let present = choices::ids(&found.characters);
    let chosen = typed.characters(WORDS, &present);
    let (books, place) = books_of(app, &caller, &found, from.as_ref()).await?;
    let status = refused.as_ref().map_or(StatusCode::OK, |refused| refused.status);
    let note = match found.origin {
        Origin::Generated => operations::page_notes(app, &caller, std::slice::from_ref(id))
            .await?
            .remove(id),
        Origin::Imported => None,
    };
    let view = PagePage {
        frame: signed_in.frame(Section::Pages),
        may_change: may_change(signed_in),
        done: done.filter(|done| following.is_some() || !words::is_of_a_drawing(done)),
        opened: typed.form(),
        words: PageWords::from_page(&found, &typed),
        facts: format!(
            "{origin} {} · {}",
            words::day(found.created_at),
            words::aspect(found.aspect)
        ),
        faults: faults.unwrap_or_default(),
        picture: Picture::whole(&format!("pages/{}", found.id), found.image.as_ref()),
        note,
        problem: found.error.as_ref().map(|error| error.message.clone()),
        is_drawing: found.active_operation_id.is_some(),
        following,
        books,
        place,
        characters: choices::changed_characters(app, &caller, &present, &chosen).await?,
        key: new_key(app),
        price: pricing::credits(pricing::PAGE),
        most_megabytes: app.config.import_limit() / 1_000_000,
        aspect: found.aspect.as_str(),
        id: found.id,
        title: found.title,
        prompt: found.prompt,
        caption: found.caption,
        complaints: refused.map_or_else(Complaints::none, |refused| refused.complaints),
    };
    Ok(page(status, &view))
}

async fn books_of(
    app: &App,
    caller: &Caller,
    page: &Page,
    from: Option<&BookId>,
) -> Result<(Vec<BookLink>, Option<Place>)> {
    let from = from.filter(|book| page.book_ids.contains(book));
    let others = page.book_ids.iter().filter(|book| Some(*book) != from);
    let mut links = Vec::new();
    let mut place = None;
    for id in from.into_iter().chain(others).take(MAX_NAMED_BOOKS) {
        if let Some(book) = books::get(app, caller, id).await? {
            place = place.or_else(|| Place::find(&book, &page.id));
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
    id: &PageId,
    (form, fields): (&'static str, &Fields),
    outcome: Result<Option<T>>,
    done: &'static str,
) -> Reply<Response> {
    let (status, complaints) = match accepted::changed(outcome, "page", &format!("/library/pages/{id}"), done)? {
        Ok(response) => return Ok(response),
        Err(refused) => refused,
    };
    let refused = Refused {
        form,
        fields,
        status,
        complaints,
    };
    render(app, signed_in, id, None, None, Some(refused)).await
}

pub(super) async fn update(State(app): State<App>, PathId(id): PathId<PageId>, change: Change) -> Reply {
    let fields = &change.fields;
    let wanted = PageChange {
        title: fields.changed("title").map(Into::into),
        prompt: fields.changed("prompt").map(Into::into),
        caption: fields.changed("caption").map(Into::into),
        character_ids: None,
    };
    let updated = pages::update_selecting(&app, &change.caller, &id, &wanted, &fields.selection()).await;
    respond(&app, &change.signed_in, &id, (WORDS, fields), updated, "saved").await
}

pub(super) async fn draw(State(app): State<App>, PathId(id): PathId<PageId>, change: Change) -> Reply {
    let wanted = PageRegeneration {
        prompt: changed_text(&change.fields, "prompt"),
        ..PageRegeneration::default()
    };
    let order = change.fields.order()?;
    let drawn = pages::regenerate(&app, &change.caller, &order, &id, &wanted).await;
    // A form on a book's page returns to the book.
    let book = BookId::from_client(&change.fields.text("book"));
    if let (Ok(Some(_)), false) = (&drawn, book.names_nothing()) {
        return Ok(accepted::to(&format!("/library/books/{book}"), "drawing"));
    }
    respond(&app, &change.signed_in, &id, (DRAW, &change.fields), drawn, "drawing").await
}

pub(super) async fn replace(State(app): State<App>, PathId(id): PathId<PageId>, upload: Upload) -> Reply {
    let new = NewImage {
        upload_id: None,
        image_url: upload.fields.given("image_url"),
    };
    let key = upload.fields.key()?;
    let replaced = match upload.check(&app, &key).await {
        Ok(()) => pages::replace_image(&app, &upload.caller, Some(&key), &id, &new, upload.file).await,
        Err(error) => Err(error),
    };
    respond(
        &app,
        &upload.signed_in,
        &id,
        (REPLACE, &upload.fields),
        replaced,
        "replaced",
    )
    .await
}

pub(super) async fn delete(State(app): State<App>, PathId(id): PathId<PageId>, change: Change) -> Reply {
    if deletion::delete_page(&app, &change.caller, &id).await? {
        return Ok(accepted::to("/library/pages", "deleted"));
    }
    Err(missing().into())
}

fn missing() -> Error {
    Error::not_found("page")
}

//! `/library/pages/{id}`: one page.
use askama::Template;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::Response;

use super::books::ListQuery;
use super::choices::{self, CharacterChoice};
use super::form::{Change, Complaints, may_change, new_key};
use super::pictures::Picture;
use super::progress::Following;
use super::upload::Upload;
use super::{accepted, words};
use crate::app::App;
use crate::books;
use crate::caller::Caller;
use crate::credits::pricing;
use crate::error::{Error, Result};
use crate::http::html::{Frame, Section, page};
use crate::http::session::SignedIn;
use crate::http::{PathId, Reply};
use crate::ids::{BookId, PageId};
use crate::operations;
use crate::pages::{self, NewImage, Origin, PageChange, PageRegeneration};

#[derive(Template)]
#[template(path = "library/page.html")]
struct PagePage {
    frame: Frame,
    may_change: bool,
    done: Option<&'static str>,
    complaints: Complaints,
    id: PageId,
    title: String,
    prompt: String,
    caption: String,
    aspect: &'static str,
    facts: String,
    /// What makes the picture hard to color.
    faults: Vec<&'static str>,
    picture: Option<Picture>,
    problem: Option<&'static str>,
    /// What the image provider says about the drawing.
    note: Option<String>,
    is_drawing: bool,
    following: Option<Following>,
    books: Vec<BookLink>,
    characters: Vec<CharacterChoice>,
    key: String,
    price: String,
    most_megabytes: u64,
}

/// A book that the page stands in.
struct BookLink {
    id: BookId,
    title: String,
}

/// More books than these are counted, not named.
const NAMED_BOOKS: usize = 12;

pub(super) async fn show(
    State(app): State<App>,
    signed_in: SignedIn,
    PathId(id): PathId<PageId>,
    Query(query): Query<ListQuery>,
) -> Reply {
    let done = words::done(query.done.as_deref());
    render(&app, &signed_in, &id, StatusCode::OK, done, Complaints::none()).await
}

async fn render(
    app: &App,
    signed_in: &SignedIn,
    id: &PageId,
    status: StatusCode,
    done: Option<&'static str>,
    complaints: Complaints,
) -> Reply<Response> {
    let caller = signed_in.caller();
    let found = pages::get(app, &caller, id).await?.ok_or_else(missing)?;
    let following = Following::of(app, &caller, found.active_operation_id.as_ref()).await?;
    let origin = match found.origin {
        Origin::Generated => "Drawn",
        Origin::Imported => "Imported",
    };
    let quality = found.image.as_ref().and_then(|image| image.quality.as_ref());
    let faults = quality.map(|quality| quality.faults.iter().map(|fault| fault.message).collect());
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
        complaints,
        facts: format!(
            "{origin} {} · {}",
            words::day(found.created_at),
            words::aspect(found.aspect)
        ),
        faults: faults.unwrap_or_default(),
        picture: Picture::whole(&format!("pages/{}", found.id), found.image.as_ref()),
        note,
        problem: found.error.as_ref().map(|error| error.message),
        is_drawing: found.active_operation_id.is_some(),
        following,
        books: books_of(app, &caller, &found.book_ids).await?,
        characters: choices::characters(app, &caller, &choices::ids(&found.characters)).await?,
        key: new_key(app),
        price: words::credits(pricing::PAGE),
        most_megabytes: app.config.import_limit() / 1_000_000,
        aspect: found.aspect.as_str(),
        id: found.id,
        title: found.title,
        prompt: found.prompt,
        caption: found.caption,
    };
    Ok(page(status, &view))
}

async fn books_of(app: &App, caller: &Caller, ids: &[BookId]) -> Result<Vec<BookLink>> {
    let mut links = Vec::new();
    for id in ids.iter().take(NAMED_BOOKS) {
        if let Some(book) = books::get(app, caller, id).await? {
            links.push(BookLink {
                id: book.id,
                title: book.title,
            });
        }
    }
    Ok(links)
}

/// Back to the page, or the page with what was wrong.
async fn shown<T>(
    app: &App,
    signed_in: &SignedIn,
    id: &PageId,
    outcome: Result<Option<T>>,
    done: &'static str,
) -> Reply<Response> {
    match accepted::changed(outcome, "page", &format!("/library/pages/{id}"), done)? {
        Ok(response) => Ok(response),
        Err((status, complaints)) => render(app, signed_in, id, status, None, complaints).await,
    }
}

pub(super) async fn update(State(app): State<App>, PathId(id): PathId<PageId>, change: Change) -> Reply {
    let fields = &change.fields;
    let wanted = PageChange {
        title: Some(fields.text("title").into()),
        prompt: fields.given("prompt"),
        caption: Some(fields.text("caption").into()),
        character_ids: (fields.text("with_characters") == "yes").then(|| fields.character_ids()),
    };
    let updated = pages::update(&app, &change.caller, &id, &wanted).await;
    shown(&app, &change.signed_in, &id, updated, "saved").await
}

pub(super) async fn draw(State(app): State<App>, PathId(id): PathId<PageId>, change: Change) -> Reply {
    let wanted = PageRegeneration {
        prompt: change.fields.given("prompt"),
        ..PageRegeneration::default()
    };
    let key = change.fields.key()?;
    let drawn = pages::regenerate(&app, &change.caller, &key, &id, &wanted).await;
    // From a book it goes back to the book.
    let book = BookId::from_client(&change.fields.text("book"));
    if let (Ok(Some(_)), false) = (&drawn, book.names_nothing()) {
        return Ok(accepted::to(&format!("/library/books/{book}"), "drawing"));
    }
    shown(&app, &change.signed_in, &id, drawn, "drawing").await
}

pub(super) async fn replace(State(app): State<App>, PathId(id): PathId<PageId>, upload: Upload) -> Reply {
    let new = NewImage {
        upload_id: None,
        image_url: upload.fields.given("image_url"),
    };
    let key = upload.fields.key()?;
    let replaced = pages::replace_image(&app, &upload.caller, Some(&key), &id, &new, upload.file).await;
    shown(&app, &upload.signed_in, &id, replaced, "replaced").await
}

pub(super) async fn delete(State(app): State<App>, PathId(id): PathId<PageId>, change: Change) -> Reply {
    if pages::delete(&app, &change.caller, &id).await? {
        return Ok(accepted::to("/library/pages", "deleted"));
    }
    Err(missing().into())
}

fn missing() -> Error {
    Error::not_found("page")
}

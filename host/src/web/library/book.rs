//! `/library/books/{id}`: one book.
use std::collections::HashMap;

use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;

use super::books::{ListQuery, hue};
use super::choices::{self, CharacterChoice, Choice};
use super::form::{Complaints, may_change, new_key};
use super::pictures::Picture;
use super::progress::Following;
use super::words;
use crate::app::App;
use crate::artwork::Status;
use crate::books::{self, Book, BookStatus};
use crate::caller::Caller;
use crate::credits::pricing;
use crate::database::PageRequest;
use crate::error::{Error, Result};
use crate::http::html::{Frame, Section, page};
use crate::http::session::SignedIn;
use crate::http::{PathId, Query, Reply};
use crate::ids::{BookId, PageId};
use crate::pages::{self, Page};
use crate::print;

#[derive(Template)]
#[template(path = "library/book.html")]
struct BookPage {
    frame: Frame,
    may_change: bool,
    done: Option<&'static str>,
    complaints: Complaints,
    id: BookId,
    title: String,
    subtitle: String,
    author: String,
    description: String,
    cover_prompt: String,
    aspect: &'static str,
    facts: String,
    hue: usize,
    is_ready: bool,
    is_drawing: bool,
    cover: Option<Picture>,
    cover_is_drawing: bool,
    cover_has_failed: bool,
    status_words: String,
    following: Option<Following>,
    tiles: Vec<Tile>,
    formats: Vec<Format>,
    audiences: Vec<Choice>,
    characters: Vec<CharacterChoice>,
    cover_price: String,
    page_price: String,
    key: String,
}

/// A page of the book.
struct Tile {
    id: PageId,
    position: i64,
    title: String,
    caption: String,
    picture: Option<Picture>,
    is_drawing: bool,
    problem: Option<&'static str>,
    /// For the form that draws it again.
    key: String,
    is_first: bool,
    is_last: bool,
}

/// A size to print.
struct Format {
    id: String,
    name: String,
}

pub(super) async fn show(
    State(app): State<App>,
    signed_in: SignedIn,
    PathId(id): PathId<BookId>,
    Query(query): Query<ListQuery>,
) -> Reply {
    let done = words::done(query.done.as_deref());
    render(&app, &signed_in, &id, StatusCode::OK, done, Complaints::none()).await
}

/// The page of the book, with what was wrong with a form of it.
pub(super) async fn render(
    app: &App,
    signed_in: &SignedIn,
    id: &BookId,
    status: StatusCode,
    done: Option<&'static str>,
    complaints: Complaints,
) -> Reply<Response> {
    let caller = signed_in.caller();
    let book = books::get(app, &caller, id).await?;
    let book = book.ok_or_else(|| Error::not_found("book"))?;
    let details = pages_of(app, &caller, id).await?;
    let drawn_for = |page: &Page| page.active_operation_id.clone();
    let operation = book
        .active_operation_id
        .clone()
        .or_else(|| details.values().find_map(drawn_for));
    let following = Following::of(app, &caller, operation.as_ref()).await?;
    let view = BookPage {
        frame: signed_in.frame(Section::Books),
        may_change: may_change(signed_in),
        done,
        complaints,
        hue: hue(&book.id),
        facts: format!(
            "{} · {} · {} · {}",
            words::pages(book.page_count),
            words::aspect(book.aspect),
            words::audience(book.audience),
            words::day(book.created_at)
        ),
        is_ready: book.status == BookStatus::Ready && book.cover.status != Status::Generating,
        is_drawing: book.status == BookStatus::Generating,
        cover: Picture::whole(&format!("books/{}/cover", book.id), book.cover.image.as_ref()),
        cover_is_drawing: book.cover.status == Status::Generating,
        cover_has_failed: book.cover.status == Status::Failed,
        status_words: words::book_status(&book),
        following,
        tiles: tiles(app, &book, &details),
        formats: formats(app, &book),
        audiences: choices::audiences(book.audience.as_str()),
        characters: choices::characters(app, &caller, &choices::ids(&book.characters)).await?,
        cover_price: words::credits(pricing::COVER_AGAIN),
        page_price: words::credits(pricing::PAGE),
        key: new_key(app),
        aspect: book.aspect.as_str(),
        title: book.title,
        subtitle: book.subtitle,
        author: book.author,
        description: book.description,
        cover_prompt: book.cover.prompt,
        id: book.id,
    };
    Ok(page(status, &view))
}

/// The pages of the book with all that is known of them.
async fn pages_of(app: &App, caller: &Caller, id: &BookId) -> Result<HashMap<PageId, Page>> {
    let scope = app.cursors.scope(&caller.account_id, PageId::PREFIX);
    // As many as a book may hold.
    let all = PageRequest::parse(Some("100"), None, scope)?;
    let list = pages::list(app, caller, Some(id), &all).await?;
    Ok(list.items.into_iter().map(|page| (page.id.clone(), page)).collect())
}

fn tiles(app: &App, book: &Book, details: &HashMap<PageId, Page>) -> Vec<Tile> {
    let last = book.pages.len();
    let tile = |(index, summary): (usize, &books::PageSummary)| {
        let details = details.get(&summary.id);
        Tile {
            picture: Picture::small(&format!("pages/{}", summary.id), summary.image.as_ref()),
            is_drawing: details.map_or(summary.status == Status::Generating, |page| {
                page.active_operation_id.is_some()
            }),
            problem: details.and_then(|page| page.error.as_ref()).map(|error| error.message),
            caption: details.map(|page| page.caption.clone()).unwrap_or_default(),
            key: new_key(app),
            id: summary.id.clone(),
            position: summary.position,
            title: summary.title.clone(),
            is_first: index == 0,
            is_last: index + 1 == last,
        }
    };
    book.pages.iter().enumerate().map(tile).collect()
}

fn formats(app: &App, book: &Book) -> Vec<Format> {
    let formats = print::formats(app).into_iter().map(|offered| offered.format);
    formats
        .filter(|format| format.aspect == book.aspect)
        .map(|format| Format {
            id: format.id,
            name: format.name,
        })
        .collect()
}

//! `/library/books/{id}/redraw`: several pages of a book are drawn again with one order.
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use linepress_model::counted;

use super::accepted;
use super::form::{Change, Complaints, Fields, may_change, new_key};
use super::pictures::Picture;
use super::place::pages_of;
use super::selected::selected;
use linepress_accounts::credits::pricing;
use linepress_core::books::{self, Book, BookRestyling};
use linepress_core::pages;
use linepress_http::html::{Frame, Section, page};
use linepress_http::session::SignedIn;
use linepress_http::{PathId, Query, Reply};
use linepress_platform::app::App;
use linepress_platform::error::Error;
use linepress_platform::ids::{BookId, PageId};

/// The page that shows the selected pages and the price before they are ordered.
#[derive(Template)]
#[template(path = "library/redraw.html")]
struct RedrawPage {
    frame: Frame,
    may_change: bool,
    complaints: Complaints,
    book: BookId,
    book_title: String,
    aspect: &'static str,
    tiles: Vec<Tile>,
    /// The pages in words, such as "these 3 pages".
    words: String,
    price: String,
    credits: i64,
    key: String,
}

struct Tile {
    id: PageId,
    title: String,
    picture: Option<Picture>,
    is_locked: bool,
}

/// The pages of the book that a form selects, in the order of the book.
fn selected_of(book: &Book, fields: &Fields) -> Vec<PageId> {
    let selected: Vec<String> = selected(fields).collect();
    pages_of(book, |id| selected.iter().any(|other| other == id.as_str()))
}

/// The number of pages that are drawn again, in words for a sentence or a button.
pub(super) fn these(number: usize, kind: &str) -> String {
    match number {
        1 => format!("this {kind}"),
        _ => format!("these {}", counted(number, kind)),
    }
}

pub(super) async fn show(
    State(app): State<App>,
    signed_in: SignedIn,
    PathId(id): PathId<BookId>,
    Query(fields): Query<Fields>,
) -> Reply {
    let book = books::get(&app, &signed_in.caller(), &id).await?.ok_or_else(missing)?;
    let ids = selected_of(&book, &fields);
    if ids.is_empty() {
        return Ok(nothing_selected(&id));
    }
    render(
        &app,
        &signed_in,
        book,
        &ids,
        new_key(&app),
        (StatusCode::OK, Complaints::none()),
    )
    .await
}

/// Draws the selected pages again, at the price that the button showed.
pub(super) async fn order(State(app): State<App>, PathId(id): PathId<BookId>, change: Change) -> Reply {
    let (caller, fields) = (&change.caller, &change.fields);
    let book = books::get(&app, caller, &id).await?.ok_or_else(missing)?;
    let ids = selected_of(&book, fields);
    if ids.is_empty() {
        return Ok(nothing_selected(&id));
    }
    let wanted = BookRestyling {
        page_ids: Some(ids.clone()),
        ..BookRestyling::default()
    };
    let ordered = books::restyle(&app, caller, &fields.order()?, &id, &wanted).await;
    match accepted::changed(ordered, "book", &format!("/library/books/{id}"), "ordered")? {
        Ok(response) => Ok(response),
        Err(refused) => {
            let key = fields.text("idempotency_key");
            render(&app, &change.signed_in, book, &ids, key, refused).await
        }
    }
}

fn nothing_selected(id: &BookId) -> Response {
    accepted::to(&format!("/library/books/{id}?select=yes"), "none-selected")
}

async fn render(
    app: &App,
    signed_in: &SignedIn,
    book: Book,
    ids: &[PageId],
    key: String,
    (status, complaints): (StatusCode, Complaints),
) -> Reply<Response> {
    let caller = signed_in.caller();
    let found = pages::find_all(app, &caller, &ids.iter().collect::<Vec<_>>()).await?;
    let tiles = ids.iter().filter_map(|id| found.get(id)).map(|page| Tile {
        id: page.id.clone(),
        title: page.title.clone(),
        picture: Picture::small(&format!("pages/{}", page.id), page.image.as_ref()),
        is_locked: page.locked,
    });
    let credits = pricing::pictures(ids.len());
    let view = RedrawPage {
        frame: signed_in.frame(Section::Books),
        may_change: may_change(signed_in),
        complaints,
        tiles: tiles.collect(),
        words: these(ids.len(), "page"),
        price: pricing::credits(credits),
        credits,
        key,
        aspect: book.aspect.as_str(),
        book: book.id,
        book_title: book.title,
    };
    Ok(page(status, &view))
}

fn missing() -> Error {
    Error::not_found("book")
}

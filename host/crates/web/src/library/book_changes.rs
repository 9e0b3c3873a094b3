//! Changes of a book: its texts, the order of its pages, its cover, its deletion.
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;

use super::attempts::Attempts;
use super::form::{Change, Complaints, Fields, Refused};
use super::{accepted, book, looks, undo};
use linepress_accounts::caller::Caller;
use linepress_core::books::{self, BookChange, BookCopy, CoverRegeneration, NewCover, Step};
use linepress_core::deletion;
use linepress_http::session::SignedIn;
use linepress_http::{PathId, Reply};
use linepress_platform::app::App;
use linepress_platform::error::{Error, Result};
use linepress_platform::ids::{AttemptId, BookId, PageId};
use linepress_platform::text::unless_default;

/// Redirects to the book, or renders it with the complaints about this form.
pub(super) async fn respond<T>(
    app: &App,
    signed_in: &SignedIn,
    id: &BookId,
    (form, fields): (&'static str, &Fields),
    outcome: Result<Option<T>>,
    done: &'static str,
) -> Reply<Response> {
    let refused = match accepted::changed_by((form, fields), outcome, "book", &format!("/library/books/{id}"), done)? {
        Ok(response) => return Ok(response),
        Err(refused) => refused,
    };
    book::render(app, signed_in, id, None, Some(refused)).await
}

pub(super) async fn update(State(app): State<App>, PathId(id): PathId<BookId>, change: Change) -> Reply {
    let fields = &change.fields;
    let wanted = BookChange {
        title: fields.changed("title").map(Into::into),
        subtitle: fields.changed("subtitle").map(Into::into),
        author: fields.changed("author").map(Into::into),
        description: fields.changed("description").map(Into::into),
        audience: fields.changed_word("audience"),
        language: fields.changed("language").map(Into::into),
        isbn: fields.changed("isbn").map(Into::into),
        cover: unless_default(changed_cover(fields)),
        character_ids: None,
        ..looks::book_change(fields)
    };
    let updated = books::update_selecting(&app, &change.caller, &id, &wanted, &fields.selection()).await;
    // The form for the look sends its fields alone.
    let form = if fields.all("title").next().is_some() {
        book::WORDS
    } else {
        book::LOOK
    };
    respond(&app, &change.signed_in, &id, (form, fields), updated, "saved").await
}

/// Moves one page by one place or to a position, or puts all pages into the order of the field `order`.
pub(super) async fn reorder(State(app): State<App>, PathId(id): PathId<BookId>, change: Change) -> Reply {
    let (fields, caller) = (&change.fields, &change.caller);
    let ids = |text: String| text.split(',').map(PageId::from_client).collect::<Vec<_>>();
    let page = |name: &str| fields.given::<String>(name).map(|id| PageId::from_client(&id));
    let before = order_of(&app, caller, &id).await?;
    let (wanted, seen) = (fields.given("order").map(ids), fields.given("was_order").map(ids));
    let (moved, undo) = if let Some(wanted) = wanted {
        let seen = seen.unwrap_or_default();
        let moved = books::reorder_seen(&app, caller, &id, &seen, &wanted).await;
        (moved, undo::moved_page(&seen, &wanted))
    } else if let Some(page) = page("page") {
        let wanted = undo::with_page_at(&before, &page, position(fields));
        let moved = books::reorder_seen(&app, caller, &id, &before, &wanted).await;
        (moved, undo::moved_page(&before, &wanted))
    } else {
        let (name, step) = match page("up") {
            Some(_) => ("up", Step::Earlier),
            None => ("down", Step::Later),
        };
        let page = page(name).unwrap_or_else(|| PageId::from_client(""));
        let moved = books::move_page(&app, caller, &id, &page, step).await;
        (moved, place_in(&before, &page))
    };
    let form = (book::ORDER, fields);
    if matches!(moved, Ok(Some(true))) {
        let part = page("page").or_else(|| page("up")).or_else(|| page("down"));
        return Ok(moved_to(&id, "moved", undo, part.as_ref()));
    }
    if !matches!(moved, Ok(Some(false))) {
        return respond(&app, &change.signed_in, &id, form, moved, "moved").await;
    }
    let said = "The pages of this book have been moved, added or taken out since you opened it. This is their current order: move them again.";
    let refused = Refused {
        form: form.0,
        fields,
        status: StatusCode::CONFLICT,
        complaints: Complaints::from_message(said),
    };
    book::render(&app, &change.signed_in, &id, None, Some(refused)).await
}

/// The pages of the book in order; empty if there is no such book.
async fn order_of(app: &App, caller: &Caller, id: &BookId) -> Result<Vec<PageId>> {
    let book = books::get(app, caller, id).await?;
    let pages = book.map(|book| book.pages).unwrap_or_default();
    Ok(pages.into_iter().map(|page| page.id).collect())
}

/// The page with its position from 1, if it is in the book.
fn place_in(order: &[PageId], page: &PageId) -> Option<(PageId, usize)> {
    let index = order.iter().position(|other| other == page)?;
    Some((page.clone(), index + 1))
}

/// The position from 1 in the form; 1 if there is none.
fn position(fields: &Fields) -> usize {
    fields.text("position").parse().unwrap_or(1)
}

/// Redirects to the book after one of its pages left its place, to which the page of the book offers to return it.
fn moved_to(id: &BookId, done: &str, place: Option<(PageId, usize)>, part: Option<&PageId>) -> Response {
    let undo = place.map(|(page, position)| [("page", page.to_string()), ("position", position.to_string())]);
    let path = format!("/library/books/{id}");
    accepted::to_undoable(
        &path,
        done,
        undo.as_ref().map_or(&[][..], |undo| &undo[..]),
        part.map(PageId::as_str),
    )
}

pub(super) async fn take_out(State(app): State<App>, PathId(id): PathId<BookId>, change: Change) -> Reply {
    let page = PageId::from_client(&change.fields.text("page"));
    let place = place_in(&order_of(&app, &change.caller, &id).await?, &page);
    let detached = books::detach(&app, &change.caller, &id, &page).await;
    if matches!(detached, Ok(Some(true))) {
        return Ok(moved_to(&id, "taken-out", place, None));
    }
    let form = (book::ORDER, &change.fields);
    respond(&app, &change.signed_in, &id, form, detached, "taken-out").await
}

/// Puts a page back into the book, at its position before it was taken out or at the end.
pub(super) async fn put_back(State(app): State<App>, PathId(id): PathId<BookId>, change: Change) -> Reply {
    let page = PageId::from_client(&change.fields.text("page"));
    let pages = order_of(&app, &change.caller, &id).await?.len();
    let position = u32::try_from(position(&change.fields).clamp(1, pages + 1)).ok();
    let attached = books::attach(&app, &change.caller, None, &id, &page, position).await;
    let form = (book::ORDER, &change.fields);
    respond(&app, &change.signed_in, &id, form, attached, "put-back").await
}

fn changed_cover(fields: &Fields) -> NewCover {
    NewCover {
        prompt: fields.changed("cover_prompt").map(Into::into),
        style: fields.changed_word("cover_style"),
    }
}

/// The changed text of a field for a new drawing; `None` if it is unchanged or empty.
pub(super) fn changed_text<T: From<String>>(fields: &Fields, name: &str) -> Option<T> {
    let changed = fields.changed(name).filter(|text| !text.is_empty());
    changed.map(T::from)
}

pub(super) async fn draw_cover(State(app): State<App>, PathId(id): PathId<BookId>, change: Change) -> Reply {
    let order = change.fields.order_of_variants()?;
    let wanted = CoverRegeneration {
        prompt: changed_text(&change.fields, "prompt"),
        style: change.fields.changed_word("style"),
        variants: change.fields.variants(),
    };
    let accepted = books::regenerate_cover(&app, &change.caller, &order, &id, &wanted).await;
    let form = (book::COVER, &change.fields);
    respond(&app, &change.signed_in, &id, form, accepted, "drawing").await
}

/// Draws all pages again, with the look of the form.
pub(super) async fn restyle(State(app): State<App>, PathId(id): PathId<BookId>, change: Change) -> Reply {
    let order = change.fields.order()?;
    let wanted = looks::restyling(&change.fields);
    let accepted = books::restyle(&app, &change.caller, &order, &id, &wanted).await;
    let form = (book::LOOK, &change.fields);
    respond(&app, &change.signed_in, &id, form, accepted, "ordered").await
}

/// Makes the cover show one of its earlier pictures.
pub(super) async fn choose_cover(
    State(app): State<App>,
    PathId((id, attempt)): PathId<(BookId, AttemptId)>,
    change: Change,
) -> Reply {
    let before = Attempts::of_cover(&app, &change.caller, &id).await?;
    let chosen = books::choose_cover_attempt(&app, &change.caller, &id, &attempt).await;
    if let Ok(Some(_)) = &chosen {
        let path = format!("/library/books/{id}");
        return Ok(accepted::to_undoable(&path, "chosen", &before.undo(), None));
    }
    let form = (book::CHOOSE, &change.fields);
    respond(&app, &change.signed_in, &id, form, chosen, "chosen").await
}

/// Makes a copy of the book, and shows it.
pub(super) async fn copy(State(app): State<App>, PathId(id): PathId<BookId>, change: Change) -> Reply {
    let key = change.fields.key()?;
    let new = BookCopy {
        title: change.fields.given("title"),
    };
    let copied = books::copy(&app, &change.caller, Some(&key), &id, &new).await;
    if let Ok(Some(copied)) = &copied {
        let path = format!("/library/books/{}", copied.reply.book.id);
        return Ok(accepted::to(&path, "book-copied"));
    }
    let form = (book::COPY, &change.fields);
    respond(&app, &change.signed_in, &id, form, copied, "book-copied").await
}

pub(super) async fn delete(State(app): State<App>, PathId(id): PathId<BookId>, change: Change) -> Reply {
    if deletion::delete_book(&app, &change.caller, &id).await? {
        return Ok(accepted::deleted("/library", id.as_str()));
    }
    Err(missing().into())
}

fn missing() -> Error {
    Error::not_found("book")
}

//! Changes of a book: its texts, the order of its pages, its cover, its deletion.
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use linepress_model::Audience;

use super::form::{Change, Complaints, Fields, Refused};
use super::{accepted, book};
use linepress_core::app::App;
use linepress_core::books::{self, BookChange, CoverRegeneration, NewCover, Step};
use linepress_http::session::SignedIn;
use linepress_http::{PathId, Reply};
use linepress_platform::error::{Error, Result};
use linepress_platform::ids::{BookId, PageId};

/// Redirects to the book, or renders it with the complaints about this form.
pub(super) async fn respond<T>(
    app: &App,
    signed_in: &SignedIn,
    id: &BookId,
    (form, fields): (&'static str, &Fields),
    outcome: Result<Option<T>>,
    done: &'static str,
) -> Reply<Response> {
    let (status, complaints) = match accepted::changed(outcome, "book", &format!("/library/books/{id}"), done)? {
        Ok(response) => return Ok(response),
        Err(refused) => refused,
    };
    let refused = Refused {
        form,
        fields,
        status,
        complaints,
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
        audience: fields
            .changed("audience")
            .and_then(|audience| Audience::parse(&audience)),
        language: fields.changed("language").map(Into::into),
        cover: fields
            .changed("cover_prompt")
            .map(|prompt| NewCover { prompt: prompt.into() }),
        character_ids: None,
    };
    let updated = books::update_selecting(&app, &change.caller, &id, &wanted, &fields.selection()).await;
    respond(&app, &change.signed_in, &id, (book::WORDS, fields), updated, "saved").await
}

/// Moves one page by one place, or puts all pages into the order of the field `order`.
pub(super) async fn reorder(State(app): State<App>, PathId(id): PathId<BookId>, change: Change) -> Reply {
    let (fields, caller) = (&change.fields, &change.caller);
    let ids = |text: String| text.split(',').map(PageId::from_client).collect::<Vec<_>>();
    let page = |name: &str| fields.given::<String>(name).map(|id| PageId::from_client(&id));
    let (wanted, seen) = (fields.given("order").map(ids), fields.given("was_order").map(ids));
    let moved = if let Some(wanted) = wanted {
        books::reorder_seen(&app, caller, &id, &seen.unwrap_or_default(), &wanted).await
    } else if let Some(page) = page("up") {
        books::move_page(&app, caller, &id, &page, Step::Earlier).await
    } else {
        let page = page("down").unwrap_or_else(|| PageId::from_client(""));
        books::move_page(&app, caller, &id, &page, Step::Later).await
    };
    let form = (book::ORDER, fields);
    if let (Ok(Some(true)), Some(page)) = (&moved, page("up").or_else(|| page("down"))) {
        let path = format!("/library/books/{id}");
        return Ok(accepted::to_part(&path, "moved", page.as_str()));
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

pub(super) async fn take_out(State(app): State<App>, PathId(id): PathId<BookId>, change: Change) -> Reply {
    let page = PageId::from_client(&change.fields.text("page"));
    let detached = books::detach(&app, &change.caller, &id, &page).await;
    let form = (book::ORDER, &change.fields);
    respond(&app, &change.signed_in, &id, form, detached, "taken-out").await
}

/// The changed text of a field for a new drawing; `None` if it is unchanged or empty.
pub(super) fn changed_text<T: From<String>>(fields: &Fields, name: &str) -> Option<T> {
    let changed = fields.changed(name).filter(|text| !text.is_empty());
    changed.map(T::from)
}

pub(super) async fn draw_cover(State(app): State<App>, PathId(id): PathId<BookId>, change: Change) -> Reply {
    let order = change.fields.order()?;
    let wanted = CoverRegeneration {
        prompt: changed_text(&change.fields, "prompt"),
    };
    let accepted = books::regenerate_cover(&app, &change.caller, &order, &id, &wanted).await;
    let form = (book::COVER, &change.fields);
    respond(&app, &change.signed_in, &id, form, accepted, "drawing").await
}

pub(super) async fn delete(State(app): State<App>, PathId(id): PathId<BookId>, change: Change) -> Reply {
    if books::delete(&app, &change.caller, &id).await? {
        return Ok(accepted::to("/library", "deleted"));
    }
    Err(missing().into())
}

fn missing() -> Error {
    Error::not_found("book")
}

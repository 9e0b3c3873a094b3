//! What a person does with a book: change it, arrange its pages, draw its cover again, print it, delete it.
use axum::extract::State;
use axum::response::Response;
use linepress_model::Audience;

use super::form::Change;
use super::{accepted, book};
use crate::app::App;
use crate::books::{self, BookChange, CoverRegeneration, NewCover};
use crate::error::{Error, Result};
use crate::http::session::SignedIn;
use crate::http::{PathId, Reply};
use crate::ids::{BookId, PageId};

/// Back to the book, or the book with what was wrong.
pub(super) async fn shown<T>(
    app: &App,
    signed_in: &SignedIn,
    id: &BookId,
    outcome: Result<Option<T>>,
    done: &'static str,
) -> Reply<Response> {
    match accepted::changed(outcome, "book", &format!("/library/books/{id}"), done)? {
        Ok(response) => Ok(response),
        Err((status, complaints)) => book::render(app, signed_in, id, status, None, complaints).await,
    }
}

pub(super) async fn update(State(app): State<App>, PathId(id): PathId<BookId>, change: Change) -> Reply {
    let fields = &change.fields;
    let wanted = BookChange {
        title: Some(fields.text("title").into()),
        subtitle: Some(fields.text("subtitle").into()),
        author: Some(fields.text("author").into()),
        description: Some(fields.text("description").into()),
        audience: Audience::parse(&fields.text("audience")),
        language: fields.given("language"),
        cover: fields
            .given("cover_prompt")
            .map(|prompt: String| NewCover { prompt: prompt.into() }),
        // The form may have left out characters that could not be chosen.
        character_ids: (fields.text("with_characters") == "yes").then(|| fields.character_ids()),
    };
    let updated = books::update(&app, &change.caller, &id, &wanted).await;
    shown(&app, &change.signed_in, &id, updated, "saved").await
}

/// A page one place up or down, or all pages in the order of `order`.
pub(super) async fn reorder(State(app): State<App>, PathId(id): PathId<BookId>, change: Change) -> Reply {
    let fields = &change.fields;
    let present = books::get(&app, &change.caller, &id).await?.ok_or_else(missing)?;
    let mut order: Vec<PageId> = present.pages.into_iter().map(|page| page.id).collect();
    let place = |order: &[PageId], name: &str| {
        let page = fields.text(name);
        order.iter().position(|id| id.as_str() == page)
    };
    if let Some(wanted) = fields.given::<String>("order") {
        order = wanted.split(',').map(PageId::from_client).collect();
    } else if let Some(index) = place(&order, "up").filter(|index| *index > 0) {
        order.swap(index, index - 1);
    } else if let Some(index) = place(&order, "down").filter(|index| index + 1 < order.len()) {
        order.swap(index, index + 1);
    }
    let reordered = books::reorder(&app, &change.caller, &id, &order).await;
    let moved = fields.given("up").or_else(|| fields.given("down"));
    if let (Ok(Some(_)), Some(page)) = (&reordered, moved.map(|page: String| PageId::from_client(&page))) {
        let path = format!("/library/books/{id}");
        return Ok(accepted::to_part(&path, "moved", page.as_str()));
    }
    shown(&app, &change.signed_in, &id, reordered, "moved").await
}

pub(super) async fn take_out(State(app): State<App>, PathId(id): PathId<BookId>, change: Change) -> Reply {
    let page = PageId::from_client(&change.fields.text("page"));
    let detached = books::detach(&app, &change.caller, &id, &page).await;
    shown(&app, &change.signed_in, &id, detached, "taken-out").await
}

pub(super) async fn draw_cover(State(app): State<App>, PathId(id): PathId<BookId>, change: Change) -> Reply {
    let key = change.fields.key()?;
    let wanted = CoverRegeneration {
        prompt: change.fields.given("prompt"),
    };
    let accepted = books::regenerate_cover(&app, &change.caller, &key, &id, &wanted).await;
    shown(&app, &change.signed_in, &id, accepted, "drawing").await
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

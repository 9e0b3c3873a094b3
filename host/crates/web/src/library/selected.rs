//! Actions on several selected books, pages or characters at once.
use axum::extract::State;
use axum::response::Redirect;

use super::accepted;
use super::form::{Change, Fields};
use linepress_core::{characters, deletion};
use linepress_http::Reply;
use linepress_http::session::SignedIn;
use linepress_platform::app::App;
use linepress_platform::ids::{BookId, CharacterId, PageId};

/// Maximum number of items of one form: more than a part of a list shows.
pub(super) const MAX_SELECTED_ITEMS: usize = 100;

pub(super) fn selected(fields: &Fields) -> impl Iterator<Item = String> + '_ {
    fields.all("selected").take(MAX_SELECTED_ITEMS)
}

/// Moves the selected books to the bin.
pub(super) async fn delete_books(State(app): State<App>, change: Change) -> Reply {
    let mut is_any = false;
    for id in selected(&change.fields) {
        is_any |= deletion::delete_book(&app, &change.caller, &BookId::from_client(&id)).await?;
    }
    Ok(accepted::to("/library", done(is_any, "several-deleted")))
}

/// Moves the selected pages to the bin.
pub(super) async fn delete_pages(State(app): State<App>, change: Change) -> Reply {
    let mut is_any = false;
    for id in selected(&change.fields) {
        is_any |= deletion::delete_page(&app, &change.caller, &PageId::from_client(&id)).await?;
    }
    Ok(accepted::to("/library/pages", done(is_any, "several-deleted")))
}

/// Archives the selected characters.
pub(super) async fn archive_characters(State(app): State<App>, change: Change) -> Reply {
    let mut is_any = false;
    for id in selected(&change.fields) {
        is_any |= characters::archive(&app, &change.caller, &CharacterId::from_client(&id)).await?;
    }
    Ok(accepted::to("/library/characters", done(is_any, "several-archived")))
}

fn done(is_any: bool, done: &'static str) -> &'static str {
    if is_any { done } else { "none-selected" }
}

/// Redirects from the addresses of the forms to their lists.
pub(super) async fn to_books(_: SignedIn) -> Redirect {
    Redirect::to("/library")
}

pub(super) async fn to_pages(_: SignedIn) -> Redirect {
    Redirect::to("/library/pages")
}

pub(super) async fn to_characters(_: SignedIn) -> Redirect {
    Redirect::to("/library/characters")
}

//! The library: books, pages and characters of whoever is signed in. One file per address, or for what one form does.
mod accepted;
mod book;
mod book_changes;
mod book_pages;
mod book_print;
mod books;
mod character;
mod characters;
mod choices;
mod cover_changes;
mod draft;
mod events;
mod form;
mod languages;
mod new_book;
mod page;
mod pages;
mod pictures;
mod print_panel;
mod progress;
mod upload;
mod words;

use axum::Router;
use axum::routing::{get, post};

use crate::app::App;

pub(super) fn router() -> Router<App> {
    Router::new()
        .route("/library", get(books::show))
        .merge(of_books())
        .merge(of_pages())
        .merge(of_characters())
        .route("/library/operations/{id}/events", get(events::follow))
}

fn of_books() -> Router<App> {
    Router::new()
        .route("/library/books", post(draft::order).get(new_book::begin_again))
        .route("/library/books/new", get(new_book::show))
        .route("/library/books/plan", post(new_book::plan).get(new_book::begin_again))
        .route("/library/books/draft", post(draft::edit).get(new_book::begin_again))
        .route("/library/books/{id}", get(book::show).post(book_changes::update))
        .route("/library/books/{id}/order", post(book_changes::reorder))
        .route("/library/books/{id}/take-out", post(book_changes::take_out))
        .route("/library/books/{id}/delete", post(book_changes::delete))
        .route("/library/books/{id}/pdf", get(book_print::pdf))
        .route("/library/books/{id}/print_check", get(book_print::check))
        .route("/library/books/{id}/add", get(book_pages::show))
        .route("/library/books/{id}/pages", post(book_pages::draw))
        .route("/library/books/{id}/attach", post(book_pages::attach))
        .route("/library/books/{id}/cover/draw", post(book_changes::draw_cover))
        .route(
            "/library/books/{id}/cover/image",
            get(pictures::cover).post(cover_changes::replace),
        )
        .route("/library/books/{id}/cover/thumbnail", get(pictures::small_cover))
}

fn of_pages() -> Router<App> {
    Router::new()
        .route("/library/pages", get(pages::list).post(pages::draw))
        .route("/library/pages/new", get(pages::show_new))
        .route("/library/pages/import", post(pages::import))
        .route("/library/pages/draw_from", post(pages::draw_from))
        .route("/library/pages/{id}", get(page::show).post(page::update))
        .route("/library/pages/{id}/draw", post(page::draw))
        .route("/library/pages/{id}/delete", post(page::delete))
        .route("/library/pages/{id}/image", get(pictures::page).post(page::replace))
        .route("/library/pages/{id}/print", get(pictures::printed_page))
        .route("/library/pages/{id}/thumbnail", get(pictures::small_page))
}

fn of_characters() -> Router<App> {
    Router::new()
        .route("/library/characters", get(characters::list).post(characters::draw))
        .route("/library/characters/new", get(characters::show_new))
        .route("/library/characters/{id}", get(character::show).post(character::rename))
        .route("/library/characters/{id}/share", post(character::share))
        .route("/library/characters/{id}/draw", post(character::draw))
        .route("/library/characters/{id}/archive", post(character::archive))
        .route("/library/characters/{id}/restore", post(character::restore))
        .route("/library/characters/{id}/image", get(pictures::character))
        .route("/library/characters/{id}/thumbnail", get(pictures::small_character))
}

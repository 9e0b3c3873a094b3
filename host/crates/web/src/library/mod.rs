//! The library: books, pages and characters of the signed-in account. There is one file per address, or per form.
pub(crate) mod accepted;
mod attempts;
mod book;
mod book_changes;
mod book_downloads;
mod book_pages;
mod book_print;
mod books;
mod character;
mod characters;
mod choices;
mod cover_changes;
mod deleted;
mod draft;
mod draft_photo;
mod events;
pub(crate) mod form;
mod languages;
mod listing;
mod looks;
mod new_book;
mod page;
mod page_texts;
mod pages;
pub(crate) mod pictures;
mod place;
mod preview;
mod print_check;
mod print_panel;
mod progress;
mod redraw;
mod refine;
mod reviews;
mod search_bar;
mod selected;
mod undo;
mod upload;
mod words;

use axum::Router;
use axum::routing::{get, post};

use linepress_http::handler::handler;
use linepress_platform::app::App;

pub(super) fn router() -> Router<App> {
    Router::new()
        .route("/library", get(handler(books::show)))
        .merge(of_drafts())
        .merge(of_books())
        .merge(of_reviews())
        .merge(of_pages())
        .merge(of_characters())
        .merge(of_bin())
        .route("/library/operations/{id}/events", get(handler(events::follow)))
        .route(
            "/library/operations/{id}/cancel",
            post(handler(progress::cancel)).get(handler(progress::to_library)),
        )
}

fn of_drafts() -> Router<App> {
    Router::new()
        .route("/library/books/new", get(handler(new_book::show)))
        .route(
            "/library/books/plan",
            post(handler(new_book::plan)).get(handler(new_book::begin_again)),
        )
        .route(
            "/library/drafts/{id}",
            get(handler(draft::show)).post(handler(draft::edit)),
        )
        .route(
            "/library/drafts/{id}/autosave",
            post(handler(draft::autosave)).get(handler(draft::to_draft)),
        )
        .route(
            "/library/drafts/{id}/order",
            post(handler(draft::order)).get(handler(draft::to_draft)),
        )
        .route(
            "/library/drafts/{id}/copy",
            post(handler(draft::copy)).get(handler(draft::to_draft)),
        )
        .route(
            "/library/drafts/{id}/delete",
            post(handler(draft::delete)).get(handler(draft::to_draft)),
        )
        .route(
            "/library/drafts/{id}/photo",
            get(handler(draft_photo::show)).post(handler(draft_photo::choose)),
        )
        .route("/library/uploads/{id}/thumbnail", get(handler(pictures::small_upload)))
}

fn of_bin() -> Router<App> {
    Router::new()
        .route("/library/bin", get(handler(deleted::show)))
        .route(
            "/library/bin/empty",
            post(handler(deleted::empty)).get(handler(deleted::to_bin)),
        )
        .route(
            "/library/bin/{id}/restore",
            post(handler(deleted::restore)).get(handler(deleted::from_item)),
        )
        .route(
            "/library/bin/{id}/delete",
            post(handler(deleted::delete)).get(handler(deleted::from_item)),
        )
}

fn of_books() -> Router<App> {
    Router::new()
        .route(
            "/library/books/selected",
            post(handler(selected::delete_books)).get(handler(selected::to_books)),
        )
        .route(
            "/library/books/download",
            get(handler(book_downloads::show)).post(handler(book_downloads::choose)),
        )
        .route(
            "/library/books/{id}",
            get(handler(book::show)).post(handler(book_changes::update)),
        )
        .route(
            "/library/books/{id}/order",
            post(handler(book_changes::reorder)).get(handler(book::to_book)),
        )
        .route(
            "/library/books/{id}/take-out",
            post(handler(book_changes::take_out)).get(handler(book::to_book)),
        )
        .route(
            "/library/books/{id}/put-back",
            post(handler(book_changes::put_back)).get(handler(book::to_book)),
        )
        .route(
            "/library/books/{id}/copy",
            post(handler(book_changes::copy)).get(handler(book::to_book)),
        )
        .route(
            "/library/books/{id}/delete",
            post(handler(book_changes::delete)).get(handler(book::to_book)),
        )
        .route("/library/books/{id}/pdf", get(handler(book_print::pdf)))
        .route("/library/books/{id}/package", get(handler(book_print::package)))
        .route("/library/books/{id}/listing", get(handler(listing::show)))
        .route("/library/books/{id}/print_check", get(handler(print_check::show)))
        .route("/library/books/{id}/preview", get(handler(preview::show)))
        .route("/library/books/{id}/preview/picture", get(handler(preview::picture)))
        .route("/library/books/{id}/add", get(handler(book_pages::show)))
        .route(
            "/library/books/{id}/pages",
            post(handler(book_pages::draw)).get(handler(book_pages::to_add)),
        )
        .route(
            "/library/books/{id}/draw_from",
            post(handler(book_pages::draw_from)).get(handler(book_pages::to_add)),
        )
        .route(
            "/library/books/{id}/attach",
            post(handler(book_pages::attach)).get(handler(book_pages::to_add)),
        )
        .route(
            "/library/books/{id}/cover/draw",
            post(handler(book_changes::draw_cover)).get(handler(book::to_book)),
        )
        .route(
            "/library/books/{id}/restyle",
            post(handler(book_changes::restyle)).get(handler(book::to_book)),
        )
        .route(
            "/library/books/{id}/redraw",
            get(handler(redraw::show)).post(handler(redraw::order)),
        )
        .route(
            "/library/books/{id}/cover/replace",
            post(handler(cover_changes::replace)).get(handler(book::to_book)),
        )
        .route("/library/books/{id}/cover/image", get(handler(pictures::cover)))
        .route(
            "/library/books/{id}/cover/thumbnail",
            get(handler(pictures::small_cover)),
        )
        .route(
            "/library/books/{id}/cover/attempts/{attempt_id}/choose",
            post(handler(book_changes::choose_cover)).get(handler(book::from_attempt)),
        )
        .route(
            "/library/books/{id}/cover/attempts/{attempt_id}/image",
            get(handler(attempts::cover_image)),
        )
        .route(
            "/library/books/{id}/cover/attempts/{attempt_id}/thumbnail",
            get(handler(attempts::cover_thumbnail)),
        )
}

fn of_reviews() -> Router<App> {
    Router::new()
        .route(
            "/library/books/{id}/review-links",
            post(handler(reviews::create)).get(handler(book::to_book)),
        )
        .route(
            "/library/books/{id}/review-links/{link_id}/withdraw",
            post(handler(reviews::withdraw)).get(handler(reviews::to_book)),
        )
        .route(
            "/library/books/{id}/comments/{comment_id}",
            post(handler(reviews::resolve)).get(handler(reviews::to_book)),
        )
        .route(
            "/library/books/{id}/comments/{comment_id}/delete",
            post(handler(reviews::delete)).get(handler(reviews::to_book)),
        )
}

fn of_pages() -> Router<App> {
    Router::new()
        .route("/library/pages", get(handler(pages::list)).post(handler(pages::draw)))
        .route(
            "/library/pages/selected",
            post(handler(selected::delete_pages)).get(handler(selected::to_pages)),
        )
        .route("/library/pages/new", get(handler(pages::show_new)))
        .route(
            "/library/pages/import",
            post(handler(pages::import)).get(handler(pages::to_new)),
        )
        .route(
            "/library/pages/draw_from",
            post(handler(pages::draw_from)).get(handler(pages::to_new)),
        )
        .route(
            "/library/pages/{id}",
            get(handler(page::show)).post(handler(page::update)),
        )
        .route(
            "/library/pages/{id}/draw",
            post(handler(page::draw)).get(handler(page::to_page)),
        )
        .route(
            "/library/pages/{id}/draw_from",
            post(handler(page::draw_from)).get(handler(page::to_page)),
        )
        .route(
            "/library/pages/{id}/refine",
            post(handler(page::refine)).get(handler(page::to_page)),
        )
        .route(
            "/library/pages/{id}/lock",
            post(handler(page::lock)).get(handler(page::to_page)),
        )
        .route(
            "/library/pages/{id}/delete",
            post(handler(page::delete)).get(handler(page::to_page)),
        )
        .route(
            "/library/pages/{id}/replace",
            post(handler(page::replace)).get(handler(page::to_page)),
        )
        .route("/library/pages/{id}/image", get(handler(pictures::page)))
        .route("/library/pages/{id}/print", get(handler(pictures::printed_page)))
        .route("/library/pages/{id}/thumbnail", get(handler(pictures::small_page)))
        .route(
            "/library/pages/{id}/attempts/{attempt_id}/choose",
            post(handler(page::choose)).get(handler(page::from_attempt)),
        )
        .route(
            "/library/pages/{id}/attempts/{attempt_id}/image",
            get(handler(attempts::page_image)),
        )
        .route(
            "/library/pages/{id}/attempts/{attempt_id}/thumbnail",
            get(handler(attempts::page_thumbnail)),
        )
}

fn of_characters() -> Router<App> {
    Router::new()
        .route(
            "/library/characters",
            get(handler(characters::list)).post(handler(characters::draw)),
        )
        .route(
            "/library/characters/selected",
            post(handler(selected::archive_characters)).get(handler(selected::to_characters)),
        )
        .route("/library/characters/archived", get(handler(characters::archived)))
        .route("/library/characters/new", get(handler(characters::show_new)))
        .route(
            "/library/characters/draw_from",
            post(handler(characters::draw_from)).get(handler(characters::to_new)),
        )
        .route(
            "/library/characters/{id}",
            get(handler(character::show)).post(handler(character::rename)),
        )
        .route(
            "/library/characters/{id}/share",
            post(handler(character::share)).get(handler(character::to_character)),
        )
        .route(
            "/library/characters/{id}/draw",
            post(handler(character::draw)).get(handler(character::to_character)),
        )
        .route(
            "/library/characters/{id}/draw_from",
            post(handler(character::draw_from)).get(handler(character::to_character)),
        )
        .route(
            "/library/characters/{id}/archive",
            post(handler(character::archive)).get(handler(character::to_character)),
        )
        .route(
            "/library/characters/{id}/restore",
            post(handler(character::restore)).get(handler(character::to_character)),
        )
        .route("/library/characters/{id}/image", get(handler(pictures::character)))
        .route(
            "/library/characters/{id}/thumbnail",
            get(handler(pictures::small_character)),
        )
        .route(
            "/library/characters/{id}/attempts/{attempt_id}/choose",
            post(handler(character::choose)).get(handler(character::from_attempt)),
        )
        .route(
            "/library/characters/{id}/attempts/{attempt_id}/image",
            get(handler(attempts::character_image)),
        )
        .route(
            "/library/characters/{id}/attempts/{attempt_id}/thumbnail",
            get(handler(attempts::character_thumbnail)),
        )
}

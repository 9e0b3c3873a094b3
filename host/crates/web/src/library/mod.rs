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
mod print_panel;
mod progress;
mod redraw;
mod reviews;
mod search_bar;
mod selected;
mod undo;
mod upload;
mod words;

use axum::Router;
use axum::routing::{get, post};

use linepress_platform::app::App;

pub(super) fn router() -> Router<App> {
    Router::new()
        .route("/library", get(books::show))
        .merge(of_drafts())
        .merge(of_books())
        .merge(of_reviews())
        .merge(of_pages())
        .merge(of_characters())
        .merge(of_bin())
        .route("/library/operations/{id}/events", get(events::follow))
        .route(
            "/library/operations/{id}/cancel",
            post(progress::cancel).get(progress::to_library),
        )
}

fn of_drafts() -> Router<App> {
    Router::new()
        .route("/library/books/new", get(new_book::show))
        .route("/library/books/plan", post(new_book::plan).get(new_book::begin_again))
        .route("/library/drafts/{id}", get(draft::show).post(draft::edit))
        .route(
            "/library/drafts/{id}/autosave",
            post(draft::autosave).get(draft::to_draft),
        )
        .route("/library/drafts/{id}/order", post(draft::order).get(draft::to_draft))
        .route("/library/drafts/{id}/copy", post(draft::copy).get(draft::to_draft))
        .route("/library/drafts/{id}/delete", post(draft::delete).get(draft::to_draft))
        .route(
            "/library/drafts/{id}/photo",
            get(draft_photo::show).post(draft_photo::choose),
        )
        .route("/library/uploads/{id}/thumbnail", get(pictures::small_upload))
}

fn of_bin() -> Router<App> {
    Router::new()
        .route("/library/bin", get(deleted::show))
        .route("/library/bin/empty", post(deleted::empty).get(deleted::to_bin))
        .route(
            "/library/bin/{id}/restore",
            post(deleted::restore).get(deleted::from_item),
        )
        .route(
            "/library/bin/{id}/delete",
            post(deleted::delete).get(deleted::from_item),
        )
}

fn of_books() -> Router<App> {
    Router::new()
        .route(
            "/library/books/selected",
            post(selected::delete_books).get(selected::to_books),
        )
        .route(
            "/library/books/download",
            get(book_downloads::show).post(book_downloads::choose),
        )
        .route("/library/books/{id}", get(book::show).post(book_changes::update))
        .route(
            "/library/books/{id}/order",
            post(book_changes::reorder).get(book::to_book),
        )
        .route(
            "/library/books/{id}/take-out",
            post(book_changes::take_out).get(book::to_book),
        )
        .route(
            "/library/books/{id}/put-back",
            post(book_changes::put_back).get(book::to_book),
        )
        .route("/library/books/{id}/copy", post(book_changes::copy).get(book::to_book))
        .route(
            "/library/books/{id}/delete",
            post(book_changes::delete).get(book::to_book),
        )
        .route("/library/books/{id}/pdf", get(book_print::pdf))
        .route("/library/books/{id}/package", get(book_print::package))
        .route("/library/books/{id}/listing", get(listing::show))
        .route("/library/books/{id}/print_check", get(book_print::check))
        .route("/library/books/{id}/preview", get(preview::show))
        .route("/library/books/{id}/preview/picture", get(preview::picture))
        .route("/library/books/{id}/add", get(book_pages::show))
        .route(
            "/library/books/{id}/pages",
            post(book_pages::draw).get(book_pages::to_add),
        )
        .route(
            "/library/books/{id}/draw_from",
            post(book_pages::draw_from).get(book_pages::to_add),
        )
        .route(
            "/library/books/{id}/attach",
            post(book_pages::attach).get(book_pages::to_add),
        )
        .route(
            "/library/books/{id}/cover/draw",
            post(book_changes::draw_cover).get(book::to_book),
        )
        .route(
            "/library/books/{id}/restyle",
            post(book_changes::restyle).get(book::to_book),
        )
        .route("/library/books/{id}/redraw", get(redraw::show).post(redraw::order))
        .route(
            "/library/books/{id}/cover/replace",
            post(cover_changes::replace).get(book::to_book),
        )
        .route("/library/books/{id}/cover/image", get(pictures::cover))
        .route("/library/books/{id}/cover/thumbnail", get(pictures::small_cover))
        .route(
            "/library/books/{id}/cover/attempts/{attempt_id}/choose",
            post(book_changes::choose_cover).get(book::from_attempt),
        )
        .route(
            "/library/books/{id}/cover/attempts/{attempt_id}/image",
            get(attempts::cover_image),
        )
        .route(
            "/library/books/{id}/cover/attempts/{attempt_id}/thumbnail",
            get(attempts::cover_thumbnail),
        )
}

fn of_reviews() -> Router<App> {
    Router::new()
        .route(
            "/library/books/{id}/review-links",
            post(reviews::create).get(book::to_book),
        )
        .route(
            "/library/books/{id}/review-links/{link_id}/withdraw",
            post(reviews::withdraw).get(reviews::to_book),
        )
        .route(
            "/library/books/{id}/comments/{comment_id}",
            post(reviews::resolve).get(reviews::to_book),
        )
        .route(
            "/library/books/{id}/comments/{comment_id}/delete",
            post(reviews::delete).get(reviews::to_book),
        )
}

fn of_pages() -> Router<App> {
    Router::new()
        .route("/library/pages", get(pages::list).post(pages::draw))
        .route(
            "/library/pages/selected",
            post(selected::delete_pages).get(selected::to_pages),
        )
        .route("/library/pages/new", get(pages::show_new))
        .route("/library/pages/import", post(pages::import).get(pages::to_new))
        .route("/library/pages/draw_from", post(pages::draw_from).get(pages::to_new))
        .route("/library/pages/{id}", get(page::show).post(page::update))
        .route("/library/pages/{id}/draw", post(page::draw).get(page::to_page))
        .route(
            "/library/pages/{id}/draw_from",
            post(page::draw_from).get(page::to_page),
        )
        .route("/library/pages/{id}/refine", post(page::refine).get(page::to_page))
        .route("/library/pages/{id}/lock", post(page::lock).get(page::to_page))
        .route("/library/pages/{id}/delete", post(page::delete).get(page::to_page))
        .route("/library/pages/{id}/replace", post(page::replace).get(page::to_page))
        .route("/library/pages/{id}/image", get(pictures::page))
        .route("/library/pages/{id}/print", get(pictures::printed_page))
        .route("/library/pages/{id}/thumbnail", get(pictures::small_page))
        .route(
            "/library/pages/{id}/attempts/{attempt_id}/choose",
            post(page::choose).get(page::from_attempt),
        )
        .route(
            "/library/pages/{id}/attempts/{attempt_id}/image",
            get(attempts::page_image),
        )
        .route(
            "/library/pages/{id}/attempts/{attempt_id}/thumbnail",
            get(attempts::page_thumbnail),
        )
}

fn of_characters() -> Router<App> {
    Router::new()
        .route("/library/characters", get(characters::list).post(characters::draw))
        .route(
            "/library/characters/selected",
            post(selected::archive_characters).get(selected::to_characters),
        )
        .route("/library/characters/archived", get(characters::archived))
        .route("/library/characters/new", get(characters::show_new))
        .route(
            "/library/characters/draw_from",
            post(characters::draw_from).get(characters::to_new),
        )
        .route("/library/characters/{id}", get(character::show).post(character::rename))
        .route(
            "/library/characters/{id}/share",
            post(character::share).get(character::to_character),
        )
        .route(
            "/library/characters/{id}/draw",
            post(character::draw).get(character::to_character),
        )
        .route(
            "/library/characters/{id}/draw_from",
            post(character::draw_from).get(character::to_character),
        )
        .route(
            "/library/characters/{id}/archive",
            post(character::archive).get(character::to_character),
        )
        .route(
            "/library/characters/{id}/restore",
            post(character::restore).get(character::to_character),
        )
        .route("/library/characters/{id}/image", get(pictures::character))
        .route("/library/characters/{id}/thumbnail", get(pictures::small_character))
        .route(
            "/library/characters/{id}/attempts/{attempt_id}/choose",
            post(character::choose).get(character::from_attempt),
        )
        .route(
            "/library/characters/{id}/attempts/{attempt_id}/image",
            get(attempts::character_image),
        )
        .route(
            "/library/characters/{id}/attempts/{attempt_id}/thumbnail",
            get(attempts::character_thumbnail),
        )
}

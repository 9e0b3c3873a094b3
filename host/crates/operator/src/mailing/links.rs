//! The addresses of web pages to which mails lead. `web` serves them under these paths.
use linepress_platform::app::App;

pub(super) fn to_page(app: &App, path: &str) -> String {
    format!("{}{path}", app.config.public_url)
}

pub(super) fn to_reset(app: &App, token: &str) -> String {
    to_page(app, &format!("/reset/{token}"))
}

pub(super) fn to_verification(app: &App, token: &str) -> String {
    to_page(app, &format!("/verify/{token}"))
}

pub(super) fn to_unsubscribe(app: &App, token: &str) -> String {
    to_page(app, &format!("/unsubscribe/{token}"))
}

pub(super) fn to_book(app: &App, book: &str) -> String {
    to_page(app, &format!("/library/books/{book}"))
}

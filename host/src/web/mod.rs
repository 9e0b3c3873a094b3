//! Pages for people: HTML beside its handlers.
mod accepted;
mod book;
mod book_changes;
mod book_pages;
mod character;
mod characters;
mod choices;
mod cover_changes;
mod draft;
mod events;
mod form;
mod front;
mod library;
mod new_book;
mod page;
mod pages;
mod pictures;
mod preview;
mod progress;
mod routes;
mod sign_in;
mod sign_out;
mod upload;
mod words;

use axum::Router;
use axum::routing::{get, post};

use crate::app::App;
use crate::http::same_origin;

/// Every page, by its path on the server.
pub(crate) fn router(app: &App) -> Router<App> {
    Router::new()
        .route("/", get(front::show))
        .merge(routes::library(app))
        .route("/sign-in", get(sign_in::show).post(sign_in::submit))
        .route("/sign-out", post(sign_out::submit))
        .route("/preview/{token}", get(preview::show))
        .route("/preview/{token}/image", get(preview::image))
        .layer(same_origin::layer(app))
}

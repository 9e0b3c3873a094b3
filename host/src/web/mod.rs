//! Pages for people: HTML beside its handlers.
mod downloads;
mod preview;
mod sign_in;
mod sign_out;

use axum::Router;
use axum::routing::{get, post};

use crate::app::App;
use crate::http::same_origin;

/// Every page, by its path on the server.
pub(crate) fn router(app: &App) -> Router<App> {
    Router::new()
        .route("/sign-in", get(sign_in::show).post(sign_in::submit))
        .route("/sign-out", post(sign_out::submit))
        .route("/downloads/{token}", get(downloads::show))
        .route("/preview/{token}", get(preview::show))
        .route("/preview/{token}/image", get(preview::image))
        .layer(same_origin::layer(app))
}

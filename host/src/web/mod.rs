//! Pages for people: HTML beside its handlers.
mod preview;

use axum::Router;
use axum::routing::get;

use crate::app::App;

/// Every page, by its path on the server.
pub(crate) fn router() -> Router<App> {
    Router::new()
        .route("/preview/{token}", get(preview::show))
        .route("/preview/{token}/image", get(preview::image))
}

//! Whether the server is alive, and whether it can work.
use axum::extract::State;
use axum::http::StatusCode;

use crate::app::App;

/// The process responds.
pub async fn alive() -> &'static str {
    "ok\n"
}

/// The database responds, and the plugins that are configured are loaded.
pub async fn ready(State(app): State<App>) -> (StatusCode, &'static str) {
    if let Err(error) = app.database.ping().await {
        tracing::warn!(%error, "not ready: the database does not respond");
        return (StatusCode::SERVICE_UNAVAILABLE, "the database does not respond\n");
    }
    let loaded = app.plugins.image_provider(&app.config.image_provider).is_some()
        && app.plugins.planner(&app.config.planner).is_some()
        && app.plugins.layout(&app.config.layout).is_some();
    if loaded {
        (StatusCode::OK, "ready\n")
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "a configured plugin is not loaded\n")
    }
}

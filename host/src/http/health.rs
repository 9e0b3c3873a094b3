//! Whether the server is alive, and whether it can work.
use axum::extract::State;
use axum::http::StatusCode;

use crate::app::App;
use crate::database::Database;

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
    // Leases are on the database's clock; times that clients see are on this one.
    match app.database.clock_difference(&app.clock).await {
        Ok(Some(difference)) if difference > Database::TOLERABLE_CLOCK_DIFFERENCE => {
            let seconds = difference.as_secs_f32();
            tracing::warn!(seconds, "the clock of this machine differs from the database's");
        }
        _ => {}
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

//! Whether the server is alive, and whether it can work.
use axum::extract::State;
use axum::http::StatusCode;

use crate::app::App;
use crate::database::Database;

/// The process responds.
pub async fn alive() -> &'static str {
    "ok\n"
}

/// The database responds and can be written, the plugins that are needed are loaded, and objects and files on their way in
/// can be written. Tells, too, when this
/// machine's clock differs from the database's: leases are on the one, and the times that clients see on the other.
pub async fn ready(State(app): State<App>) -> (StatusCode, String) {
    if let Err(error) = app.database.ping().await {
        tracing::warn!(%error, "not ready: the database does not respond");
        return (
            StatusCode::SERVICE_UNAVAILABLE,
            "the database does not respond\n".into(),
        );
    }
    if !app.missing_plugins().is_empty() {
        let problem = "a configured plugin is not loaded\n";
        return (StatusCode::SERVICE_UNAVAILABLE, problem.into());
    }
    let now = app.clock.now();
    let problem = if !app.database.is_writable(now).await {
        Some("the database cannot be written\n")
    } else if !app.storage.is_writable(now).await {
        Some("the object store cannot be written\n")
    } else if !app.importer.is_writable(now).await {
        Some("the folder for files on their way in cannot be written\n")
    } else {
        None
    };
    if let Some(problem) = problem {
        return (StatusCode::SERVICE_UNAVAILABLE, problem.into());
    }
    match app.database.clock_difference(&app.clock).await {
        Ok(Some(difference)) if difference > Database::TOLERABLE_CLOCK_DIFFERENCE => {
            let seconds = difference.as_secs();
            tracing::warn!(seconds, "the clock of this machine differs from the database's");
            let ready = format!("ready; the clock of this machine differs from the database's by {seconds} s\n");
            (StatusCode::OK, ready)
        }
        _ => (StatusCode::OK, "ready\n".into()),
    }
}

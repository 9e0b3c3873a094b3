//! Whether the server is alive, and whether it can work.
use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;

use crate::app::App;
use crate::database::Database;

/// A database that is silent for longer than this, while the server keeps asking it, makes a server that is alive useless.
const MAX_SILENCE: Duration = Duration::from_secs(60);

/// How long the checks of `ready` may take together: a share whose server is gone never responds.
const READY_LIMIT: Duration = Duration::from_secs(6);

/// The process responds, and what it asks of its database has a response, though it may be a refusal.
pub async fn alive(State(app): State<App>) -> (StatusCode, String) {
    let silence = app.database.silence(app.clock.now());
    if silence > MAX_SILENCE {
        let seconds = silence.as_secs();
        return unavailable(&format!("the database has not responded for {seconds} s"));
    }
    (StatusCode::OK, "ok\n".into())
}

/// The database responds and can be written, its clock is about this machine's, the plugins that are needed are loaded, and
/// objects and files on their way in can be written. Reports a smaller difference of the clocks, too: leases are on the
/// one, and the times that clients see on the other.
pub async fn ready(State(app): State<App>) -> (StatusCode, String) {
    let checked = tokio::time::timeout(READY_LIMIT, check(&app)).await;
    match checked {
        Ok(Ok(state)) => (StatusCode::OK, format!("{state}\n")),
        Ok(Err(problem)) => unavailable(&problem),
        Err(_) => unavailable(&format!(
            "the database or the object store does not respond within {} s",
            READY_LIMIT.as_secs()
        )),
    }
}

fn unavailable(problem: &str) -> (StatusCode, String) {
    (StatusCode::SERVICE_UNAVAILABLE, format!("{problem}\n"))
}

async fn check(app: &App) -> Result<String, String> {
    if let Err(error) = app.database.ping().await {
        tracing::warn!(%error, "not ready: the database does not respond");
        return Err("the database does not respond".into());
    }
    if !app.missing_plugins().is_empty() {
        return Err("a configured plugin is not loaded".into());
    }
    let now = app.clock.now();
    if !app.database.is_writable(now).await {
        return Err("the database cannot be written".into());
    }
    if !app.storage.is_writable(now).await {
        return Err("the object store cannot be written".into());
    }
    if !app.importer.is_writable(now).await {
        return Err("the folder for files on their way in cannot be written".into());
    }
    let difference = app.database.clock_difference(&app.clock).await.ok().flatten();
    let difference = difference.filter(|difference| *difference > Database::TOLERABLE_CLOCK_DIFFERENCE);
    let Some(difference) = difference else {
        return Ok("ready".into());
    };
    let seconds = difference.as_secs();
    tracing::warn!(seconds, "the clock of this machine differs from the database's");
    let differs = format!("the clock of this machine differs from the database's by {seconds} s");
    if difference > Database::MAX_CLOCK_DIFFERENCE {
        return Err(differs);
    }
    Ok(format!("ready; {differs}"))
}

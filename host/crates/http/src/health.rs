//! The health checks: liveness and readiness.
use std::time::Duration;

use axum::extract::State;
use axum::http::StatusCode;

use linepress_platform::app::App;
use linepress_platform::database::Database;
use linepress_platform::maintenance;

/// The longest time that the database may leave all queries unanswered before the process counts as dead.
const MAX_SILENCE: Duration = Duration::from_secs(60);

/// The time limit of all readiness checks together: a network share whose server is gone never responds.
const READY_TIMEOUT: Duration = Duration::from_secs(6);

/// Liveness: the process responds, and the database answers its queries, even if only with errors.
pub async fn alive(State(app): State<App>) -> (StatusCode, String) {
    let silence = app.database.silence(app.clock.now());
    if silence > MAX_SILENCE {
        let seconds = silence.as_secs();
        return unavailable(&format!("the database has not responded for {seconds} s"));
    }
    (StatusCode::OK, "ok\n".into())
}

/// Readiness: the database responds and is writable, its clock agrees with this machine's, all configured plugins are
/// loaded, and the object store and the upload folder are writable. A small difference between the clocks is reported
/// but does not fail the check; it matters because certificates, signatures for S3 servers and the times of files
/// depend on the machine's own time. Maintenance does not fail the check either: a load balancer would stop sending
/// reads.
pub async fn ready(State(app): State<App>) -> (StatusCode, String) {
    let checked = tokio::time::timeout(READY_TIMEOUT, check(&app)).await;
    match checked {
        Ok(Ok(state)) => (StatusCode::OK, format!("{state}\n")),
        Ok(Err(problem)) => unavailable(&problem),
        Err(_) => unavailable(&format!(
            "the database or the object store did not respond within {} s",
            READY_TIMEOUT.as_secs()
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
        return Err("the upload folder cannot be written".into());
    }
    let difference = app.database.clock_difference(&app.clock).await.ok().flatten();
    let difference = difference.filter(|difference| *difference > Database::TOLERABLE_CLOCK_DIFFERENCE);
    let state = match maintenance::current(app).await {
        Ok(Some(_)) => "ready to be read; the server is under maintenance",
        // An error would be that of the database, which has just responded.
        Ok(None) | Err(_) => "ready",
    };
    let Some(difference) = difference else {
        return Ok(state.into());
    };
    let seconds = difference.as_secs();
    tracing::warn!(seconds, "the clock of this machine differs from the database's");
    let differs = format!("the clock of this machine differs from the database's by {seconds} s");
    if difference > Database::MAX_CLOCK_DIFFERENCE {
        return Err(differs);
    }
    Ok(format!("{state}; {differs}"))
}

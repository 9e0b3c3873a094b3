//! The health of the server: the quick checks of `linepress doctor`, and figures.
mod store;

use std::time::Duration;

use super::Actor;
use crate::diagnosis;
use linepress_core::print;
use linepress_platform::app::App;
use linepress_platform::error::Result;
use linepress_platform::health::{Finding, Verdict};

pub use linepress_platform::health::{Figures, Health};

/// The time limit of each check. `linepress doctor` has none.
const CHECK_TIMEOUT: Duration = Duration::from_secs(10);

/// The time for which the result is used again, so that readers cannot load the server.
const RESULT_LIFETIME: Duration = Duration::from_secs(10);

/// Checks the server, or returns the result of a check that ended within the last seconds. Each check has a time limit,
/// and none of them changes data.
pub async fn check(app: &App, actor: &Actor) -> Result<Health> {
    actor.require_operator()?;
    app.health.get_or(&app.clock, RESULT_LIFETIME, check_now(app)).await
}

async fn check_now(app: &App) -> Result<Health> {
    let storage_app = app.clone();
    let storage_check = async move { diagnosis::check_storage(&storage_app).await };
    let (database, ledger, maintenance, backups, storage, printing, figures) = tokio::join!(
        within(diagnosis::check_database(app)),
        within(diagnosis::check_ledger(app)),
        within(diagnosis::check_maintenance(app)),
        within(diagnosis::check_backups(app)),
        // A network share whose server is gone would block a further thread in each check.
        app.storage_check.within(CHECK_TIMEOUT, storage_check),
        within(check_printing(app)),
        within(figures(app)),
    );
    let of_database = |subject| late(subject, "Check that the database is running and not overloaded.");
    let findings = [
        database.unwrap_or_else(|| of_database("database")),
        ledger.unwrap_or_else(late_ledger),
        maintenance.unwrap_or_else(|| of_database("maintenance")),
        backups.unwrap_or_else(|| of_database("backup")),
        storage.unwrap_or_else(|| late("storage", "Check that the disk or the object store responds.")),
        diagnosis::check_plugins(app),
        printing.unwrap_or_else(|| late("printing", "Check the load of this machine, then `linepress doctor`.")),
    ]
    .concat();
    Ok(Health {
        verdict: worst(&findings),
        findings,
        figures: figures.transpose()?,
    })
}

/// Typesets a sample in the default format, in a child process as for every PDF.
async fn check_printing(app: &App) -> Vec<Finding> {
    match print::formats(app).first() {
        Some(offered) => vec![diagnosis::check_printing(app, offered).await],
        None => Vec::new(),
    }
}

/// The result of a check that ends in time.
async fn within<T>(check: impl Future<Output = T>) -> Option<T> {
    tokio::time::timeout(CHECK_TIMEOUT, check).await.ok()
}

/// The finding on a part of the server that does not respond.
fn late(subject: &str, advice: &str) -> Vec<Finding> {
    let finding = format!("the check did not end within {} s", CHECK_TIMEOUT.as_secs());
    vec![Finding::bad(subject, finding, advice)]
}

/// The finding on a ledger that is too large for the time limit.
fn late_ledger() -> Vec<Finding> {
    let seconds = CHECK_TIMEOUT.as_secs();
    let finding = format!("the check took longer than {seconds} s; `linepress doctor` waits longer");
    vec![Finding::note("ledger", finding)]
}

fn worst(findings: &[Finding]) -> Verdict {
    let has = |verdict| findings.iter().any(|finding| finding.verdict == verdict);
    let worst = [Verdict::Bad, Verdict::Note].into_iter().find(|verdict| has(*verdict));
    worst.unwrap_or(Verdict::Good)
}

async fn figures(app: &App) -> Result<Figures> {
    let totals = store::totals(&app.database.read).await?;
    Ok(Figures {
        version: env!("CARGO_PKG_VERSION").into(),
        accounts: totals.accounts,
        books: totals.books,
        pages: totals.pages,
        characters: totals.characters,
        stored_bytes: totals.stored_bytes,
        database_bytes: app.database.size().await?,
    })
}

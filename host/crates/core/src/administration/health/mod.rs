//! The health of the server: the quick checks of `linepress doctor`, and figures.
mod store;

use std::time::Duration;

use serde::Serialize;

use super::Actor;
use crate::app::App;
use crate::diagnosis::{self, Finding, Verdict};
use crate::print;
use linepress_platform::error::Result;

/// The time limit of each check. `linepress doctor` has none.
const CHECK_TIMEOUT: Duration = Duration::from_secs(10);

/// The health of the server, as the node that responds sees it.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct Health {
    /// The worst verdict of all findings.
    pub verdict: Verdict,
    pub findings: Vec<Finding>,
    pub figures: Figures,
}

/// Numbers that tell how large a server is.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct Figures {
    /// The version of the program on the node that responds.
    #[schema(example = "1.0.0")]
    pub version: String,
    /// The number of accounts, including closed ones.
    #[schema(minimum = 0)]
    pub accounts: i64,
    /// The number of books of all accounts.
    #[schema(minimum = 0)]
    pub books: i64,
    /// The number of pages of all accounts.
    #[schema(minimum = 0)]
    pub pages: i64,
    /// The number of characters of all accounts.
    #[schema(minimum = 0)]
    pub characters: i64,
    /// The size of the artwork and uploads of all accounts.
    #[schema(minimum = 0)]
    pub stored_bytes: i64,
    /// The size of the database.
    #[schema(minimum = 0)]
    pub database_bytes: u64,
}

/// Checks the server. Each check has a time limit, and none of them changes anything.
pub async fn check(app: &App, actor: &Actor) -> Result<Health> {
    actor.require_operator()?;
    let (database, ledger, maintenance, backups, storage, printing) = tokio::join!(
        within("database", diagnosis::check_database(app)),
        within("ledger", diagnosis::check_ledger(app)),
        within("maintenance", diagnosis::check_maintenance(app)),
        within("backup", diagnosis::check_backups(app)),
        within("storage", diagnosis::check_storage(app)),
        within("printing", check_printing(app)),
    );
    let plugins = diagnosis::check_plugins(app);
    let findings = [database, ledger, maintenance, backups, storage, plugins, printing].concat();
    Ok(Health {
        verdict: worst(&findings),
        findings,
        figures: figures(app).await?,
    })
}

/// Typesets a sample in the default format, in a child process as for every PDF.
async fn check_printing(app: &App) -> Vec<Finding> {
    match print::formats(app).first() {
        Some(offered) => vec![diagnosis::check_printing(app, offered).await],
        None => Vec::new(),
    }
}

/// The findings of a check that responds in time.
async fn within(subject: &str, check: impl Future<Output = Vec<Finding>>) -> Vec<Finding> {
    let checked = tokio::time::timeout(CHECK_TIMEOUT, check).await;
    checked.unwrap_or_else(|_| {
        let seconds = CHECK_TIMEOUT.as_secs();
        let finding = format!("the check took longer than {seconds} s; `linepress doctor` waits longer");
        vec![Finding::note(subject, finding)]
    })
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

//! Checks of a server, for `linepress doctor` and the pages of operators. None of them changes anything.
mod backups;
mod database;
mod plugins;
mod printing;
mod storage;

use linepress_model::text_enum;
use serde::Serialize;

use crate::app::App;
use crate::maintenance;

pub use backups::check as check_backups;
pub use database::{check as check_database, check_ledger};
pub use plugins::check as check_plugins;
pub use printing::check as check_printing;
pub use storage::check as check_storage;

text_enum! {
    /// The result of a check.
    pub enum Verdict {
        /// It found nothing wrong.
        Good = "good",
        /// It found something that may be intended, but could surprise the operator.
        Note = "note",
        /// It found a problem.
        Bad = "bad",
    }
}

/// A finding of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub struct Finding {
    /// The part of the server that was checked, such as `database`.
    #[schema(example = "database")]
    pub subject: String,
    pub verdict: Verdict,
    /// What was found.
    #[schema(example = "every balance is the sum of its entries")]
    pub finding: String,
    /// What to do about a problem; null without one.
    #[schema(required)]
    pub advice: Option<String>,
}

impl Finding {
    /// A finding that is as it should be.
    pub fn good(subject: &str, finding: impl Into<String>) -> Self {
        Self::new(subject, Verdict::Good, finding.into(), None)
    }

    /// A finding that may be intended.
    pub fn note(subject: &str, finding: impl Into<String>) -> Self {
        Self::new(subject, Verdict::Note, finding.into(), None)
    }

    /// A problem, and what to do about it.
    pub fn bad(subject: &str, finding: impl Into<String>, advice: impl Into<String>) -> Self {
        Self::new(subject, Verdict::Bad, finding.into(), Some(advice.into()))
    }

    fn new(subject: &str, verdict: Verdict, finding: String, advice: Option<String>) -> Self {
        Self {
            subject: subject.to_owned(),
            verdict,
            finding,
            advice,
        }
    }
}

/// Reports that the server is read-only, which an operator may have forgotten.
pub async fn check_maintenance(app: &App) -> Vec<Finding> {
    let Ok(Some(maintenance)) = maintenance::current(app).await else {
        return Vec::new();
    };
    let finding = format!(
        "the server has been read-only since {}; `linepress maintenance off` ends this",
        maintenance.began_at
    );
    vec![Finding::note("maintenance", finding)]
}

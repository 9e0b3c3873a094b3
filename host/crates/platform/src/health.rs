//! The health of a server: the findings of checks, and figures.
use linepress_model::text_enum;
use serde::Serialize;

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
    /// The result in words.
    #[schema(example = "every balance is the sum of its entries")]
    pub finding: String,
    /// The remedy for a problem; null without one.
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

    /// A problem, with its remedy.
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

/// The health of the server, as the node that responds sees it.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct Health {
    /// The worst verdict of all findings.
    pub verdict: Verdict,
    pub findings: Vec<Finding>,
    /// The figures of the server; null if the database did not respond in time.
    #[schema(required)]
    pub figures: Option<Figures>,
}

/// The size of the server.
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

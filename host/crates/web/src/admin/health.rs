//! `/admin/health`: the quick checks of `linepress doctor`, and figures of the server.
use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;

use super::Tab;
use super::operator::Operator;
use crate::numbers::{grouped, megabytes};
use linepress_http::Reply;
use linepress_http::html::{Frame, page};
use linepress_operator::administration::health::{self, Figures};
use linepress_operator::diagnosis::{Finding, Verdict};
use linepress_platform::app::App;

#[derive(Template)]
#[template(path = "admin/health.html")]
struct HealthPage {
    frame: Frame,
    tab: Tab,
    summary: &'static str,
    /// The class of the notice with the summary.
    class: &'static str,
    findings: Vec<FindingRow>,
    /// The figures; empty if the database did not respond in time.
    facts: Vec<(&'static str, String)>,
}

/// A finding in words.
struct FindingRow {
    subject: String,
    verdict: &'static str,
    class: &'static str,
    finding: String,
    advice: Option<String>,
}

impl From<Finding> for FindingRow {
    fn from(finding: Finding) -> Self {
        let (verdict, class) = match finding.verdict {
            Verdict::Good => ("Good", "ready"),
            Verdict::Note => ("Note", "waits"),
            Verdict::Bad => ("Problem", "incomplete"),
        };
        Self {
            subject: finding.subject,
            verdict,
            class,
            finding: finding.finding,
            advice: finding.advice,
        }
    }
}

fn facts(figures: Figures) -> Vec<(&'static str, String)> {
    vec![
        ("Version", figures.version),
        ("Accounts", grouped(figures.accounts)),
        ("Books", grouped(figures.books)),
        ("Pages", grouped(figures.pages)),
        ("Characters", grouped(figures.characters)),
        ("Artwork and uploads", megabytes(figures.stored_bytes)),
        (
            "Database",
            megabytes(i64::try_from(figures.database_bytes).unwrap_or(i64::MAX)),
        ),
    ]
}

pub(super) async fn show(State(app): State<App>, operator: Operator) -> Reply {
    let health = health::check(&app, &operator.actor).await?;
    let (summary, class) = match health.verdict {
        Verdict::Good => ("All is well.", "good"),
        Verdict::Note => ("No problems. Read the notes.", "warn"),
        Verdict::Bad => ("There are problems.", "bad"),
    };
    let view = HealthPage {
        frame: operator.frame(),
        tab: Tab::Health,
        summary,
        class,
        findings: health.findings.into_iter().map(FindingRow::from).collect(),
        facts: health.figures.map(facts).unwrap_or_default(),
    };
    Ok(page(StatusCode::OK, &view))
}

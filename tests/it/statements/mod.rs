//! Query plans of the stores' statements: no statement may take longer with the number or the age of accounts. SQLite
//! explains how it would run each statement.
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use linepress_drawings::queue::DrawingStatus;
use linepress_platform::database::Dialect;
use sqlx::{AssertSqlSafe, Row as _};
use tracing::field::{Field, Visit};
use tracing_subscriber::Layer;
use tracing_subscriber::layer::{Context, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;

use everything::do_everything;

mod everything;

/// Set in the separate process that runs the statements: in a shared process, the recorded statements would include
/// those of other tests.
const CHILD_PROCESS_VARIABLE: &str = "LINEPRESS_TEST_STATEMENTS";

/// Statements that may scan all accounts, with the reason.
const ALLOWED_SCANS: [(&str, &str); 6] = [
    (
        "SELECT g.id, a.email, c.name, c.document_url, g.scopes, g.credit_cap, g.credits_spent, g.created_at, g.last_used_at \
           FROM grants g JOIN oauth_clients c ON c.id = g.client_id JOIN accounts a ON a.id = g.account_id \
           WHERE g.revoked_at IS NULL AND g.expires_at > $1 AND c.revoked_at IS NULL ORDER BY g.id DESC",
        "an operator lists what was granted",
    ),
    (
        "SELECT id, document_url, name, redirect_uris, auth_method, secret_hash, registration_hash, metadata, \
           fresh_until, created_at, expires_at, revoked_at FROM oauth_clients ORDER BY id",
        "an operator lists the apps",
    ),
    (
        "SELECT id FROM accounts a WHERE credits <>",
        "`linepress doctor` adds up the ledger",
    ),
    ("SELECT COUNT(*) FROM mails", "`linepress doctor` counts what waits"),
    (
        "SELECT id FROM accounts a WHERE characters <>",
        "`linepress doctor` counts",
    ),
    (
        "SELECT COUNT(*) AS accounts,",
        "an operator looks at the figures of the server",
    ),
];

/// A claim reads waiting accounts in the order of their turns, and stops at the first one with a due drawing.
const ALLOWED_QUEUE_SCAN: &str = "SCAN queue_accounts USING INDEX queue_accounts_by_turn";

#[test]
fn no_statement_scans_a_table_that_grows() {
    if std::env::var_os(CHILD_PROCESS_VARIABLE).is_some() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.unwrap().block_on(check_every_statement());
        return;
    }
    let alone = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "statements::no_statement_scans_a_table_that_grows",
            "--nocapture",
        ])
        .env(CHILD_PROCESS_VARIABLE, "1")
        // The future of everything is larger than the usual stack of a test.
        .env("RUST_MIN_STACK", "16777216")
        .env_remove("LINEPRESS_TEST_POSTGRES")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&alone.stderr);
    assert!(alone.status.success(), "{said}");
}

async fn check_every_statement() {
    let noted = Statements::default();
    tracing_subscriber::registry().with(noted.clone()).init();
    let app = do_everything().await;
    assert_eq!(app.server.database.dialect, Dialect::Sqlite);

    let ran: Vec<String> = noted.0.lock().unwrap().iter().cloned().collect();
    let mut found = String::new();
    for written in statements_in_stores() {
        if !ran.iter().any(|statement| statement.contains(&written)) {
            let _ = writeln!(found, "never ran: {written}");
        }
    }
    let written: Vec<String> = statements_in_stores();
    let own = |statement: &&String| written.iter().any(|text| statement.starts_with(text.as_str()));
    for statement in ran.iter().filter(own) {
        if ALLOWED_SCANS
            .iter()
            .any(|(beginning, _)| statement.starts_with(beginning))
        {
            continue;
        }
        let plan = sqlx::raw_sql(AssertSqlSafe(format!("EXPLAIN QUERY PLAN {statement}")))
            .fetch_all(&app.server.database.read)
            .await
            .unwrap();
        for step in plan.iter().map(|row| row.get::<String, _>("detail")) {
            if step == ALLOWED_QUEUE_SCAN {
                continue;
            }
            // A list of values, named or not, is not a table, and neither is a subquery with a limit, whose own steps
            // are part of the plan.
            let scans = step.strip_prefix("SCAN ").is_some_and(|what| {
                !what.starts_with("moved")
                    && what != "counted"
                    && !what.contains("CONSTANT ROW")
                    && !what.ends_with("VALUES CLAUSE")
            });
            // A query for the first rows must not sort all rows.
            let sorts = step == "USE TEMP B-TREE FOR ORDER BY" && statement.contains("LIMIT");
            if scans || sorts {
                let _ = writeln!(found, "{step}: {statement}");
            }
        }
    }
    assert!(found.is_empty(), "\n{found}");
}

/// Returns the beginning of each statement in the stores and in the SQL dialects, up to its first variable part.
fn statements_in_stores() -> Vec<String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../host/crates");
    let mut texts = Vec::new();
    gather(&source, &mut texts);
    assert!(texts.len() > 80, "the stores hold more than {} statements", texts.len());
    texts
}

fn gather(folder: &Path, texts: &mut Vec<String>) {
    const BEGINNINGS: [&str; 6] = ["SELECT ", "INSERT ", "UPDATE ", "DELETE ", "WITH ", "WHERE "];
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            gather(&path, texts);
        } else if path.ends_with("store.rs") || path.ends_with("dialect.rs") {
            let code = std::fs::read_to_string(&path).unwrap();
            // Every second piece between quotation marks is a string, because no statement contains a quotation mark.
            for text in code.split('"').skip(1).step_by(2) {
                let text = text
                    .replace("\\\n", "")
                    .replace("\\u{1f}", "\u{1f}")
                    .replace("\\u{1e}", "\u{1e}");
                let text = with_states(&text.replace("{now}", "$1"));
                let fixed = words(text.split('{').next().unwrap());
                // Statements for PostgreSQL only.
                let others = fixed.ends_with("FOR NO KEY UPDATE") || fixed.contains("clock_timestamp()");
                if BEGINNINGS.iter().any(|beginning| fixed.starts_with(beginning)) && !others {
                    texts.push(fixed.trim().to_owned());
                }
            }
        }
    }
}

/// Replaces the names of a drawing's states in braces by the words, as the store of the queue does.
fn with_states(text: &str) -> String {
    DrawingStatus::ALL.iter().fold(text.to_owned(), |text, status| {
        text.replace(&format!("{{{status}}}"), &format!("'{status}'"))
    })
}

/// Replaces all white space with single spaces, so that statements can be compared.
fn words(text: &str) -> String {
    let kept: Vec<&str> = text.split([' ', '\n']).filter(|word| !word.is_empty()).collect();
    kept.join(" ")
}

/// The texts of all executed statements.
#[derive(Clone, Default)]
struct Statements(Arc<Mutex<BTreeSet<String>>>);

impl<S: tracing::Subscriber> Layer<S> for Statements {
    fn on_event(&self, event: &tracing::Event<'_>, _: Context<'_, S>) {
        if event.metadata().target() == "sqlx::query" {
            event.record(&mut Text(self));
        }
    }
}

struct Text<'a>(&'a Statements);

impl Visit for Text<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        // sqlx puts short statements into the summary field only.
        if matches!(field.name(), "db.statement" | "summary") && !value.is_empty() && !value.ends_with('…') {
            self.0.0.lock().unwrap().insert(words(value));
        }
    }

    fn record_debug(&mut self, _: &Field, _: &dyn std::fmt::Debug) {}
}

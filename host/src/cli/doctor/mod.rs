//! The command `linepress doctor`: finds problems of an installation, and how to fix them.
mod database;
mod directory;
mod discovery;
mod fonts;
mod mail;
mod objects;
mod templates;

use std::process::ExitCode;

use clap::Args;
use linepress_platform::config::Config;
use linepress_platform::error::chain;

use linepress_operator::diagnosis::{self, Finding, Verdict};
use linepress_operator::startup;
use linepress_terminal::{Report, print_line};

#[derive(Args)]
pub(super) struct Arguments {
    /// Compare all stored objects with the database instead of a sample. Takes longer the more there are.
    #[arg(long)]
    full: bool,
    /// Compare all stored objects, and delete those that the database does not refer to and that are older than a day.
    /// They remain when an older copy of the database is restored; check the restored server first.
    #[arg(long)]
    delete_unreferenced: bool,
    /// Also check what directories of MCP servers require. The server must be running.
    #[arg(long)]
    directory: bool,
}

pub(super) async fn run(config: Config, arguments: Arguments) -> anyhow::Result<ExitCode> {
    let mut report = Report::default();
    print_line!(
        "public address {}, data in {}",
        config.public_url,
        config.data_dir.display()
    );
    let inspection = startup::inspect(config).await?;
    let app = &inspection.app;
    for problem in &inspection.problems {
        report.bad(problem.part(), &chain(problem), &problem.advice());
    }
    if inspection.has_database {
        print(diagnosis::check_database(app).await, &mut report);
        if arguments.full {
            database::check_pages(app, &mut report).await;
        }
        print(diagnosis::check_ledger(app).await, &mut report);
        print(diagnosis::check_maintenance(app).await, &mut report);
        print(diagnosis::check_backups(app).await, &mut report);
    }
    mail::check(app, inspection.has_database, &mut report).await;
    if inspection.has_storage {
        print(diagnosis::check_storage(app).await, &mut report);
    }
    if inspection.has_database && inspection.has_storage {
        objects::compare(app, &arguments, &mut report).await;
    }
    if inspection.has_plugins {
        print(diagnosis::check_plugins(app), &mut report);
        templates::check(app, &mut report).await;
        fonts::check(app, &mut report);
    }
    discovery::check(app, &mut report).await;
    if arguments.directory {
        directory::check(app, &mut report).await;
    }
    Ok(report.finish())
}

/// Prints findings.
fn print(findings: Vec<Finding>, report: &mut Report) {
    for finding in findings {
        let advice = finding.advice.unwrap_or_default();
        match finding.verdict {
            Verdict::Good => report.good(&finding.subject, &finding.finding),
            Verdict::Note => report.note(&finding.subject, &finding.finding),
            Verdict::Bad => report.bad(&finding.subject, &finding.finding, &advice),
        }
    }
}

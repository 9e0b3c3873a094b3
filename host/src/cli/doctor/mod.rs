//! The command `linepress doctor`: finds problems of an installation, and how to fix them.
mod backups;
mod database;
mod discovery;
mod fonts;
mod mail;
mod objects;
mod plugins;

use std::process::ExitCode;

use clap::Args;
use linepress_platform::config::Config;
use linepress_platform::error::chain;

use linepress_core::app::App;
use linepress_core::startup;
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
        database::check(app, arguments.full, &mut report).await;
        maintenance(app, &mut report).await;
        backups::check(app, &mut report).await;
    }
    mail::check(app, inspection.has_database, &mut report).await;
    if inspection.has_storage {
        objects::check(app, &mut report).await;
    }
    if inspection.has_database && inspection.has_storage {
        objects::compare(app, &arguments, &mut report).await;
    }
    if inspection.has_plugins {
        plugins::check(app, &mut report);
        plugins::check_templates(app, &mut report).await;
        fonts::check(app, &mut report);
    }
    discovery::check(app, &mut report).await;
    Ok(report.finish())
}

/// Reports that the server is read-only, which an operator may have forgotten.
async fn maintenance(app: &App, report: &mut Report) {
    if let Ok(Some(maintenance)) = linepress_core::maintenance::current(app).await {
        let finding = format!(
            "the server has been read-only since {}; `linepress maintenance off` ends this",
            maintenance.began_at
        );
        report.note("maintenance", &finding);
    }
}

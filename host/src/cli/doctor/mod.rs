//! `linepress doctor`: what is wrong with this installation, and how to fix it.
mod database;
mod discovery;
mod objects;
mod plugins;

use std::process::ExitCode;

use clap::Args;
use linepress::app;
use linepress::config::Config;
use linepress::error::chain;

use super::printable;

#[derive(Args)]
pub(super) struct Arguments {
    /// Compare every stored object with the database, not a sample of them. Takes longer the more there are.
    #[arg(long)]
    full: bool,
}

/// The findings so far.
struct Report {
    problems: usize,
}

impl Report {
    fn good(&mut self, what: &str, finding: &str) {
        println!("ok       {what}: {}", printable(finding));
    }

    /// What is as it was meant to be, perhaps, and will surprise somebody.
    fn note(&mut self, what: &str, finding: &str) {
        println!("note     {what}: {}", printable(finding));
    }

    /// One thing after the other that a finding is about, as many as one may want to read.
    fn list(&self, things: impl ExactSizeIterator<Item = String>) {
        const MOST: usize = 100;
        let more = things.len().saturating_sub(MOST);
        for thing in things.take(MOST) {
            println!("         - {}", printable(&thing));
        }
        if more > 0 {
            println!("         and {more} more");
        }
    }

    fn bad(&mut self, what: &str, finding: &str, remedy: &str) {
        self.problems += 1;
        println!(
            "PROBLEM  {what}: {}\n         {}",
            printable(finding),
            printable(remedy)
        );
    }
}

pub(super) async fn run(config: Config, arguments: Arguments) -> anyhow::Result<ExitCode> {
    let mut report = Report { problems: 0 };
    println!(
        "public address {}, data in {}",
        config.public_url,
        config.data_dir.display()
    );
    let inspection = app::inspect(config).await?;
    let app = &inspection.app;
    for problem in &inspection.problems {
        report.bad(problem.part(), &chain(problem), &problem.advice());
    }
    if inspection.has_database {
        database::check(app, arguments.full, &mut report).await;
    }
    if inspection.has_storage {
        objects::check(app, &mut report);
    }
    if inspection.has_database && inspection.has_storage {
        objects::compare(app, arguments.full, &mut report).await;
    }
    if inspection.has_plugins {
        plugins::check(app, &mut report);
        plugins::check_templates(app, &mut report).await;
    }
    discovery::check(app, &mut report).await;
    match report.problems {
        0 => println!("All is well."),
        1 => println!("1 problem."),
        many => println!("{many} problems."),
    }
    Ok(if report.problems == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

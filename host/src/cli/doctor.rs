//! `linepress doctor`: what is wrong with this installation, and how to fix it.
use std::process::ExitCode;

use linepress::app::{self, App, Scope};
use linepress::config::Config;
use linepress::database::Database;
use linepress::ids::AccountId;
use linepress::{accounts, credits, print};

/// The findings so far.
struct Report {
    problems: usize,
}

impl Report {
    fn good(&mut self, what: &str, finding: &str) {
        println!("ok       {what}: {}", printable(finding));
    }

    fn bad(&mut self, what: &str, finding: &str, remedy: &str) {
        self.problems += 1;
        println!("PROBLEM  {what}: {}\n         {remedy}", printable(finding));
    }
}

/// A finding may hold names of files and words of a template: shown, they must not move the cursor or change colors.
fn printable(finding: &str) -> String {
    let is_hidden = |letter: char| letter.is_control() && letter != '\n';
    let mut text = String::with_capacity(finding.len());
    for letter in finding.chars() {
        if is_hidden(letter) {
            text.extend(letter.escape_default());
        } else {
            text.push(letter);
        }
    }
    text
}

pub(super) async fn run(config: Config) -> anyhow::Result<ExitCode> {
    let mut report = Report { problems: 0 };
    println!(
        "public address {}, data in {}",
        config.public_url,
        config.data_dir.display()
    );
    match app::open(config, Scope::Everything).await {
        Ok(app) => {
            database(&app, &mut report).await;
            storage(&app, &mut report).await;
            plugins(&app, &mut report);
            templates(&app, &mut report).await;
        }
        Err(error) => report.bad("start", &error.to_string(), error.advice()),
    }
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

async fn database(app: &App, report: &mut Report) {
    report.good("database", &format!("{:?}, migrated", app.database.dialect));
    match app.database.clock_difference(&app.clock).await {
        Ok(None) => {}
        Ok(Some(difference)) if difference <= Database::TOLERABLE_CLOCK_DIFFERENCE => {
            report.good("clock", "agrees with the database's");
        }
        Ok(Some(difference)) => report.bad(
            "clock",
            &format!("differs from the database's by {:.1} s", difference.as_secs_f32()),
            "Have both machines follow a time server (NTP).",
        ),
        Err(error) => report.bad("clock", &error.to_string(), "See whether the database runs."),
    }
    match accounts::miscounted(app).await {
        Ok(accounts) if accounts.is_empty() => report.good("counters", "every account has what its counters say"),
        Ok(accounts) => {
            let remedy =
                "The database was changed from outside. Correct the counters in accounts, or restore a backup.";
            report.bad("counters", &format!("wrong for {}", names(&accounts)), remedy);
        }
        Err(error) => report.bad("counters", &error.to_string(), "See the log above."),
    }
    match credits::mismatches(app).await {
        Ok(accounts) if accounts.is_empty() => report.good("ledger", "every balance is the sum of its entries"),
        Ok(accounts) => {
            let remedy = "The database was changed from outside. Compare accounts.credits with ledger_entries, or restore a backup.";
            report.bad(
                "ledger",
                &format!("the balance is not the sum of its entries for {}", names(&accounts)),
                remedy,
            );
        }
        Err(error) => report.bad("ledger", &error.to_string(), "See the log above."),
    }
}

fn names(accounts: &[AccountId]) -> String {
    let names: Vec<_> = accounts.iter().map(ToString::to_string).collect();
    names.join(", ")
}

async fn storage(app: &App, report: &mut Report) {
    let folder = app.config.objects_dir();
    match app.storage.probe().await {
        Ok(()) => report.good("storage", &format!("{} can be written and read", folder.display())),
        Err(error) => {
            let finding = error.cause().unwrap_or_else(|| error.to_string());
            report.bad(
                "storage",
                &finding,
                &format!(
                    "Make {} writable for this user, and see that its disk has room.",
                    folder.display()
                ),
            );
        }
    }
}

fn plugins(app: &App, report: &mut Report) {
    for refusal in app.plugins.refusals() {
        report.bad(
            "plugin",
            &format!("{} was refused: {}", refusal.folder.display(), refusal.reason),
            "Fix or remove the folder, then start again.",
        );
    }
    let chosen = [
        (
            "image_provider",
            &app.config.image_provider,
            app.plugins.image_provider(&app.config.image_provider).is_some(),
        ),
        (
            "planner",
            &app.config.planner,
            app.plugins.planner(&app.config.planner).is_some(),
        ),
        (
            "layout",
            &app.config.layout,
            app.plugins.layout(&app.config.layout).is_some(),
        ),
    ];
    for (setting, id, loaded) in chosen {
        if loaded {
            report.good(setting, &format!("{id} is loaded"));
        } else {
            let remedy = format!(
                "Put its folder into {} (`cargo xtask plugins --out` builds those that come with Linepress), or name another in `{setting}`.",
                app.config.plugins_dir.display()
            );
            report.bad(setting, &format!("no such plugin is loaded: {id}"), &remedy);
        }
    }
}

/// Prints a one-page sample in every format: templates and fonts show their faults only when they are used.
async fn templates(app: &App, report: &mut Report) {
    for format in print::formats(app) {
        let what = format!("template {}", format.template);
        match print::proof(app, &format).await {
            Ok(size) => report.good(
                &what,
                &format!("{} prints, its fonts are there ({size} bytes)", format.name),
            ),
            Err(error) => {
                let finding = error.cause().unwrap_or_else(|| error.to_string());
                report.bad(
                    &what,
                    &finding,
                    "Fix the template or its fonts in the layout plugin's templates folder.",
                );
            }
        }
    }
}

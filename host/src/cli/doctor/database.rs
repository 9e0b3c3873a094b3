//! The database: who may read it, its clock, and whether what it counts is there.
use std::os::unix::fs::PermissionsExt as _;

use linepress::app::App;
use linepress::database::{self, Database, Place};
use linepress::ids::AccountId;
use linepress::{accounts, credits};

use crate::cli::report::Report;

pub(super) async fn check(app: &App, full: bool, report: &mut Report) {
    report.good("database", &format!("{}, up to date", app.database.place));
    permissions(app, report);
    if full {
        pages(app, report).await;
    }
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
        Err(error) => report.bad(
            "counters",
            &error.for_operator(),
            "See whether the database runs, and is whole.",
        ),
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
        Err(error) => report.bad(
            "ledger",
            &error.for_operator(),
            "See whether the database runs, and is whole.",
        ),
    }
}

fn names(accounts: &[AccountId]) -> String {
    let names: Vec<_> = accounts.iter().map(ToString::to_string).collect();
    names.join(", ")
}

/// Whether the file is whole: a disk, or a copy that was made while the server wrote, may have damaged it.
async fn pages(app: &App, report: &mut Report) {
    let finding = match app.database.damage().await {
        Ok(None) => return,
        Ok(Some(damage)) if damage.is_empty() => return report.good("database", "every page of the file is whole"),
        Ok(Some(damage)) => damage.join("; "),
        Err(error) => error.to_string(),
    };
    report.bad(
        "database",
        &format!("the file is damaged: {finding}"),
        database::RESTORE,
    );
}

/// The file holds addresses, and hashes of keys.
fn permissions(app: &App, report: &mut Report) {
    let Place::File(file) = &app.database.place else {
        return;
    };
    let mode = std::fs::metadata(file).map(|file| file.permissions().mode());
    if mode.is_ok_and(|mode| mode & 0o007 != 0) {
        let remedy = format!("chmod 600 {0} {0}-wal {0}-shm", file.display());
        report.bad("database", "every user of this machine may read it", &remedy);
    }
}

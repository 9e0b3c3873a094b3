//! Checks of the database: its permissions, its clock, its counters and its ledger.
use std::os::unix::fs::PermissionsExt as _;

use linepress_core::app::App;
use linepress_core::{accounts, credits};
use linepress_platform::database::{self, Database, Place};
use linepress_platform::ids::AccountId;
use linepress_terminal::Report;

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
            "Synchronize the clocks of both machines with NTP.",
        ),
        Err(error) => report.bad("clock", &error.to_string(), "Check that the database is running."),
    }
    match accounts::miscounted(app).await {
        Ok(accounts) if accounts.is_empty() => report.good("counters", "the counters of every account are right"),
        Ok(accounts) => {
            let remedy =
                "The database was changed by another program. Correct the counters in accounts, or restore a backup.";
            report.bad("counters", &format!("wrong for {}", names(&accounts)), remedy);
        }
        Err(error) => report.bad(
            "counters",
            &error.for_operator(),
            "Check that the database is running and undamaged.",
        ),
    }
    match credits::mismatches(app).await {
        Ok(accounts) if accounts.is_empty() => report.good("ledger", "every balance is the sum of its entries"),
        Ok(accounts) => {
            let remedy = "The database was changed by another program. Compare accounts.credits with ledger_entries, or restore a backup.";
            report.bad(
                "ledger",
                &format!("the balance is not the sum of its entries for {}", names(&accounts)),
                remedy,
            );
        }
        Err(error) => report.bad(
            "ledger",
            &error.for_operator(),
            "Check that the database is running and undamaged.",
        ),
    }
}

fn names(accounts: &[AccountId]) -> String {
    let names: Vec<_> = accounts.iter().map(ToString::to_string).collect();
    names.join(", ")
}

/// Checks the pages of the database file, which a disk error or a copy made while the server wrote may have damaged.
async fn pages(app: &App, report: &mut Report) {
    let finding = match app.database.damage().await {
        Ok(None) => return,
        Ok(Some(damage)) if damage.is_empty() => return report.good("database", "every page of the file is intact"),
        Ok(Some(damage)) => damage.join("; "),
        Err(error) => error.to_string(),
    };
    report.bad(
        "database",
        &format!("the file is damaged: {finding}"),
        database::RESTORE,
    );
}

/// Checks the permissions of the file, which contains email addresses and hashes of keys.
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

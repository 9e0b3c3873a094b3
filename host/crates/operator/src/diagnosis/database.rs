//! Checks of the database: its permissions, its clock, its counters and its ledger.
use std::os::unix::fs::PermissionsExt as _;

use super::Finding;
use linepress_accounts::{accounts, credits};
use linepress_platform::app::App;
use linepress_platform::database::{Database, Place};
use linepress_platform::error::Result;
use linepress_platform::ids::AccountId;

/// Checks that the database responds, that only the server may read its file, and that its clock agrees.
pub async fn check(app: &App) -> Vec<Finding> {
    if let Err(error) = app.database.ping().await {
        let advice = "Check that the database is running.";
        return vec![Finding::bad("database", error.to_string(), advice)];
    }
    let mut findings = vec![Finding::good("database", format!("{}, up to date", app.database.place))];
    findings.extend(permissions(app));
    findings.extend(clock(app).await);
    findings
}

/// Checks the permissions of the file, which contains email addresses and hashes of keys.
fn permissions(app: &App) -> Option<Finding> {
    let Place::File(file) = &app.database.place else {
        return None;
    };
    let mode = std::fs::metadata(file).map(|file| file.permissions().mode());
    mode.is_ok_and(|mode| mode & 0o007 != 0).then(|| {
        let advice = format!("chmod 600 {0} {0}-wal {0}-shm", file.display());
        Finding::bad("database", "every user of this machine may read it", advice)
    })
}

async fn clock(app: &App) -> Option<Finding> {
    Some(match app.database.clock_difference(&app.clock).await {
        Ok(None) => return None,
        Ok(Some(difference)) if difference <= Database::TOLERABLE_CLOCK_DIFFERENCE => {
            Finding::good("clock", "agrees with the database's")
        }
        Ok(Some(difference)) => Finding::bad(
            "clock",
            format!("differs from the database's by {:.1} s", difference.as_secs_f32()),
            "Synchronize the clocks of both machines with NTP.",
        ),
        Err(error) => Finding::bad("clock", error.to_string(), "Check that the database is running."),
    })
}

/// Compares the counters and the balance of every account with its rows. Takes longer the more there are.
pub async fn check_ledger(app: &App) -> Vec<Finding> {
    let counters = agreement(
        "counters",
        accounts::miscounted(app).await,
        "the counters of every account are right",
        "wrong for",
        "The database was changed by another program. Correct the counters in accounts, or restore a backup.",
    );
    let ledger = agreement(
        "ledger",
        credits::mismatches(app).await,
        "every balance is the sum of its entries",
        "the balance is not the sum of its entries for",
        "The database was changed by another program. Compare accounts.credits with ledger_entries, or restore a backup.",
    );
    vec![counters, ledger]
}

/// The finding of a search for accounts with a fault.
fn agreement(subject: &str, found: Result<Vec<AccountId>>, good: &str, fault: &str, advice: &str) -> Finding {
    match found {
        Ok(accounts) if accounts.is_empty() => Finding::good(subject, good),
        Ok(accounts) => {
            let names: Vec<_> = accounts.iter().map(ToString::to_string).collect();
            Finding::bad(subject, format!("{fault} {}", names.join(", ")), advice)
        }
        Err(error) => Finding::bad(
            subject,
            error.for_operator(),
            "Check that the database is running and undamaged.",
        ),
    }
}

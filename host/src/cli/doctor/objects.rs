//! Comparison of the object store with the database.
use linepress_core::objects::{self, Comparison, DeletedOrphans, NamedObject, Thoroughness};
use linepress_platform::app::App;
use linepress_platform::error::Error;
use linepress_terminal::Report;

use super::Arguments;

/// Compares the object store with the database.
pub(super) async fn compare(app: &App, arguments: &Arguments, report: &mut Report) {
    let thoroughness = if arguments.full || arguments.delete_unreferenced {
        Thoroughness::Full
    } else {
        Thoroughness::Sample
    };
    let comparison = match objects::compare(app, thoroughness).await {
        Ok(comparison) => comparison,
        Err(error) => return report_unreadable(&error, report),
    };
    report_differences(app, &comparison, report);
    if arguments.delete_unreferenced {
        match objects::delete_orphans(app, &comparison.orphans).await {
            Ok(done) => report_deleted(&done, report),
            Err(error) => report_unreadable(&error, report),
        }
    }
}

fn report_unreadable(error: &Error, report: &mut Report) {
    let remedy = "Check that this user may read the object store and the database.";
    report.bad("objects", &error.for_operator(), remedy);
}

fn report_deleted(done: &DeletedOrphans, report: &mut Report) {
    let DeletedOrphans {
        deleted,
        spared,
        failed,
    } = done;
    report.good(
        "objects",
        &format!("{deleted} objects without a reference were deleted"),
    );
    if *spared > 0 {
        let hours = objects::MIN_ORPHAN_AGE.as_secs() / 3600;
        report.note(
            "objects",
            &format!("{spared} objects without a reference remain, because they are younger than {hours} hours"),
        );
    }
    if *failed > 0 {
        let finding = format!("{failed} objects without a reference could not be deleted");
        report.bad(
            "objects",
            &finding,
            "Check that this user may write to the object store.",
        );
    }
}

fn report_differences(app: &App, comparison: &Comparison, report: &mut Report) {
    let place = app.storage.place_name();
    let remedy = format!("Restore {place} from the backup that belongs to the database, or draw the pictures again.");
    if !comparison.missing.is_empty() {
        let finding = format!(
            "{} of {} objects that the database refers to are missing in {place}",
            comparison.missing.len(),
            comparison.looked_for
        );
        report.bad("objects", &finding, &remedy);
        report.list(comparison.missing.iter().map(whose));
    }
    if !comparison.damaged.is_empty() {
        let finding = format!(
            "{} of {} objects that the database refers to have a different size in {place} than when they were written",
            comparison.damaged.len(),
            comparison.looked_for
        );
        report.bad("objects", &finding, &remedy);
        report.list(comparison.damaged.iter().map(whose));
    }
    if !comparison.orphans.is_empty() {
        let finding = format!(
            "{} of {} objects in {place} are not referred to by the database",
            comparison.orphans.len(),
            comparison.looked_at
        );
        report.note(
            "objects",
            &format!(
                "{finding}. They take space and do no harm. After a restore they are the objects that are newer than the copy of \
                 the database; `linepress doctor --delete-unreferenced` deletes those that are older than a day"
            ),
        );
        report.list(comparison.orphans.iter().cloned());
    }
    if comparison.missing.is_empty() && comparison.damaged.is_empty() && comparison.orphans.is_empty() {
        let all = if comparison.is_complete {
            ""
        } else {
            " (a sample; `--full` compares all)"
        };
        let finding = format!(
            "{} objects of the database exist, and {} existing objects are in the database{all}",
            comparison.looked_for, comparison.looked_at
        );
        report.good("objects", &finding);
    }
}

fn whose(object: &NamedObject) -> String {
    format!("{} of the account {}", object.key, object.account_id)
}

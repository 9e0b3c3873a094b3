//! The folders for files, and whether the object store holds what the database names.
use std::path::PathBuf;

use linepress::app::App;
use linepress::folders;
use linepress::objects::{self, Comparison, Thoroughness};

use super::Report;

/// Whether files can be written wherever the server writes some.
pub(super) fn check(app: &App, report: &mut Report) {
    let objects = app.config.objects_dir();
    // Somebody else may have made a folder within: whoever ran the program as another user.
    let within = std::fs::read_dir(&objects).into_iter().flatten().flatten();
    let within = within.map(|entry| entry.path()).filter(|path| path.is_dir());
    let faults: Vec<_> = [app.config.incoming_dir(), objects.clone()]
        .into_iter()
        .chain(within)
        .filter_map(|folder: PathBuf| folders::check(&folder).err())
        .collect();
    for fault in &faults {
        report.bad("storage", &fault.to_string(), &fault.advice());
    }
    if faults.is_empty() {
        report.good("storage", &format!("{} can be written", objects.display()));
    }
}

/// Whether the store holds what the database names, and nothing else.
pub(super) async fn compare(app: &App, full: bool, report: &mut Report) {
    let thoroughness = if full { Thoroughness::Full } else { Thoroughness::Sample };
    match objects::compare(app, thoroughness).await {
        Ok(comparison) => tell(app, &comparison, report),
        Err(error) => {
            let finding = error.cause().unwrap_or_else(|| error.to_string());
            report.bad(
                "objects",
                &finding,
                "See that this user may read the object store and the database.",
            );
        }
    }
}

fn tell(app: &App, comparison: &Comparison, report: &mut Report) {
    let folder = app.config.objects_dir();
    let folder = folder.display();
    if let [first, ..] = comparison.missing.as_slice() {
        let finding = format!(
            "{} of {} that the database names are missing in {folder}, such as {} of the account {}",
            comparison.missing.len(),
            comparison.looked_for,
            first.key,
            first.account_id
        );
        let remedy =
            format!("Restore {folder} from the backup that belongs to the database, or have the pictures drawn again.");
        report.bad("objects", &finding, &remedy);
    }
    if let [first, ..] = comparison.orphans.as_slice() {
        let finding = format!(
            "{} of {} in {folder} are named by nothing in the database, such as {first}",
            comparison.orphans.len(),
            comparison.looked_at
        );
        let remedy = "They take room and are never deleted. Either the database is older than they are, as one that was restored from a backup, or they may go.";
        report.bad("objects", &finding, remedy);
    }
    if comparison.missing.is_empty() && comparison.orphans.is_empty() {
        let all = if comparison.is_complete {
            ""
        } else {
            "; a sample, `--full` compares all"
        };
        let finding = format!(
            "{} that the database names are there, and {} that are there are named{all}",
            comparison.looked_for, comparison.looked_at
        );
        report.good("objects", &finding);
    }
}

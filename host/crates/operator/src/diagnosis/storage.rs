//! Checks of the object store and of the folders for files.
use std::path::PathBuf;

use super::Finding;
use linepress_platform::app::App;
use linepress_platform::config::ObjectPlace;
use linepress_platform::folders;
use linepress_platform::storage::is_foreign;

const SUBJECT: &str = "storage";

/// Checks that the object store belongs to the database, and that all places in which the server writes files are
/// writable.
pub async fn check(app: &App) -> Vec<Finding> {
    if let Err(error) = app.storage.check_mark().await {
        let advice = error.for_operator();
        return vec![Finding::bad(SUBJECT, "the object store is missing", advice)];
    }
    let place = match app.config.object_place() {
        Ok(place) => place,
        Err(problem) => return vec![Finding::bad(SUBJECT, problem, "Correct `storage_url`.")],
    };
    let mut findings = Vec::new();
    if matches!(place, ObjectPlace::Bucket(_))
        && let Err(error) = app.storage.check_writing().await
    {
        findings.push(Finding::bad(
            SUBJECT,
            format!("{place} cannot be written: {}", error.for_operator()),
            "Allow this access key to write and to delete objects there.",
        ));
    }
    let (incoming, of_objects) = (app.config.incoming_dir(), place.clone());
    // Not on a thread that serves requests: a network share whose server is gone does not respond.
    let faults = tokio::task::spawn_blocking(move || folder_faults(incoming, &of_objects)).await;
    match faults {
        Ok(faults) => findings.extend(faults),
        Err(panic) => findings.push(Finding::bad(SUBJECT, panic.to_string(), "Report this fault.")),
    }
    if findings.is_empty() {
        findings.push(Finding::good(SUBJECT, format!("{place} can be written")));
    }
    findings
}

/// The faults of the folders in which the server writes files.
fn folder_faults(incoming: PathBuf, place: &ObjectPlace) -> Vec<Finding> {
    let mut folders = vec![incoming];
    if let ObjectPlace::Folder(objects) = place {
        // A subfolder may belong to another user, if the program was once run as that user.
        let within = std::fs::read_dir(objects).into_iter().flatten().flatten();
        let is_ours = |path: &PathBuf| {
            let name = path.file_name().unwrap_or_default();
            path.is_dir() && !is_foreign(&name.to_string_lossy())
        };
        folders.push(objects.clone());
        folders.extend(within.map(|entry| entry.path()).filter(is_ours));
    }
    let faults = folders.iter().filter_map(|folder| folders::check(folder).err());
    let findings = faults.map(|fault| Finding::bad(SUBJECT, fault.to_string(), fault.advice()));
    findings.collect()
}

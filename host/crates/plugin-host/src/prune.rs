//! What becomes of compiled plugins that nobody loads any more.
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::cache::{COMPILED, FAILED};

const DAY: Duration = Duration::from_secs(24 * 3600);

/// Other servers may share the folder, and an operator may return to the version before: what is not used is kept this
/// long, and no more of it than this.
const KEPT_FOR: Duration = Duration::from_secs(30 * 24 * 3600);
const KEPT: usize = 64;

/// Marks the files of these stems as used, and removes those that were not used for a month.
pub(crate) fn prune(directory: &Path, used: &BTreeSet<PathBuf>) -> io::Result<()> {
    // The clock of the file system: what the times of the files are compared with.
    let now = tempfile::NamedTempFile::new_in(directory)?
        .as_file()
        .metadata()?
        .modified()?;
    let mut unused = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        // Another server may be removing it, too.
        let Ok(modified) = path.symlink_metadata().and_then(|metadata| metadata.modified()) else {
            continue;
        };
        if used.contains(&path.with_extension("")) {
            mark(&path, modified, now)?;
        } else {
            unused.push((age(modified, now), path));
        }
    }
    unused.sort();
    for (number, (age, path)) in unused.into_iter().enumerate() {
        let ours = path.extension().is_some_and(|kind| kind == COMPILED || kind == FAILED);
        // Anything else is what a server was writing when it was killed.
        let outlived = if ours {
            age > KEPT_FOR || number >= KEPT
        } else {
            age > DAY
        };
        if outlived && fs::remove_file(&path).is_ok() {
            tracing::info!(path = %path.display(), "a compiled plugin that is not used was removed");
        }
    }
    Ok(())
}

/// Not at every start: a time that is a day old tells as much.
fn mark(path: &Path, modified: SystemTime, now: SystemTime) -> io::Result<()> {
    if age(modified, now) > DAY {
        File::open(path)?.set_modified(now)?;
    }
    Ok(())
}

fn age(modified: SystemTime, now: SystemTime) -> Duration {
    now.duration_since(modified).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(folder: &Path, name: &str, days: u32) -> PathBuf {
        let path = folder.join(name);
        let file = File::create(&path).unwrap();
        let then = file.metadata().unwrap().modified().unwrap() - DAY * days;
        file.set_modified(then).unwrap();
        path
    }

    fn left(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn what_was_not_used_for_a_month_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        let used = file(path, "used.compiled", 40);
        for (name, days) in [
            ("old.compiled", 31),
            ("old.failed", 31),
            ("new.compiled", 29),
            (".tmpold", 2),
            (".tmpnew", 0),
        ] {
            file(path, name, days);
        }
        prune(path, &[used.with_extension("")].into()).unwrap();
        assert_eq!(left(path), [".tmpnew", "new.compiled", "used.compiled"]);
        // It was marked as used: the next start that does not use it keeps it for another month.
        prune(path, &BTreeSet::new()).unwrap();
        assert_eq!(left(path), [".tmpnew", "new.compiled", "used.compiled"]);
    }

    #[test]
    fn of_what_is_not_used_a_bounded_number_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..KEPT + 6 {
            file(folder.path(), &format!("{number:03}.compiled"), number as u32 / 4);
        }
        prune(folder.path(), &BTreeSet::new()).unwrap();
        assert_eq!(left(folder.path()).len(), KEPT);
        assert!(left(folder.path()).contains(&"000.compiled".to_owned()));
    }
}

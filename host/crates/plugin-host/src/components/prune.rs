//! Removal of compiled plugins that have been unused for a long time.
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::cache::{COMPILED, FAILED};

const DAY: Duration = Duration::from_secs(24 * 3600);

/// Time after which an unused file is removed. Unused files are not removed at once, because other servers may share
/// the folder and an operator may return to the previous version of a plugin.
const UNUSED_RETENTION: Duration = Duration::from_secs(30 * 24 * 3600);
/// Maximum number of unused files. Beyond it, those that have been unused for the longest time are removed first.
const MAX_UNUSED_FILES: usize = 64;

/// Marks the cache files with these stems as used, and removes files that have been unused for a month or exceed the
/// maximum number.
pub(crate) fn prune(directory: &Path, used: &BTreeSet<PathBuf>) -> io::Result<()> {
    // The current time of the file system's clock, which also sets the modification times of the files.
    let now = tempfile::NamedTempFile::new_in(directory)?
        .as_file()
        .metadata()?
        .modified()?;
    let mut unused = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        // Another server may have removed the file in the meantime.
        let Ok(modified) = path.symlink_metadata().and_then(|metadata| metadata.modified()) else {
            continue;
        };
        if is_cache_file(&path) && used.contains(&path.with_extension("")) {
            // The file may belong to another user.
            if let Err(error) = mark_as_used(&path, modified, now) {
                tracing::warn!(
                    %error,
                    path = %path.display(),
                    "a compiled plugin cannot be marked as used: another server may remove it from the cache"
                );
            }
        } else {
            unused.push((age(modified, now), path));
        }
    }
    unused.sort();
    for (number, (age, path)) in unused.into_iter().enumerate() {
        // Any other file is temporary or that of a compilation lock, and was left behind by a process that was killed.
        let is_expired = if is_cache_file(&path) {
            age > UNUSED_RETENTION || number >= MAX_UNUSED_FILES
        } else {
            age > DAY
        };
        if is_expired && fs::remove_file(&path).is_ok() {
            tracing::info!(path = %path.display(), "unused compiled plugin removed from the cache");
        }
    }
    Ok(())
}

fn is_cache_file(path: &Path) -> bool {
    path.extension().is_some_and(|kind| kind == COMPILED || kind == FAILED)
}

/// Updates the modification time, at most once a day to avoid needless writes.
fn mark_as_used(path: &Path, modified: SystemTime, now: SystemTime) -> io::Result<()> {
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

    fn remaining(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_that_is_unused_for_a_month_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        let used = file(path, "used.compiled", 40);
        for (name, days) in [
            ("old.compiled", 31),
            ("old.failed", 31),
            ("new.compiled", 29),
            ("used.compiling", 2),
            (".tmpold", 2),
            (".tmpnew", 0),
        ] {
            file(path, name, days);
        }
        prune(path, &[used.with_extension("")].into()).unwrap();
        assert_eq!(remaining(path), [".tmpnew", "new.compiled", "used.compiled"]);
        // The file was marked as used, so it remains for another month after a start that does not use it.
        prune(path, &BTreeSet::new()).unwrap();
        assert_eq!(remaining(path), [".tmpnew", "new.compiled", "used.compiled"]);
    }

    #[test]
    fn the_number_of_unused_files_is_bounded() {
        let folder = tempfile::tempdir().unwrap();
        for number in 0..MAX_UNUSED_FILES + 6 {
            file(folder.path(), &format!("{number:03}.compiled"), number as u32 / 4);
        }
        prune(folder.path(), &BTreeSet::new()).unwrap();
        assert_eq!(remaining(folder.path()).len(), MAX_UNUSED_FILES);
        assert!(remaining(folder.path()).contains(&"000.compiled".to_owned()));
    }
}

//! A layout's templates as they were when it was loaded.
//!
//! A designer edits the files of a folder that serves. Books are printed from a copy, so that nobody's book is made from half of
//! a change, and so that templates which fail can be refused while those before them go on.
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use linepress_files::TEMPLATES;
use sha2::{Digest as _, Sha256};

/// Below the folder of what is compiled.
const FOLDER: &str = "templates";
const LOCK: &str = "lock";
/// How the names of copies begin that are being made.
const UNFINISHED: &str = ".new-";

/// Other servers may share the folder, and a designer may return to the version before.
const KEPT_FOR: Duration = Duration::from_secs(30 * 24 * 3600);

/// A copy that stays for as long as this does.
pub(crate) struct TemplateCopy {
    folder: PathBuf,
    /// Shared by all that use the copy: whoever gets it alone may remove that.
    _lock: File,
}

impl TemplateCopy {
    /// Copies the templates, unless there is such a copy. An error says what is wrong with them, or with the cache.
    pub(crate) fn of(templates: &Path, cache: &Path) -> Result<Self, String> {
        let files = linepress_files::read_all(templates, TEMPLATES);
        let files = files.map_err(|error| format!("its templates are refused: {error}"))?;
        let kept = Self::keep(&files, &cache.join(FOLDER));
        kept.map_err(|error| format!("its templates cannot be copied to {}: {error}", cache.display()))
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    fn keep(files: &[(String, Vec<u8>)], within: &Path) -> io::Result<Self> {
        fs::create_dir_all(within)?;
        let digest = digest(files);
        let folder = within.join(&digest);
        let lock = File::options()
            .create(true)
            .append(true)
            .open(within.join(&digest).with_extension(LOCK))?;
        lock.lock_shared()?;
        let work = tempfile::Builder::new().prefix(UNFINISHED).tempdir_in(within)?;
        // The clock of the file system, by which copies are old.
        let now = fs::metadata(work.path())?.modified()?;
        lock.set_modified(now)?;
        if !is_whole(&folder, files) {
            let fresh = work.path().join("fresh");
            write(&fresh, files)?;
            // What is there was damaged, or another server has just made it.
            if fs::rename(&fresh, &folder).is_err() && !is_whole(&folder, files) {
                fs::rename(&folder, work.path().join("damaged"))?;
                fs::rename(&fresh, &folder)?;
            }
        }
        prune(within, now);
        Ok(Self { folder, _lock: lock })
    }
}

fn digest(files: &[(String, Vec<u8>)]) -> String {
    let mut hash = Sha256::new();
    for (path, content) in files {
        for part in [path.as_bytes(), content] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
    }
    hex::encode(hash.finalize())
}

/// Whether a copy has the files, each with its size: nobody but a server writes there.
fn is_whole(folder: &Path, files: &[(String, Vec<u8>)]) -> bool {
    let Ok(held) = linepress_files::list(folder, TEMPLATES) else {
        return false;
    };
    let held = held.iter().map(|entry| (entry.path.as_str(), entry.bytes));
    held.eq(files
        .iter()
        .map(|(path, content)| (path.as_str(), content.len() as u64)))
}

fn write(folder: &Path, files: &[(String, Vec<u8>)]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    for (path, content) in files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        fs::write(path, content)?;
    }
    Ok(())
}

/// Removes copies that nobody uses, and that nobody has asked for in a month, and what a server that was killed had begun. What
/// cannot be removed stays.
fn prune(within: &Path, now: SystemTime) {
    for entry in fs::read_dir(within).into_iter().flatten().flatten() {
        let path = entry.path();
        let is_old = |path: &Path| {
            let modified = fs::metadata(path).and_then(|metadata| metadata.modified());
            modified.is_ok_and(|modified| now.duration_since(modified).unwrap_or_default() > KEPT_FOR)
        };
        if entry.file_name().to_string_lossy().starts_with(UNFINISHED) && is_old(&path) {
            let _ = fs::remove_dir_all(&path);
            continue;
        }
        if path.extension().is_none_or(|kind| kind != LOCK) || !is_old(&path) {
            continue;
        }
        let Ok(lock) = File::open(&path) else { continue };
        if lock.try_lock().is_ok() && fs::remove_dir_all(path.with_extension("")).is_ok() {
            let _ = fs::remove_file(&path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_copy_stays_as_it_was_while_the_folder_changes() {
        let (folder, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let file = folder.path().join("parts/a.typ");
        fs::create_dir(folder.path().join("parts")).unwrap();
        fs::write(&file, "one").unwrap();
        let first = TemplateCopy::of(folder.path(), cache.path()).unwrap();
        fs::write(&file, "two").unwrap();
        let second = TemplateCopy::of(folder.path(), cache.path()).unwrap();
        let read = |kept: &TemplateCopy| fs::read_to_string(kept.folder().join("parts/a.typ")).unwrap();
        assert_eq!((read(&first), read(&second)), ("one".into(), "two".into()));
        // One copy of each, whoever asks.
        fs::write(&file, "one").unwrap();
        assert_eq!(
            TemplateCopy::of(folder.path(), cache.path()).unwrap().folder(),
            first.folder()
        );
        assert_eq!(names(&cache.path().join(FOLDER)).len(), 4);
    }

    #[test]
    fn a_damaged_copy_is_made_again() {
        let (folder, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(folder.path().join("a.typ"), "one").unwrap();
        let kept = TemplateCopy::of(folder.path(), cache.path()).unwrap();
        fs::remove_file(kept.folder().join("a.typ")).unwrap();
        let again = TemplateCopy::of(folder.path(), cache.path()).unwrap();
        assert_eq!(fs::read_to_string(again.folder().join("a.typ")).unwrap(), "one");
    }

    #[test]
    fn what_nobody_uses_is_removed_after_a_month() {
        let (folder, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let keep = |text: &str| {
            fs::write(folder.path().join("a.typ"), text).unwrap();
            TemplateCopy::of(folder.path(), cache.path()).unwrap()
        };
        let (used, unused) = (keep("used"), keep("unused"));
        let month = KEPT_FOR + Duration::from_secs(3600);
        for kept in [&used, &unused] {
            let lock = File::open(kept.folder().with_extension(LOCK)).unwrap();
            let then = lock.metadata().unwrap().modified().unwrap() - month;
            lock.set_modified(then).unwrap();
        }
        let unfinished = cache.path().join(FOLDER).join(".new-1234");
        fs::create_dir(&unfinished).unwrap();
        let then = fs::metadata(&unfinished).unwrap().modified().unwrap() - month;
        File::open(&unfinished).unwrap().set_modified(then).unwrap();
        let gone = unused.folder().to_owned();
        drop(unused);
        drop(keep("new"));
        assert!(used.folder().is_dir());
        assert!(!gone.exists() && !gone.with_extension(LOCK).exists());
        assert!(!unfinished.exists());
    }
}

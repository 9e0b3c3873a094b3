//! Copies of a layout's templates, made when the layout is loaded.
//!
//! A designer may edit the files of a loaded layout. Books are printed from a copy, so that no book is printed from a
//! partial change, and so that the previous templates remain in use when changed ones fail their trial.
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use linepress_files::{Entry, TEMPLATES};
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

/// Folder of the copies inside the cache directory.
const FOLDER: &str = "templates";
/// Extension of a copy's lock file.
const LOCK: &str = "lock";
/// Prefix of the names of unfinished copies.
const UNFINISHED_PREFIX: &str = ".new-";

/// Time after which an unused copy is removed. It is not removed at once, because other servers may share the folder
/// and a designer may return to the previous version.
const UNUSED_RETENTION: Duration = Duration::from_secs(30 * 24 * 3600);

/// A copy of the templates that is not removed while this value exists.
pub(crate) struct TemplateCopy {
    folder: PathBuf,
    /// A lock file with a shared lock. A process that gets the exclusive lock may remove the copy. Its content is the
    /// state of the templates when they were last copied or found to be the same.
    _lock: File,
}

impl TemplateCopy {
    /// Copies the templates, unless a copy with the same files exists. An error says what is wrong with the templates
    /// or the cache.
    pub(crate) fn create(templates: &Path, cache: &Path) -> Result<Self, String> {
        let within = cache.join(FOLDER);
        Self::obtain(templates, &within, Work::begin(&within))
    }

    /// An existing copy needs no `work`, which cannot be made on a full disk.
    fn obtain(templates: &Path, within: &Path, work: io::Result<Work>) -> Result<Self, String> {
        let refused = |error| format!("its templates are refused: {error}");
        let now = work.as_ref().ok().map(|work| work.now);
        // Taken before the files are read, so that the state of a file that changes meanwhile is that of no copy.
        let listed = linepress_files::list(templates, TEMPLATES).map_err(refused)?;
        let copy = match Self::find(&listed, within, now) {
            Some(copy) => copy,
            None => {
                let files = linepress_files::read_all(templates, TEMPLATES).map_err(refused)?;
                let state = now.and_then(|now| linepress_files::settled_state(&listed, now));
                Self::find_or_write(&files, within, work, state.as_deref()).map_err(|error| {
                    let reason = reason(&error);
                    format!("its templates cannot be copied to {}: {reason}", within.display())
                })?
            }
        };
        if let Some(now) = now {
            prune(within, now);
        }
        Ok(copy)
    }

    /// Finds the copy of these templates by their state, without reading them: they include fonts of megabytes, which
    /// each start would read. A state was settled when it was recorded, so the present one need not be.
    fn find(listed: &[Entry], within: &Path, now: Option<SystemTime>) -> Option<Self> {
        let state = linepress_files::state(listed);
        for entry in fs::read_dir(within).ok()?.flatten() {
            let path = entry.path();
            // Another server may be removing the copies that this one skips.
            let is_lock = path.extension().is_some_and(|kind| kind == LOCK);
            if !is_lock || !fs::read(&path).is_ok_and(|recorded| recorded == state.as_bytes()) {
                continue;
            }
            let Ok(lock) = File::open(&path) else { continue };
            let folder = path.with_extension("");
            if lock.lock_shared().is_ok() && is_complete(&folder, &sizes_of(listed)) {
                note_use(&lock, now);
                return Some(Self { folder, _lock: lock });
            }
        }
        None
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Finds the copy of these files, or writes it. The state is recorded if it is settled.
    fn find_or_write(
        files: &[(String, Vec<u8>)],
        within: &Path,
        work: io::Result<Work>,
        state: Option<&str>,
    ) -> io::Result<Self> {
        let digest = digest(files);
        let folder = within.join(&digest);
        let sizes: Vec<_> = files
            .iter()
            .map(|(path, content)| (path.as_str(), content.len() as u64))
            .collect();
        let work = match work {
            // A lock file without a copy would never be removed.
            Err(error) if !is_complete(&folder, &sizes) => return Err(error),
            work => work,
        };
        let mut lock = File::options()
            .create(true)
            .append(true)
            .open(within.join(&digest).with_extension(LOCK))?;
        lock.lock_shared()?;
        note_use(&lock, work.as_ref().ok().map(|work| work.now));
        if !is_complete(&folder, &sizes) {
            let work = work?;
            let fresh = work.folder.path().join("fresh");
            write(&fresh, files)?;
            // Renaming fails if the folder contains a damaged copy, or one that another server has just made.
            if fs::rename(&fresh, &folder).is_err() && !is_complete(&folder, &sizes) {
                fs::rename(&folder, work.folder.path().join("damaged"))?;
                fs::rename(&fresh, &folder)?;
            }
        }
        if let Some(state) = state {
            // Without its state, as on a full disk, the next start reads the templates again.
            let _ = record(&mut lock, state);
        }
        Ok(Self { folder, _lock: lock })
    }
}

/// A folder for unfinished copies.
struct Work {
    folder: TempDir,
    /// The current time of the file system's clock, with which the age of copies is computed.
    now: SystemTime,
}

impl Work {
    fn begin(within: &Path) -> io::Result<Self> {
        fs::create_dir_all(within)?;
        let folder = tempfile::Builder::new().prefix(UNFINISHED_PREFIX).tempdir_in(within)?;
        let now = fs::metadata(folder.path())?.modified()?;
        Ok(Self { folder, now })
    }
}

/// The reason why a copy could not be written, and what to do.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::StorageFull => "the disk is full; free some space on it".into(),
        io::ErrorKind::QuotaExceeded => {
            "the disk quota of the server's user is used up; free some space or raise it".into()
        }
        _ => error.to_string(),
    }
}

/// Sets the time of the lock file as a sign that its copy is used. A failure, as on a full disk, only means that the
/// copy is removed earlier once it is no longer used.
fn note_use(lock: &File, now: Option<SystemTime>) {
    if let Some(now) = now {
        let _ = lock.set_modified(now);
    }
}

/// Writes the state of the templates to the lock file of their copy.
fn record(lock: &mut File, state: &str) -> io::Result<()> {
    lock.set_len(0)?;
    lock.write_all(state.as_bytes())
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

/// Returns true if a copy has all files with their sizes. The contents are not compared, because only servers write to
/// the folder.
fn is_complete(folder: &Path, files: &[(&str, u64)]) -> bool {
    linepress_files::list(folder, TEMPLATES).is_ok_and(|held| sizes_of(&held) == files)
}

/// The paths of files with their sizes.
fn sizes_of(files: &[Entry]) -> Vec<(&str, u64)> {
    let files = files.iter();
    files.map(|entry| (entry.path.as_str(), entry.bytes)).collect()
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

/// Removes copies that no process uses and that have not been requested for a month, and unfinished copies of servers
/// that were killed. Copies that cannot be removed are skipped.
fn prune(within: &Path, now: SystemTime) {
    for entry in fs::read_dir(within).into_iter().flatten().flatten() {
        let path = entry.path();
        let is_old = |path: &Path| {
            let modified = fs::metadata(path).and_then(|metadata| metadata.modified());
            modified.is_ok_and(|modified| now.duration_since(modified).unwrap_or_default() > UNUSED_RETENTION)
        };
        if entry.file_name().to_string_lossy().starts_with(UNFINISHED_PREFIX) && is_old(&path) {
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
    fn a_copy_does_not_change_with_the_folder() {
        let (folder, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let file = folder.path().join("parts/a.typ");
        fs::create_dir(folder.path().join("parts")).unwrap();
        fs::write(&file, "one").unwrap();
        let first = TemplateCopy::create(folder.path(), cache.path()).unwrap();
        fs::write(&file, "two").unwrap();
        let second = TemplateCopy::create(folder.path(), cache.path()).unwrap();
        let read = |copy: &TemplateCopy| fs::read_to_string(copy.folder().join("parts/a.typ")).unwrap();
        assert_eq!((read(&first), read(&second)), ("one".into(), "two".into()));
        // A second request for the same files gets the same copy.
        fs::write(&file, "one").unwrap();
        assert_eq!(
            TemplateCopy::create(folder.path(), cache.path()).unwrap().folder(),
            first.folder()
        );
        assert_eq!(names(&cache.path().join(FOLDER)).len(), 4);
    }

    #[test]
    fn the_copy_of_unchanged_templates_is_found_without_reading_them() {
        let (folder, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let within = cache.path().join(FOLDER);
        let listed = || linepress_files::list(folder.path(), TEMPLATES).unwrap();
        let work = Work::begin(&within).unwrap();
        let now = Some(work.now);
        let later = work.now + Duration::from_secs(10);
        fs::write(folder.path().join("a.typ"), "one").unwrap();
        let (first, files) = (listed(), [("a.typ".to_owned(), b"one".to_vec())]);
        let state = linepress_files::settled_state(&first, later).unwrap();
        let copy = TemplateCopy::find_or_write(&files, &within, Ok(work), Some(&state)).unwrap();
        let found = TemplateCopy::find(&first, &within, now).unwrap();
        assert_eq!(found.folder(), copy.folder());
        // Another file of the same size.
        fs::write(folder.path().join("new"), "two").unwrap();
        fs::rename(folder.path().join("new"), folder.path().join("a.typ")).unwrap();
        let changed = listed();
        assert!(TemplateCopy::find(&changed, &within, now).is_none());
        fs::remove_file(copy.folder().join("a.typ")).unwrap();
        assert!(TemplateCopy::find(&first, &within, now).is_none(), "it is damaged");
    }

    #[test]
    fn an_existing_copy_needs_no_space_on_the_disk() {
        let (folder, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let within = cache.path().join(FOLDER);
        let full = || Err(io::ErrorKind::StorageFull.into());
        fs::write(folder.path().join("a.typ"), "one").unwrap();
        let advice = "the disk is full; free some space on it";
        let error = TemplateCopy::obtain(folder.path(), &within, full()).err().unwrap();
        assert!(error.contains(advice), "{error}");
        let copy = TemplateCopy::create(folder.path(), cache.path()).unwrap();
        let before = names(&within);
        // Found by its files, because their state was not settled when it was written, and then by their state.
        let listed = linepress_files::list(folder.path(), TEMPLATES).unwrap();
        for state in [String::new(), linepress_files::state(&listed)] {
            fs::write(copy.folder().with_extension(LOCK), state).unwrap();
            let found = TemplateCopy::obtain(folder.path(), &within, full()).unwrap();
            assert_eq!(found.folder(), copy.folder());
        }
        // Another copy cannot be written, and leaves nothing behind.
        fs::write(folder.path().join("a.typ"), "two").unwrap();
        let error = TemplateCopy::obtain(folder.path(), &within, full()).err().unwrap();
        assert!(error.contains(advice), "{error}");
        assert_eq!(names(&within), before);
    }

    #[test]
    fn a_damaged_copy_is_made_again() {
        let (folder, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(folder.path().join("a.typ"), "one").unwrap();
        let copy = TemplateCopy::create(folder.path(), cache.path()).unwrap();
        fs::remove_file(copy.folder().join("a.typ")).unwrap();
        let again = TemplateCopy::create(folder.path(), cache.path()).unwrap();
        assert_eq!(fs::read_to_string(again.folder().join("a.typ")).unwrap(), "one");
    }

    #[test]
    fn an_unused_copy_is_removed_after_a_month() {
        let (folder, cache) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let copy = |text: &str| {
            fs::write(folder.path().join("a.typ"), text).unwrap();
            TemplateCopy::create(folder.path(), cache.path()).unwrap()
        };
        let (used, unused) = (copy("used"), copy("unused"));
        let month = UNUSED_RETENTION + Duration::from_secs(3600);
        for copy in [&used, &unused] {
            let lock = File::open(copy.folder().with_extension(LOCK)).unwrap();
            let then = lock.metadata().unwrap().modified().unwrap() - month;
            lock.set_modified(then).unwrap();
        }
        let unfinished = cache.path().join(FOLDER).join(".new-1234");
        fs::create_dir(&unfinished).unwrap();
        let then = fs::metadata(&unfinished).unwrap().modified().unwrap() - month;
        File::open(&unfinished).unwrap().set_modified(then).unwrap();
        let gone = unused.folder().to_owned();
        drop(unused);
        drop(copy("new"));
        assert!(used.folder().is_dir());
        assert!(!gone.exists() && !gone.with_extension(LOCK).exists());
        assert!(!unfinished.exists());
    }
}

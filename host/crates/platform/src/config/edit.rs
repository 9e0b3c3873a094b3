//! Changes to the settings file that preserve the rest of it as the operator wrote it.
use std::fs::{File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use linepress_files::lock_within;
use toml_edit::DocumentMut;

use super::{Config, ConfigError};

/// The reason why the settings file was not changed.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    #[error("the settings were not read from a file")]
    NoFile,
    #[error("the settings file {} cannot be {what}", path.display())]
    File {
        path: PathBuf,
        what: &'static str,
        source: io::Error,
    },
    #[error("the settings file {} is not valid TOML, line {line}", path.display())]
    Toml { path: PathBuf, line: usize },
    #[error("the settings file was not changed, because the result would be invalid")]
    Wrong(#[from] ConfigError),
}

/// The maximum time for which a change waits for another one.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// The settings file, locked against other changes by this program: two changes at a time would lose one of them.
#[derive(Debug)]
pub struct LockedFile {
    path: PathBuf,
    /// The folder of the file. It has the lock, because each change replaces the file itself.
    folder: File,
}

/// A change of the settings file, which remains locked.
#[derive(Debug)]
pub struct Edited {
    file: LockedFile,
    /// The text before the change; `None` if there was no file.
    before: Option<String>,
    is_written: bool,
}

impl Config {
    /// Locks the settings file for a change. Waits for another change.
    pub fn lock_file(&self) -> Result<LockedFile, EditError> {
        LockedFile::lock(self.file.as_deref().ok_or(EditError::NoFile)?)
    }
}

impl LockedFile {
    fn lock(file: &Path) -> Result<Self, EditError> {
        // Links are followed, because the file itself is replaced.
        let path = file.canonicalize().unwrap_or_else(|_| file.to_owned());
        match lock_folder(folder_of(&path)) {
            Ok(folder) => Ok(Self { path, folder }),
            Err(source) => Err(EditError::File {
                path,
                what: "locked",
                source,
            }),
        }
    }

    /// Changes the settings file, or creates it. The result is validated first and then replaces the old file
    /// atomically.
    pub(super) fn edit(self, change: impl FnOnce(&mut DocumentMut)) -> Result<Edited, EditError> {
        let before = match std::fs::read_to_string(&self.path) {
            Ok(text) => Some(text),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(self.failed("read", error)),
        };
        let text = before.as_deref().unwrap_or_default();
        let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| EditError::Toml {
            path: self.path.clone(),
            line: line_of(text, error.span()),
        })?;
        change(&mut document);
        let changed = document.to_string();
        Config::read(&self.path, &changed, std::env::vars())?;
        let is_written = changed != text;
        if is_written {
            self.replace(&changed).map_err(|error| self.failed("written", error))?;
        }
        Ok(Edited {
            file: self,
            before,
            is_written,
        })
    }

    fn replace(&self, text: &str) -> io::Result<()> {
        let mut file = tempfile::NamedTempFile::new_in(folder_of(&self.path))?;
        file.write_all(text.as_bytes())?;
        if let Ok(old) = std::fs::metadata(&self.path) {
            file.as_file().set_permissions(old.permissions())?;
            keep_owner(file.path(), &old)?;
        }
        file.as_file().sync_all()?;
        file.persist(&self.path)?;
        // Without this, a power failure could bring the old file back. The file is already replaced, so a failure is no
        // error of the change.
        if let Err(error) = self.folder.sync_all() {
            tracing::warn!(%error, file = %self.path.display(), "folder of the settings file not synced");
        }
        Ok(())
    }

    fn failed(&self, what: &'static str, source: io::Error) -> EditError {
        EditError::File {
            path: self.path.clone(),
            what,
            source,
        }
    }
}

impl Edited {
    /// Restores the text from before the change.
    pub fn undo(self) -> Result<(), EditError> {
        if !self.is_written {
            return Ok(());
        }
        let undone = match &self.before {
            Some(text) => self.file.replace(text),
            None => std::fs::remove_file(&self.file.path),
        };
        undone.map_err(|error| self.file.failed("restored", error))
    }
}

fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// Locks a folder until the returned file is dropped.
fn lock_folder(folder: &Path) -> io::Result<File> {
    let folder = File::open(folder)?;
    match lock_within(&folder, LOCK_TIMEOUT) {
        Ok(()) => Ok(folder),
        Err(TryLockError::WouldBlock) => {
            let problem = "another process has locked its folder";
            Err(io::Error::new(io::ErrorKind::TimedOut, problem))
        }
        // Network file systems may be unable to lock a folder. The file can be changed there all the same.
        Err(TryLockError::Error(error)) => {
            tracing::debug!(%error, "folder of the settings file not locked");
            Ok(folder)
        }
    }
}

fn line_of(text: &str, span: Option<std::ops::Range<usize>>) -> usize {
    let before = text.get(..span.map_or(0, |span| span.start)).unwrap_or_default();
    before.matches('\n').count() + 1
}

/// Restores the owner of the file: an administrator may edit the settings of a server that runs as another user, who
/// must still be able to read them.
#[cfg(unix)]
fn keep_owner(path: &Path, old: &std::fs::Metadata) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt as _, chown};
    let new = std::fs::metadata(path)?;
    if (new.uid(), new.gid()) == (old.uid(), old.gid()) {
        return Ok(());
    }
    chown(path, Some(old.uid()), Some(old.gid()))
}

#[cfg(not(unix))]
fn keep_owner(_: &Path, _: &std::fs::Metadata) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edited(text: &str, change: impl FnOnce(&mut DocumentMut)) -> (Result<Edited, EditError>, String) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("linepress.toml");
        std::fs::write(&path, text).expect("a file");
        let outcome = LockedFile::lock(&path).and_then(|file| file.edit(change));
        assert_eq!(std::fs::read_dir(folder.path()).expect("a folder").count(), 1);
        (outcome, std::fs::read_to_string(&path).expect("a file"))
    }

    #[test]
    fn comments_and_formatting_are_preserved() {
        let text = "# ours\nbrand = \"A\" # short\n\n[limits] # few\npages = 5\n";
        let (outcome, edited) = edited(text, |document| document["workers"] = toml_edit::value(2));
        assert!(outcome.is_ok());
        assert_eq!(edited, text.replace("\n\n[limits]", "\nworkers = 2\n\n[limits]"));
    }

    #[test]
    fn an_invalid_result_is_not_written() {
        let (outcome, edited) = edited("brand = \"A\"\n", |document| document["brnd"] = toml_edit::value(2));
        assert!(matches!(outcome, Err(EditError::Wrong(_))));
        assert_eq!(edited, "brand = \"A\"\n");
    }

    #[test]
    fn an_error_names_the_line_that_is_not_valid_toml() {
        let (outcome, _) = edited("brand = \"A\"\nworkers = = 1\n", |_| {});
        assert!(matches!(outcome, Err(EditError::Toml { line: 2, .. })), "{outcome:?}");
    }

    #[test]
    fn simultaneous_changes_are_all_made() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("linepress.toml");
        std::thread::scope(|scope| {
            for writer in 0..8_i64 {
                let path = &path;
                scope.spawn(move || {
                    let file = LockedFile::lock(path).expect("a lock");
                    let name = format!("plugin-{writer}");
                    let edited = file.edit(|document| {
                        let plugins = document.entry("plugins").or_insert_with(toml_edit::table);
                        plugins[&name]["writer"] = toml_edit::value(writer);
                    });
                    edited.expect("a change");
                });
            }
        });
        let text = std::fs::read_to_string(&path).expect("a file");
        assert_eq!(text.matches("writer = ").count(), 8, "{text}");
    }

    #[test]
    fn a_change_can_be_undone() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("linepress.toml");
        let change = || {
            let file = LockedFile::lock(&path).expect("a lock");
            let edited = file.edit(|document| document["workers"] = toml_edit::value(2));
            edited.expect("a change")
        };
        let edited = change();
        assert!(path.exists());
        edited.undo().expect("the change is undone");
        assert!(!path.exists());
        let text = "# ours\nbrand = \"A\"\n";
        std::fs::write(&path, text).expect("a file");
        change().undo().expect("the change is undone");
        assert_eq!(std::fs::read_to_string(&path).expect("a file"), text);
    }
}

//! A folder with everything below it, within limits.
use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::error::{FileError, Kind};
use crate::file::{read, unreadable};

/// The limits on the contents of a folder.
#[derive(Clone, Copy, Debug)]
pub struct FolderLimits {
    /// Maximum number of files and folders together.
    pub entries: usize,
    /// Maximum size of all files together.
    pub bytes: u64,
    /// Maximum depth of nested folders.
    pub depth: usize,
}

/// The limits of a layout's template folder.
pub const TEMPLATES: FolderLimits = FolderLimits {
    entries: 1000,
    bytes: 64 << 20,
    depth: 16,
};

/// The prefix of the lock links that Emacs creates.
const EMACS_LOCK_PREFIX: &str = ".#";

/// A file below a folder, with the metadata that changes when its content does.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// Relative to the folder, with forward slashes.
    pub path: String,
    pub bytes: u64,
    /// Time of the last change of the content, and of the last change of content or metadata, both in seconds and
    /// nanoseconds.
    modified: (i64, i64),
    changed: (i64, i64),
    inode: u64,
}

/// Lists every file below the folder, sorted by path, without reading any.
///
/// Symbolic links are an error, because they could lead out of the folder. The lock links that Emacs creates next to a
/// file that is being edited are ignored; their targets do not exist.
pub fn list(folder: &Path, limits: FolderLimits) -> Result<Vec<Entry>, FileError> {
    let mut listing = Listing {
        folder,
        limits,
        entries: 0,
        bytes: 0,
        files: Vec::new(),
    };
    listing.collect(folder, "", 0)?;
    listing.files.sort();
    Ok(listing.files)
}

/// The metadata of the files as a text, which differs as soon as one of them has changed.
pub fn state(files: &[Entry]) -> String {
    let mut state = String::new();
    for entry in files {
        let _ = writeln!(state, "{entry:?}");
    }
    state
}

/// The state of the files, to be compared with later ones. `None` if one was changed so shortly before `now` that its
/// next change may get the same time.
pub fn settled_state(files: &[Entry], now: SystemTime) -> Option<String> {
    /// The times of some file systems have a resolution of two seconds.
    const SETTLED_AFTER_SECONDS: i64 = 3;
    let now = now.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    let now = i64::try_from(now.as_secs()).ok()?;
    let is_settled = |entry: &Entry| now - entry.changed.0 >= SETTLED_AFTER_SECONDS;
    files.iter().all(is_settled).then(|| state(files))
}

/// Reads every file below the folder with its content, sorted by path.
pub fn read_all(folder: &Path, limits: FolderLimits) -> Result<Vec<(String, Vec<u8>)>, FileError> {
    let mut remaining = limits.bytes;
    let mut files = Vec::new();
    for Entry { path, .. } in list(folder, limits)? {
        let bytes = read(&folder.join(&path), remaining)?;
        remaining -= bytes.len() as u64;
        files.push((path, bytes));
    }
    Ok(files)
}

struct Listing<'a> {
    folder: &'a Path,
    limits: FolderLimits,
    entries: usize,
    bytes: u64,
    files: Vec<Entry>,
}

impl Listing<'_> {
    fn collect(&mut self, folder: &Path, prefix: &str, depth: usize) -> Result<(), FileError> {
        let FolderLimits {
            entries,
            bytes,
            depth: deepest,
        } = self.limits;
        let own = || self.folder.to_owned();
        if depth > deepest {
            let path = folder.to_owned();
            return Err(FileError::TooDeep { path, limit: deepest });
        }
        for entry in fs::read_dir(folder).map_err(unreadable(folder))? {
            let entry = entry.map_err(unreadable(folder))?;
            self.entries += 1;
            if self.entries > entries {
                return Err(FileError::TooMany {
                    path: own(),
                    limit: entries,
                });
            }
            let place: PathBuf = entry.path();
            let Ok(name) = entry.file_name().into_string() else {
                return Err(FileError::Unnamed { path: place });
            };
            let path = format!("{prefix}{name}");
            // Metadata of the entry itself; a symbolic link is not followed.
            let metadata = entry.metadata().map_err(unreadable(&place))?;
            match Kind::from_type(metadata.file_type()) {
                None => {}
                Some(Kind::Folder) => {
                    self.collect(&place, &format!("{path}/"), depth + 1)?;
                    continue;
                }
                Some(Kind::Link) if name.starts_with(EMACS_LOCK_PREFIX) => continue,
                Some(kind) => return Err(FileError::Irregular { path: place, kind }),
            }
            self.bytes = self.bytes.saturating_add(metadata.len());
            if metadata.len() > bytes {
                return Err(FileError::TooLarge {
                    path: place,
                    bytes: metadata.len(),
                    limit: bytes,
                });
            }
            if self.bytes > bytes {
                return Err(FileError::TooLargeTogether {
                    path: own(),
                    limit: bytes,
                });
            }
            self.files.push(Entry {
                path,
                bytes: metadata.len(),
                modified: (metadata.mtime(), metadata.mtime_nsec()),
                changed: (metadata.ctime(), metadata.ctime_nsec()),
                inode: metadata.ino(),
            });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    const SMALL: FolderLimits = FolderLimits {
        entries: 4,
        bytes: 10,
        depth: 1,
    };

    fn folder(files: &[(&str, usize)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (path, size) in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "x".repeat(*size)).unwrap();
        }
        folder
    }

    fn refusal(files: &[(&str, usize)]) -> String {
        read_all(folder(files).path(), SMALL).unwrap_err().to_string()
    }

    #[test]
    fn files_come_in_the_order_of_their_paths() {
        let folder = folder(&[("b", 1), ("a/c", 2), ("a/b", 3)]);
        let files = read_all(folder.path(), SMALL).unwrap();
        let found: Vec<_> = files.iter().map(|(path, bytes)| (path.as_str(), bytes.len())).collect();
        assert_eq!(found, [("a/b", 3), ("a/c", 2), ("b", 1)]);
    }

    #[test]
    fn an_exceeded_limit_is_named_in_the_error() {
        let many = refusal(&[("a", 1), ("b", 1), ("c", 1), ("d", 1), ("e", 1)]);
        assert!(many.contains("more than 4 files and folders"), "{many}");
        let large = refusal(&[("a", 11)]);
        assert!(large.contains("a has 11 bytes, and at most 10 are read"), "{large}");
        let together = refusal(&[("a", 6), ("b", 6)]);
        assert!(together.contains("more than 10 bytes"), "{together}");
        let deep = refusal(&[("a/b/c", 1)]);
        assert!(deep.contains("more than 1 folders deep"), "{deep}");
    }

    #[test]
    fn links_and_pipes_are_rejected() {
        let folder = folder(&[]);
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("/etc/passwd", &link).unwrap();
        let error = list(folder.path(), SMALL).unwrap_err().to_string();
        assert!(error.contains("link is a symbolic link"), "{error}");
        fs::remove_file(&link).unwrap();
        crate::testing::pipe_in(folder.path());
        let error = list(folder.path(), SMALL).unwrap_err().to_string();
        assert!(error.contains("pipe is a pipe"), "{error}");
    }

    #[test]
    fn emacs_lock_links_are_ignored() {
        let folder = folder(&[("a", 1)]);
        std::os::unix::fs::symlink("ada@desk.1234:1795262400", folder.path().join(".#a")).unwrap();
        let files = list(folder.path(), SMALL).unwrap();
        assert_eq!(files.iter().map(|file| &file.path).collect::<Vec<_>>(), ["a"]);
    }

    #[test]
    fn the_state_of_files_is_settled_after_a_few_seconds_and_changes_with_them() {
        let folder = folder(&[("a", 3)]);
        let written = list(folder.path(), SMALL).unwrap();
        let now = fs::metadata(folder.path()).unwrap().modified().unwrap();
        assert_eq!(settled_state(&written, now), None);
        let later = now + Duration::from_secs(10);
        let state = settled_state(&written, later);
        assert!(state.is_some());
        fs::write(folder.path().join("b"), "x").unwrap();
        assert_ne!(settled_state(&list(folder.path(), SMALL).unwrap(), later), state);
    }

    #[test]
    fn an_entry_changes_when_its_file_does() {
        let folder = folder(&[("a", 3)]);
        let before = list(folder.path(), SMALL).unwrap();
        assert_eq!(before, list(folder.path(), SMALL).unwrap());
        let path = folder.path().join("a");
        let modified = fs::metadata(&path).unwrap().modified().unwrap();
        // A different file of the same size and the same modification time.
        fs::write(folder.path().join("new"), "abc").unwrap();
        fs::rename(folder.path().join("new"), &path).unwrap();
        fs::File::open(&path).unwrap().set_modified(modified).unwrap();
        assert_ne!(before, list(folder.path(), SMALL).unwrap());
    }
}

//! Fingerprints of plugin folders, which show that files have changed without reading them.
use std::collections::BTreeMap;
use std::fs::Metadata;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::error::LoadError;

/// Maximum number of plugin folders. A directory with more is probably the wrong one.
const MAX_FOLDERS: usize = 256;

/// Maximum number of files of one folder that are examined, which is more than a plugin may have.
const MAX_FILES: usize = 2000;
const MAX_DEPTH: usize = 20;

/// A hash of the sizes, times and inodes of all files of a folder. The change time of an inode (ctime) is updated with
/// its content, permissions and links, even by a copy that preserves the modification time. Other builds of the program
/// may compute another hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub struct Fingerprint(u64);

/// Plugin folders with their fingerprints.
pub(crate) type Folders = BTreeMap<PathBuf, Fingerprint>;

/// Takes the fingerprint of every plugin folder in the directory. The result is sorted by path, so that the same
/// folders are loaded in the same order on every machine.
pub(crate) fn folders(directory: &Path) -> Result<Folders, LoadError> {
    let unreadable = |source| LoadError::Folder {
        path: directory.to_owned(),
        source,
    };
    let paths = plugin_folders(directory).map_err(unreadable)?;
    if paths.len() > MAX_FOLDERS {
        return Err(LoadError::TooManyFolders {
            path: directory.to_owned(),
            max: MAX_FOLDERS,
        });
    }
    Ok(paths.into_iter().map(|path| (path.clone(), of_path(&path))).collect())
}

/// Takes the fingerprints of the folders in the plugin directory and of those in `bundled`.
pub(crate) fn all_folders(directory: &Path, bundled: Option<&Path>) -> Result<Folders, LoadError> {
    let mut all = folders(directory)?;
    if let Some(bundled) = bundled {
        all.append(&mut folders(bundled)?);
    }
    Ok(all)
}

/// Lists the plugin folders, at most `MAX_FOLDERS` + 1.
fn plugin_folders(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut folders = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        if folders.len() > MAX_FOLDERS {
            break;
        }
        let entry = entry?;
        let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        // `is_dir` follows symbolic links: an operator may store plugins in another place.
        if !hidden && entry.path().is_dir() {
            folders.push(entry.path());
        }
    }
    Ok(folders)
}

/// Takes the fingerprint of a file, or of a folder with its contents. A missing path has a fingerprint as well.
pub(crate) fn of_path(path: &Path) -> Fingerprint {
    let mut hasher = DefaultHasher::new();
    let mut files = Vec::new();
    collect(path, 0, &mut files);
    files.sort();
    files.hash(&mut hasher);
    Fingerprint(hasher.finish())
}

/// A path and the metadata that changes with the file.
type FileState = (PathBuf, [u64; 6]);

fn collect(path: &Path, depth: usize, files: &mut Vec<FileState>) {
    // Symbolic links are followed, because loading follows them too. For a dangling link the link itself counts.
    let metadata = path.metadata().or_else(|_| path.symlink_metadata());
    let Ok(metadata) = metadata else { return };
    files.push((path.to_owned(), traits(&metadata)));
    if !metadata.is_dir() || depth == MAX_DEPTH {
        return;
    }
    for entry in std::fs::read_dir(path).into_iter().flatten().flatten() {
        if files.len() > MAX_FILES {
            return;
        }
        collect(&entry.path(), depth + 1, files);
    }
}

fn traits(metadata: &Metadata) -> [u64; 6] {
    // The times of a folder are ignored, because reading it may change them.
    if metadata.is_dir() {
        return [metadata.ino(), metadata.mode().into(), 0, 0, 0, 0];
    }
    [
        metadata.ino(),
        metadata.size(),
        metadata.mtime().unsigned_abs(),
        metadata.mtime_nsec().unsigned_abs(),
        metadata.ctime().unsigned_abs(),
        metadata.ctime_nsec().unsigned_abs(),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_changes_only_with_the_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        std::fs::create_dir(path.join("templates")).unwrap();
        let mut seen = vec![of_path(path)];
        for (name, content) in [("plugin.toml", "a"), ("templates/a.typ", "a"), ("templates/a.typ", "b")] {
            std::fs::write(path.join(name), content).unwrap();
            assert!(!seen.contains(&of_path(path)), "{name}");
            assert_eq!(of_path(path), of_path(path));
            seen.push(of_path(path));
        }
        std::fs::remove_file(path.join("plugin.toml")).unwrap();
        assert!(!seen.contains(&of_path(path)));
        assert_ne!(of_path(path), of_path(&path.join("nowhere")));
    }

    #[test]
    fn a_circular_link_is_followed_to_a_limited_depth() {
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(folder.path(), folder.path().join("again")).unwrap();
        std::os::unix::fs::symlink("/nowhere", folder.path().join("dangling")).unwrap();
        assert_eq!(of_path(folder.path()), of_path(folder.path()));
    }
}

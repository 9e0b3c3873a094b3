//! Whether the files of a plugin are still the ones that were read, without reading them.
use std::collections::BTreeMap;
use std::fs::Metadata;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use crate::error::LoadError;

/// How many folders are read. Whoever has more named the wrong folder.
const MAX_FOLDERS: usize = 256;

/// How much of one folder is looked at: more than any plugin may have.
const MAX_FILES: usize = 2000;
const MAX_DEPTH: usize = 20;

/// Sizes, times and inodes of all files of a folder. The time of an inode changes with its content, its rights and its
/// links, whatever a copy says of the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fingerprint(u64);

/// The folders that hold plugins, each as it was when it was looked at.
pub(crate) type Folders = BTreeMap<PathBuf, Fingerprint>;

/// Looks at every folder of the directory. In the order of their names, so that the same folders give the same plugins
/// everywhere.
pub(crate) fn folders(directory: &Path) -> Result<Folders, LoadError> {
    let unreadable = |source| LoadError::Folder {
        path: directory.to_owned(),
        source,
    };
    let paths = plugin_folders(directory).map_err(unreadable)?;
    if paths.len() > MAX_FOLDERS {
        return Err(LoadError::TooManyFolders {
            path: directory.to_owned(),
            most: MAX_FOLDERS,
        });
    }
    Ok(paths.into_iter().map(|path| (path.clone(), of(&path))).collect())
}

/// At most one more than are read.
fn plugin_folders(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let mut folders = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        if folders.len() > MAX_FOLDERS {
            break;
        }
        let entry = entry?;
        let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        // Through links: an operator may keep plugins elsewhere.
        if !hidden && entry.path().is_dir() {
            folders.push(entry.path());
        }
    }
    Ok(folders)
}

/// The fingerprint of a file, or of a folder with all that is in it; also of one that is not there.
pub(crate) fn of(path: &Path) -> Fingerprint {
    let mut hasher = DefaultHasher::new();
    let mut files = Vec::new();
    collect(path, 0, &mut files);
    files.sort();
    files.hash(&mut hasher);
    Fingerprint(hasher.finish())
}

/// What tells one state of a file from another.
type Traits = (PathBuf, [u64; 6]);

fn collect(path: &Path, depth: usize, files: &mut Vec<Traits>) {
    // Through links: what they lead to is read. One that leads nowhere is a file that has yet to come.
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
    // Of a folder nothing else counts: reading it may change a time.
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
    fn a_fingerprint_changes_with_any_file_and_with_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path();
        std::fs::create_dir(path.join("templates")).unwrap();
        let mut seen = vec![of(path)];
        for (name, content) in [("plugin.toml", "a"), ("templates/a.typ", "a"), ("templates/a.typ", "b")] {
            std::fs::write(path.join(name), content).unwrap();
            assert!(!seen.contains(&of(path)), "{name}");
            assert_eq!(of(path), of(path));
            seen.push(of(path));
        }
        std::fs::remove_file(path.join("plugin.toml")).unwrap();
        assert!(!seen.contains(&of(path)));
        assert_ne!(of(path), of(&path.join("nowhere")));
    }

    #[test]
    fn a_link_in_a_circle_is_followed_only_so_far() {
        let folder = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(folder.path(), folder.path().join("again")).unwrap();
        std::os::unix::fs::symlink("/nowhere", folder.path().join("dangling")).unwrap();
        assert_eq!(of(folder.path()), of(folder.path()));
    }
}

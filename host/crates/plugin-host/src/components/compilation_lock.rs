//! A lock on the compilation of a component, which one process at a time holds: processes that share a cache share the
//! work.
use std::fs::{self, File, TryLockError};
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// Extension of the files that are locked. One that a killed process left is not locked.
const LOCK_EXTENSION: &str = "compiling";

/// Maximum number of files that are locked one after another to lock one component.
const MAX_LOCK_ATTEMPTS: usize = 100;

/// A lock that this process holds on the compilation of a component. It ends when this value is dropped, or with the
/// process.
pub(super) struct CompilationLock {
    path: PathBuf,
    _lock: File,
}

impl CompilationLock {
    /// Locks the component whose cache files have this path without an extension. `None` while another process has
    /// locked it.
    pub(super) fn try_new(stem: &Path) -> io::Result<Option<Self>> {
        let path = stem.with_extension(LOCK_EXTENSION);
        for _ in 0..MAX_LOCK_ATTEMPTS {
            let lock = File::options().create(true).truncate(false).write(true).open(&path)?;
            match lock.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(error),
            }
            // The process that had locked it may have removed the file meanwhile. Then this lock excludes no other.
            if is_at(&lock, &path) {
                return Ok(Some(Self { path, _lock: lock }));
            }
        }
        Err(io::Error::other("its file was replaced each time that it was locked"))
    }
}

/// Returns true if the path still leads to this file.
fn is_at(file: &File, path: &Path) -> bool {
    let inode = |metadata: io::Result<fs::Metadata>| metadata.ok().map(|metadata| metadata.ino());
    inode(fs::metadata(path)) == inode(file.metadata())
}

impl Drop for CompilationLock {
    fn drop(&mut self) {
        // It is still locked, so that it is usually not the file of another process. If `prune` has removed an old file
        // that was locked again, it may be: then a third process compiles the component once more than necessary.
        drop(fs::remove_file(&self.path));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_component_is_locked_once_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let stem = folder.path().join("component");
        let lock = |stem: &Path| CompilationLock::try_new(stem).unwrap();
        let first = lock(&stem);
        assert!(first.is_some());
        assert!(lock(&stem).is_none());
        assert!(lock(&folder.path().join("another")).is_some());
        drop(first);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        // As a killed process leaves it.
        fs::write(stem.with_extension(LOCK_EXTENSION), "").unwrap();
        assert!(lock(&stem).is_some());
        assert!(CompilationLock::try_new(&folder.path().join("nowhere/component")).is_err());
    }

    #[test]
    fn a_lock_of_a_removed_file_is_recognized() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("component");
        let file = File::create(&path).unwrap();
        assert!(is_at(&file, &path));
        fs::remove_file(&path).unwrap();
        assert!(!is_at(&file, &path));
        let _other = File::create(&path).unwrap();
        assert!(!is_at(&file, &path));
    }
}

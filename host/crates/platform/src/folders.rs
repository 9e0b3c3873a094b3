//! Folders that the server needs. An error names the folder at fault, which is often a parent of the requested folder.
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

/// The reason why a folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    #[error("{} is not a folder", .0.display())]
    NoFolder(PathBuf),
    #[error("the folder {} is not writable: {cause}", at.display())]
    Unwritable { at: PathBuf, cause: io::Error },
}

impl FolderError {
    /// The advice for the operator.
    pub fn advice(&self) -> String {
        match self {
            Self::NoFolder(at) => format!(
                "Move the file {} away: the server needs a folder with this name.",
                at.display()
            ),
            Self::Unwritable { at, .. } => format!(
                "Make {} writable for this user, and check that its disk has free space.",
                at.display()
            ),
        }
    }

    fn from_io(folder: &Path, cause: io::Error) -> Self {
        // The nearest ancestor that exists.
        let at = folder.ancestors().find(|folder| folder.exists()).unwrap_or(folder);
        // The parent of a path with one component is the empty path, which stands for the current folder.
        let at = std::path::absolute(at).unwrap_or_else(|_| PathBuf::from("."));
        if at.is_file() {
            Self::NoFolder(at)
        } else {
            Self::Unwritable { at, cause }
        }
    }
}

/// Creates a folder and its parents, unless they exist.
pub fn make(folder: &Path) -> Result<(), FolderError> {
    std::fs::create_dir_all(folder).map_err(|cause| FolderError::from_io(folder, cause))
}

/// Creates a folder that other users of the machine cannot read. An existing folder keeps its permissions.
pub fn make_private(folder: &Path) -> Result<(), FolderError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(|cause| FolderError::from_io(folder, cause))
}

/// The folder of Linepress in the user's cache folder. `None` if the environment names none. It may not exist.
pub fn of_user_cache() -> Option<PathBuf> {
    let absolute = |name| {
        let path = std::env::var_os(name).map(PathBuf::from);
        path.filter(|path| path.is_absolute())
    };
    let own = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")));
    Some(own?.join("linepress"))
}

/// Checks that a file can be written in a folder. The file has no name and is deleted at once.
pub fn check(folder: &Path) -> Result<(), FolderError> {
    use io::Write as _;
    let written = tempfile::tempfile_in(folder).and_then(|mut file| file.write_all(b"probe"));
    written.map_err(|cause| FolderError::from_io(folder, cause))
}

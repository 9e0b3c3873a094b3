//! Folders that the server needs. What cannot be made or written names the folder that is at fault, which is often one
//! above the one that is needed.
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

/// Why a folder is of no use.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    #[error("{} is no folder", .0.display())]
    NoFolder(PathBuf),
    #[error("in the folder {} nothing can be written: {cause}", at.display())]
    Unwritable { at: PathBuf, cause: io::Error },
}

impl FolderError {
    /// What an operator can do about it.
    pub fn advice(&self) -> String {
        match self {
            Self::NoFolder(at) => format!("Move {} away: a folder belongs there.", at.display()),
            Self::Unwritable { at, .. } => format!(
                "Make {} writable for this user, and see that its disk has room.",
                at.display()
            ),
        }
    }

    fn of(folder: &Path, cause: io::Error) -> Self {
        // The nearest one that is there.
        let at = folder.ancestors().find(|folder| folder.exists()).unwrap_or(folder);
        // A path of one name has the empty one above it: the current folder.
        let at = std::path::absolute(at).unwrap_or_else(|_| PathBuf::from("."));
        if at.is_file() {
            Self::NoFolder(at)
        } else {
            Self::Unwritable { at, cause }
        }
    }
}

/// Makes a folder, unless it is there.
pub fn make(folder: &Path) -> Result<(), FolderError> {
    std::fs::create_dir_all(folder).map_err(|cause| FolderError::of(folder, cause))
}

/// The same for one that no other user of the machine can look into. One that is there already stays as it is.
pub fn make_private(folder: &Path) -> Result<(), FolderError> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.map_err(|cause| FolderError::of(folder, cause))
}

/// Whether a file can be written in a folder. The file has no name, and is gone at once.
pub fn check(folder: &Path) -> Result<(), FolderError> {
    use io::Write as _;
    let written = tempfile::tempfile_in(folder).and_then(|mut file| file.write_all(b"probe"));
    written.map_err(|cause| FolderError::of(folder, cause))
}

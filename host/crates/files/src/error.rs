//! Errors of reading a file or a folder. Each names the path, and the limit where there is one.
use std::fmt;
use std::fs::FileType;
use std::os::unix::fs::FileTypeExt as _;
use std::path::PathBuf;

/// The reason why a file or a folder was not read.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    #[error("{} cannot be read: {source}", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("{} is {kind}: put a regular file in its place, or remove it", path.display())]
    Irregular { path: PathBuf, kind: Kind },
    #[error("{} is a link to outside of its folder: put the file itself in its place", path.display())]
    Outside { path: PathBuf },
    #[error("{} has {bytes} bytes, and at most {limit} are read: make it smaller", path.display())]
    TooLarge { path: PathBuf, bytes: u64, limit: u64 },
    #[error("the files in {} have more than {limit} bytes in total: remove files that are not needed", path.display())]
    TooLargeTogether { path: PathBuf, limit: u64 },
    #[error("{} holds more than {limit} files and folders: remove those that are not needed", path.display())]
    TooMany { path: PathBuf, limit: usize },
    #[error("{} is more than {limit} folders deep: move it up", path.display())]
    TooDeep { path: PathBuf, limit: usize },
    #[error("{} has a name that is not UTF-8: rename it", path.display())]
    Unnamed { path: PathBuf },
}

/// The kind of a file that is not a regular file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Folder,
    Link,
    Pipe,
    Socket,
    Device,
}

impl Kind {
    /// `None` for a regular file.
    pub(crate) fn from_type(kind: FileType) -> Option<Self> {
        match kind {
            _ if kind.is_file() => None,
            _ if kind.is_dir() => Some(Self::Folder),
            _ if kind.is_symlink() => Some(Self::Link),
            _ if kind.is_fifo() => Some(Self::Pipe),
            _ if kind.is_socket() => Some(Self::Socket),
            _ => Some(Self::Device),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Folder => "a folder",
            Self::Link => "a symbolic link",
            Self::Pipe => "a pipe",
            Self::Socket => "a socket",
            Self::Device => "a device",
        })
    }
}

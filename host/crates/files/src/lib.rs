//! Files that others wrote: read under limits, and only when they are regular files.
//!
//! A pipe blocks whoever opens it, a device never ends, and a sparse file has a size that no disk has. A plugin's folder may
//! hold all of them.

/// Why a file or a folder is not read.
mod error;
/// One file.
mod file;
/// A folder with all that is below it.
mod folder;
/// Files that no test can make with the standard library.
#[cfg(test)]
mod testing;

pub use error::{FileError, Kind};
pub use file::{read, read_inside};
pub use folder::{Entry, FolderLimits, TEMPLATES, list, read_all};

//! Files from untrusted sources, such as a plugin's folder: read within limits, and only if they are regular files.
//!
//! Opening a pipe blocks, reading a device never ends, and a sparse file can claim a size larger than any disk. A
//! plugin's folder may contain all of these.

/// Errors of reading a file or a folder.
mod error;
/// One file.
mod file;
/// A folder with everything below it.
mod folder;
/// Locks of files and folders.
mod lock;
/// Test files that the standard library cannot create.
#[cfg(test)]
mod testing;

pub use error::{FileError, Kind};
pub use file::{read, read_inside};
pub use folder::{Entry, FolderLimits, TEMPLATES, list, read_all, settled_state, state};
pub use lock::lock_within;

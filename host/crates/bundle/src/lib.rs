//! The plugins that the program contains, unpacked into a folder.
//!
//! `cargo xtask dist` packs the plugins into an archive, and the build script of this crate takes it into the program.
//! A program that was built without `LINEPRESS_BUNDLE` contains no plugins.

/// Folders named after the archive that they were unpacked from.
mod unpacked;

use std::io;
use std::path::{Path, PathBuf};

use self::unpacked::{place, remove_except, unpack_archive};

/// A tar archive with one folder per plugin, compressed with Brotli, or nothing.
static ARCHIVE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/plugins.tar.br"));

/// Unpacks the plugins of this program into a folder below `within`, and returns that folder, which contains one folder
/// per plugin. Returns `None` if the program contains no plugins.
///
/// The folder's name is the digest of its contents, and it appears only when it is complete: it is unpacked once, and
/// two processes may do so at the same time.
pub fn unpack(within: &Path) -> io::Result<Option<PathBuf>> {
    if ARCHIVE.is_empty() {
        return Ok(None);
    }
    unpack_archive(ARCHIVE, within).map(Some)
}

/// Returns the folder that [`unpack`] returns if it exists already.
pub fn find(within: &Path) -> Option<PathBuf> {
    let folder = place(ARCHIVE, within);
    folder.is_dir().then_some(folder)
}

/// Removes what other versions of the program unpacked below `within`. No other program may use that folder.
pub fn remove_others(within: &Path) -> io::Result<()> {
    remove_except(&place(ARCHIVE, within), within)
}

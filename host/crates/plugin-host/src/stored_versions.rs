//! The folders of the versions that were installed by name, relative to the plugins folder:
//! `.registry/plugins/ID/versions/VERSION`. The crate `registry` fills them, and a link in the plugins folder leads to
//! the active version of each plugin.
use std::collections::BTreeSet;
use std::fs::{DirEntry, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use linepress_files::lock_within;

/// The time for which a change waits for the lock of its plugin.
const LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// The hidden folder of all that the crate `registry` stores. A server does not scan it for plugins.
pub const STORE_FOLDER: &str = ".registry";

/// The folder with a folder for each plugin.
pub fn stored_plugins() -> PathBuf {
    Path::new(STORE_FOLDER).join("plugins")
}

/// The folder of one plugin.
pub fn stored_plugin(id: &str) -> PathBuf {
    stored_plugins().join(id)
}

/// The folder with a folder for each version of a plugin.
pub fn stored_versions(id: &str) -> PathBuf {
    stored_plugin(id).join("versions")
}

/// A change of a plugin that takes more than one step, such as that of its link and of its approval. It ends when this
/// value is dropped, or with the process.
pub struct ChangingPlugin {
    _lock: File,
}

impl ChangingPlugin {
    /// Begins a change of the plugin in this folder of the store. Until it ends, a [`Watch`](crate::Watch) does not
    /// report changes of this plugin's files: a server would otherwise load a version whose approval is not written
    /// yet, and refuse it.
    pub fn begin(folder: &Path) -> io::Result<Self> {
        let lock = File::open(folder)?;
        // Waits, because a watch locks the folder for a moment to find out whether it is locked.
        match lock_within(&lock, LOCK_TIMEOUT) {
            Ok(()) => Ok(Self { _lock: lock }),
            Err(TryLockError::WouldBlock) => {
                let problem = "another process has locked it";
                Err(io::Error::new(io::ErrorKind::TimedOut, problem))
            }
            Err(TryLockError::Error(error)) => Err(error),
        }
    }
}

/// The folders, in this plugins folder, of the plugins that were installed by name and are being changed.
pub(crate) fn changing(directory: &Path) -> BTreeSet<PathBuf> {
    let plugins = std::fs::read_dir(directory.join(stored_plugins()));
    let is_changing = |plugin: &DirEntry| {
        let folder = File::open(plugin.path());
        folder.is_ok_and(|folder| matches!(folder.try_lock_shared(), Err(TryLockError::WouldBlock)))
    };
    let changing = plugins.into_iter().flatten().flatten().filter(is_changing);
    changing.map(|plugin| directory.join(plugin.file_name())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plugin_is_changing_until_the_change_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        assert!(changing(folder.path()).is_empty());
        let plugin = folder.path().join(stored_plugin("acme.flux"));
        std::fs::create_dir_all(&plugin).unwrap();
        std::fs::create_dir(folder.path().join(stored_plugin("acme.other"))).unwrap();
        assert!(changing(folder.path()).is_empty());
        let change = ChangingPlugin::begin(&plugin).unwrap();
        assert_eq!(
            changing(folder.path()),
            BTreeSet::from([folder.path().join("acme.flux")])
        );
        drop(change);
        assert!(changing(folder.path()).is_empty());
    }
}

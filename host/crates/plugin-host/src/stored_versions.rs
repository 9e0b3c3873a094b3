//! The folders of the versions that were installed by name, relative to the plugins folder:
//! `.registry/plugins/ID/versions/VERSION`. The crate `registry` fills them, and a link in the plugins folder leads to
//! the active version of each plugin.
use std::path::{Path, PathBuf};

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

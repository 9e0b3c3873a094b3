//! Manifests of plugins.
use std::fs;
use std::sync::LazyLock;

use linepress_plugin_host::{id_in, is_plugin_id};
use tempfile::TempDir;

use crate::Input;

/// The folder whose manifest each input replaces.
static FOLDER: LazyLock<TempDir> = LazyLock::new(|| tempfile::tempdir().expect("a folder for a manifest"));

/// A manifest that is accepted has a valid id, and the refusal of another one is short.
pub(super) fn run(bytes: &[u8]) -> Input {
    let folder = FOLDER.path();
    fs::write(folder.join("plugin.toml"), bytes).expect("the manifest can be written");
    match id_in(folder) {
        Ok(id) => assert!(is_plugin_id(&id), "{id:?}"),
        Err(refusal) => assert!(!refusal.is_empty() && refusal.len() < 4_096, "{refusal}"),
    }
    Input::Used
}

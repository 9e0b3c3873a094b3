//! The plugins that the program contains, for the commands that use plugins.
use std::fs;

use anyhow::Context as _;
use linepress_platform::config::Config;
use linepress_platform::folders;

/// The folder below `data_dir`, or the user's cache folder, into which the plugins are unpacked.
pub(super) const FOLDER: &str = "bundled-plugins";

/// Unpacks the plugins into the data folder for a command that creates that folder anyway. Also creates the usual
/// folder for the operator's own plugins, which a new installation lacks.
pub(super) fn add_in_data_dir(config: &mut Config) -> anyhow::Result<()> {
    // The command itself reports a data folder that cannot be created.
    if folders::make_private(&config.data_dir).is_err() {
        return Ok(());
    }
    let within = config.data_dir.join(FOLDER);
    let unpacked = linepress_bundle::unpack(&within);
    config.bundled_plugins = unpacked.with_context(|| {
        let folder = within.display();
        format!("the plugins of this program cannot be unpacked into {folder}: make it writable, and check that its disk has free space")
    })?;
    if config.bundled_plugins.is_some() && config.plugins_dir == config.usual_plugins_dir() {
        // Loading the plugins reports the error.
        let _ = fs::create_dir_all(&config.plugins_dir);
    }
    Ok(())
}

/// Finds the plugins that a server has unpacked, or unpacks them into the user's cache folder: a command of an author
/// creates no data folder.
pub(super) fn add(config: &mut Config) {
    let in_cache = || {
        let cache = folders::of_user_cache()?;
        linepress_bundle::unpack(&cache.join(FOLDER)).ok()?
    };
    config.bundled_plugins = linepress_bundle::find(&config.data_dir.join(FOLDER)).or_else(in_cache);
}

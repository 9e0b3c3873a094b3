//! A plugin folder, with its manifest and the operator's settings for it.
use std::path::{Path, PathBuf};

use anyhow::bail;
use linepress_platform::config::Config;
use linepress_plugin_host::{Grant, Preview, find_folder, is_plugin_id};

/// A plugin folder that was found and read.
pub(super) struct Found {
    pub(super) folder: PathBuf,
    pub(super) preview: Preview,
}

impl Found {
    /// Finds a plugin by its id in the server's plugins folder, or by the path of its folder.
    pub(super) fn new(config: &Config, named: &str) -> anyhow::Result<Self> {
        Self::read(config, &folder_of(config, named)?)
    }

    pub(super) fn read(config: &Config, folder: &Path) -> anyhow::Result<Self> {
        let preview = Preview::read(folder, &config.plugins);
        match preview {
            Ok(preview) => Ok(Self {
                folder: folder.to_owned(),
                preview,
            }),
            Err(reason) => bail!("the plugin in {} is refused: {reason}", folder.display()),
        }
    }

    /// The grant for exactly this version of the folder.
    pub(super) fn grant<'a>(&self, config: &'a Config) -> Option<&'a Grant> {
        let grant = config.grants.get(&self.preview.id)?;
        grant.digest.eq_ignore_ascii_case(&self.preview.digest).then_some(grant)
    }
}

/// The folder of a plugin, which is named by its id in the server's plugins folder or by the path of its folder.
pub(super) fn folder_of(config: &Config, named: &str) -> anyhow::Result<PathBuf> {
    if !is_plugin_id(named) {
        return Ok(PathBuf::from(named));
    }
    match find_folder(&config.plugin_folders(), named) {
        Some(folder) => Ok(folder),
        None => bail!(
            "there is no plugin {named} in {}; `linepress plugin list` lists the plugins",
            config.plugins_dir.display()
        ),
    }
}

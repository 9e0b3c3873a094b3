//! One plugin, loaded for its author: apart from any server, and with the same limits.
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use linepress::app::plugin_settings;
use linepress::config::Config;
use linepress_plugin_host::{ImageProvider, Installed, Layout, Planner, PluginSettings, Plugins};
use tempfile::TempDir;

/// Where a plugin is loaded.
pub(super) struct Workbench {
    settings: PluginSettings,
    folder: PathBuf,
    /// Where no folder of the user's keeps what was compiled.
    _cache: Option<TempDir>,
}

/// A plugin that can be called.
pub(super) enum Plugin {
    ImageProvider(ImageProvider),
    Planner(Planner),
    Layout(Layout),
}

impl Workbench {
    pub(super) fn new(config: &Config, folder: &Path) -> anyhow::Result<Self> {
        let program = std::env::current_exe().context("this program's own file cannot be found")?;
        let (directory, cache) = cache()?;
        Ok(Self {
            settings: PluginSettings {
                cache_directory: directory,
                ..plugin_settings(config, program)
            },
            folder: folder.to_owned(),
            _cache: cache,
        })
    }

    /// With other settings of the plugin than those of the settings file.
    pub(super) fn configure(&mut self, id: &str, settings: serde_json::Value) {
        self.settings.config.insert(id.to_owned(), settings);
    }

    pub(super) fn settings(&self) -> &PluginSettings {
        &self.settings
    }

    /// Loads the plugin; `Err` is why a server would refuse it.
    pub(super) async fn load(&self) -> anyhow::Result<Result<(Installed, Plugin), String>> {
        let plugins = Plugins::load_folder(self.settings.clone(), &self.folder).await?;
        let installed = plugins.installed().await.pop().context("the folder is gone")?;
        if let Some(reason) = installed.refusal {
            return Ok(Err(reason));
        }
        let plugin = plugins
            .image_providers()
            .pop()
            .map(Plugin::ImageProvider)
            .or_else(|| plugins.planners().pop().map(Plugin::Planner))
            .or_else(|| plugins.layouts().pop().map(Plugin::Layout));
        Ok(Ok((installed, plugin.context("the plugin is not loaded")?)))
    }
}

/// A folder of the user's own, so that only the first run compiles.
fn cache() -> anyhow::Result<(PathBuf, Option<TempDir>)> {
    let absolute = |name| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let own = absolute("XDG_CACHE_HOME").or_else(|| Some(absolute("HOME")?.join(".cache")));
    if let Some(own) = own {
        let folder = own.join("linepress").join("compiled-plugins");
        if std::fs::create_dir_all(&folder).is_ok() {
            return Ok((folder, None));
        }
    }
    let folder = TempDir::new().context("no folder for what is compiled can be made")?;
    Ok((folder.path().join("compiled"), Some(folder)))
}

//! A plugin that is loaded for its author: without a server, and with a server's limits.
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use linepress_operator::startup::plugin_settings;
use linepress_platform::config::Config;
use linepress_platform::folders;
use linepress_plugin_host::{
    CallSink, CompileLimits, CredentialSource, Grant, ImageProvider, Installed, Layout, MemoryStore, Offline,
    OriginPattern, Planner, PluginSettings, Plugins, Preview, Recorder, Replayer, Reviewer, Transport, id_in,
};
use serde_json::Value;
use tempfile::{NamedTempFile, TempDir};

/// A plugin folder and the settings with which it is loaded.
pub(crate) struct Workbench {
    settings: PluginSettings,
    folder: PathBuf,
    /// A temporary folder for compiled components, used when the user has no cache folder.
    _cache: Option<TempDir>,
    /// A file with a placeholder for secrets, used when nothing is sent.
    _secret: Option<NamedTempFile>,
}

/// A plugin that can be called.
pub(crate) enum Plugin {
    ImageProvider(ImageProvider),
    Planner(Planner),
    Layout(Layout),
    Reviewer(Reviewer),
}

/// The network that the plugin's requests reach.
pub(crate) enum Network {
    /// The origins that the operator granted.
    Granted,
    /// Every origin that the plugin requests, private ones included, with the credentials of the settings file.
    Requested,
    /// The granted origins; the traffic is recorded in this file.
    Recorded(PathBuf),
    /// The responses in this recording only.
    Replayed(PathBuf),
    /// No network.
    Offline,
}

impl Workbench {
    /// Prepares a plugin folder for loading; `own` replaces the plugin's settings in the settings file.
    pub(crate) fn new(config: &Config, folder: &Path, network: Network, own: Option<Value>) -> anyhow::Result<Self> {
        let program = std::env::current_exe().context("the path of the linepress binary cannot be determined")?;
        let (directory, cache) = cache()?;
        let settings = PluginSettings {
            cache_directory: directory,
            compile_limits: compile_limits(),
            store: Some(Arc::new(MemoryStore::default())),
            ..plugin_settings(config, program)
        };
        let mut workbench = Self {
            settings,
            folder: folder.to_owned(),
            _cache: cache,
            _secret: None,
        };
        if let Some(own) = own {
            workbench.configure(&id_in(folder).map_err(anyhow::Error::msg)?, own);
        }
        match network {
            Network::Granted => {}
            Network::Requested => {
                // `load` reports what is wrong with the folder.
                if let Ok(preview) = workbench.preview() {
                    workbench.grant_requests(&preview);
                }
            }
            Network::Recorded(path) => {
                let file = File::create(&path).with_context(|| format!("{} cannot be written", path.display()))?;
                let transport = workbench.settings.network.transport.clone();
                workbench.settings.network.transport = Arc::new(Recorder::new(transport, file));
            }
            Network::Replayed(path) => {
                let text = std::fs::read_to_string(&path);
                let text = text.with_context(|| format!("{} cannot be read", path.display()))?;
                let replayer =
                    Replayer::new(&text).map_err(|problem| anyhow::anyhow!("{}: {problem}", path.display()))?;
                workbench.grant_all(Arc::new(replayer))?;
            }
            Network::Offline => workbench.grant_all(Arc::new(Offline))?,
        }
        Ok(workbench)
    }

    /// Grants everything that the plugin requests, with placeholders for its secrets, because this transport sends
    /// nothing.
    fn grant_all(&mut self, transport: Arc<dyn Transport>) -> anyhow::Result<()> {
        self.settings.network.transport = transport;
        // `load` reports what is wrong with the folder.
        let Ok(preview) = self.preview() else { return Ok(()) };
        self.grant_requests(&preview);
        let mut file = NamedTempFile::new().context("the temporary file for placeholder secrets cannot be created")?;
        file.write_all(b"no-secret")?;
        let source = |name: String| (name, CredentialSource::File(file.path().to_owned()));
        let credentials = preview.requests.credentials.into_iter();
        let credentials = credentials.map(|credential| source(credential.name)).collect();
        self.settings.network.credentials = BTreeMap::from([(preview.id, credentials)]);
        self._secret = Some(file);
        Ok(())
    }

    /// Grants the origins and the permissions that the plugin requests.
    fn grant_requests(&mut self, preview: &Preview) {
        let origins = preview.requests.origins.iter().map(|request| &request.origin);
        let text = |origin: &OriginPattern| origin.to_string();
        let grant = Grant {
            digest: preview.digest.clone(),
            // A pattern with an asterisk cannot be private.
            private: origins
                .clone()
                .filter(|origin| origin.single().is_some())
                .map(text)
                .collect(),
            origins: origins.map(text).collect(),
            permissions: preview.requests.permissions.clone(),
        };
        self.settings.network.grants = BTreeMap::from([(preview.id.clone(), grant)]);
    }

    fn preview(&self) -> Result<Preview, String> {
        Preview::read(&self.folder, &self.settings.config)
    }

    /// Reports each call of the plugin to `sink` when it has ended.
    pub(crate) fn watch(&mut self, sink: Arc<dyn CallSink>) {
        self.settings.calls = Some(sink);
    }

    /// Replaces the plugin's settings.
    pub(crate) fn configure(&mut self, id: &str, settings: Value) {
        self.settings.config.insert(id.to_owned(), settings);
    }

    pub(crate) fn settings(&self) -> &PluginSettings {
        &self.settings
    }

    /// Loads the plugin; the inner `Err` is the reason why a server would refuse it.
    pub(crate) async fn load(&self) -> anyhow::Result<Result<(Installed, Plugin), String>> {
        let plugins = Plugins::load_folder(self.settings.clone(), &self.folder).await?;
        let installed = plugins.installed().pop().context("the folder is gone")?;
        if let Some(reason) = installed.refusal {
            return Ok(Err(reason));
        }
        let plugin = plugins
            .image_providers()
            .pop()
            .map(Plugin::ImageProvider)
            .or_else(|| plugins.planners().pop().map(Plugin::Planner))
            .or_else(|| plugins.layouts().pop().map(Plugin::Layout))
            .or_else(|| plugins.reviewers().pop().map(Plugin::Reviewer));
        Ok(Ok((installed, plugin.context("the plugin is not loaded")?)))
    }
}

/// The limits of a server; tenfold for a debug build, whose compiler is slow.
fn compile_limits() -> CompileLimits {
    let limits = CompileLimits::default();
    let times = if cfg!(debug_assertions) { 10 } else { 1 };
    CompileLimits {
        processor_s: limits.processor_s * times,
        deadline_s: limits.deadline_s * times,
        ..limits
    }
}

/// The user's cache folder, so that a component is compiled only once; otherwise a temporary folder.
fn cache() -> anyhow::Result<(PathBuf, Option<TempDir>)> {
    if let Some(own) = folders::of_user_cache() {
        let folder = own.join("compiled-plugins");
        if std::fs::create_dir_all(&folder).is_ok() {
            return Ok((folder, None));
        }
    }
    let folder = TempDir::new().context("the temporary folder for compiled components cannot be created")?;
    Ok((folder.path().join("compiled"), Some(folder)))
}

//! From folders to plugins: each is read, compiled, checked, linked and asked what it is.
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;
use wasmtime::Engine;
use wasmtime::component::InstancePre;

use crate::cache::Cache;
use crate::error::LoadError;
use crate::host_state::{self, State};
use crate::image::ImageProvider;
use crate::layout::Layout;
use crate::log_text::one_line;
use crate::manifest::{Manifest, Wasm};
use crate::planner::Planner;
use crate::sandbox::Sandbox;
use crate::world::World;
use crate::{PluginSettings, Refusal, Registry, engine};

/// A component that is compiled, checked and linked, and may be asked to describe itself.
pub(crate) struct CompiledPlugin {
    pub(crate) id: String,
    pub(crate) digest: String,
    pub(crate) folder: PathBuf,
    pub(crate) sandbox: Sandbox,
    pub(crate) component: InstancePre<State>,
}

struct Loader {
    settings: PluginSettings,
    engine: Engine,
    cache: Arc<Cache>,
    calls: Arc<Semaphore>,
    registry: Registry,
    ids: BTreeSet<String>,
}

pub(crate) async fn load(mut settings: PluginSettings) -> Result<Registry, LoadError> {
    // The templates of a layout are read again whenever a book is printed: a change of the working
    // directory must not move them.
    let directory = std::path::absolute(&settings.directory);
    let folders = directory.and_then(|directory| {
        settings.directory = directory;
        plugin_folders(&settings.directory)
    });
    let folders = match folders {
        Ok(folders) => folders,
        Err(source) => {
            return Err(LoadError::Folder {
                path: settings.directory,
                source,
            });
        }
    };
    let calls = settings.max_concurrent_calls.max(1);
    let engine = engine::start(calls).map_err(LoadError::Engine)?;
    let cache = Cache::open(settings.cache_directory.clone(), engine.clone())?;
    let mut loader = Loader {
        engine,
        cache: Arc::new(cache),
        calls: Arc::new(Semaphore::new(calls as usize)),
        settings,
        registry: Registry::default(),
        ids: BTreeSet::new(),
    };
    for folder in folders {
        // One after the other: compiling already uses every core.
        if let Err(reason) = loader.add(&folder).await {
            let plugin = folder.file_name().unwrap_or_default().to_string_lossy();
            tracing::error!(plugin = &*plugin, folder = %folder.display(), reason, "plugin refused");
            loader.registry.refusals.push(Refusal { folder, reason });
        }
    }
    for plugin in loader
        .settings
        .config
        .keys()
        .filter(|plugin| !loader.ids.contains(*plugin))
    {
        tracing::warn!(
            plugin,
            "there are settings for this plugin, but no such plugin is loaded"
        );
    }
    Ok(loader.registry)
}

/// In the order of their names, so that the same folders give the same plugins everywhere.
fn plugin_folders(directory: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut folders = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        let entry = entry?;
        let hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        // Through links: an operator may keep plugins elsewhere.
        if !hidden && entry.path().is_dir() {
            folders.push(entry.path());
        }
    }
    folders.sort();
    Ok(folders)
}

impl Loader {
    async fn add(&mut self, folder: &Path) -> Result<(), String> {
        let (manifest, wasm) = read(folder.to_owned()).await?;
        if self.ids.contains(&manifest.id) {
            return Err(format!(
                "another folder already holds the plugin {}: remove one of the two",
                manifest.id
            ));
        }
        let (id, digest, world, version) = (
            manifest.id.clone(),
            wasm.digest.clone(),
            manifest.world,
            manifest.version.clone(),
        );
        let compiled = self.compile(folder, manifest, wasm).await?;
        match world {
            World::ImageProvider => {
                let provider = ImageProvider::load(compiled).await?;
                self.registry.image_providers.insert(id.clone(), provider);
            }
            World::BookPlanner => {
                let planner = Planner::load(compiled).await?;
                self.registry.planners.insert(id.clone(), planner);
            }
            World::BookLayout => {
                let layout = Layout::load(compiled).await?;
                self.registry.layouts.insert(id.clone(), layout);
            }
        }
        tracing::info!(plugin = id, %version, %world, digest, "plugin loaded");
        self.ids.insert(id);
        Ok(())
    }

    async fn compile(&self, folder: &Path, manifest: Manifest, wasm: Wasm) -> Result<CompiledPlugin, String> {
        let Manifest { id, world, limits, .. } = manifest;
        let Wasm { bytes, digest } = wasm;
        let (cache, engine, plugin) = (self.cache.clone(), self.engine.clone(), id.clone());
        let component = spawn_blocking(move || {
            let component = cache
                .component(&plugin, &bytes)
                .map_err(|error| format!("its component cannot be compiled: {error:#}"))?;
            world.check(&engine, &component)?;
            let linker = host_state::linker(&engine, world).map_err(|error| format!("{error:#}"))?;
            linker
                .instantiate_pre(&component)
                .map_err(|error| format!("its imports cannot be linked: {error:#}"))
        })
        .await
        .unwrap_or_else(|panic| Err(format!("the compiler gave up: {panic}")))?;

        let settings = match self.settings.config.get(&id) {
            Some(settings) if settings.is_object() => settings.to_string(),
            Some(_) => return Err("its settings must be a table of names and values".into()),
            None => "{}".to_owned(),
        };
        let sandbox = Sandbox {
            plugin: id.as_str().into(),
            engine: self.engine.clone(),
            world,
            limits,
            settings: settings.into(),
            calls: self.calls.clone(),
        };
        Ok(CompiledPlugin {
            id,
            digest,
            folder: folder.to_owned(),
            sandbox,
            component,
        })
    }
}

async fn read(folder: PathBuf) -> Result<(Manifest, Wasm), String> {
    let reading = spawn_blocking(move || {
        let manifest = Manifest::read(&folder)?;
        let wasm = manifest.read_wasm(&folder)?;
        Ok((manifest, wasm))
    });
    reading
        .await
        .unwrap_or_else(|panic| Err(format!("the manifest cannot be read: {panic}")))
}

/// What every description must have right, whatever its world.
pub(crate) fn check_identity(manifest_id: &str, id: &str, name: &str, version: &str) -> Result<(), String> {
    if manifest_id != id {
        let id = one_line(id.to_owned(), 100);
        return Err(format!(
            "plugin.toml calls it {manifest_id}, but it calls itself {id:?}"
        ));
    }
    check_label("its name", name)?;
    check_label("its version", version)
}

/// A short text that people are shown.
pub(crate) fn check_label(what: &str, label: &str) -> Result<(), String> {
    if label.trim().is_empty() || label.len() > 200 || label.contains(char::is_control) {
        return Err(format!("{what} must be one line of 1 to 200 bytes"));
    }
    Ok(())
}

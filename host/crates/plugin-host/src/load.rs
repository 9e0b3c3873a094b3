//! From folders to plugins: each is read, compiled, checked, linked and asked what it is.
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::Semaphore;
use wasmtime::Engine;
use wasmtime::component::InstancePre;

use crate::cache::Cache;
use crate::compile::Compiler;
use crate::components::{Components, blocking};
use crate::error::LoadError;
use crate::host_state::{self, State};
use crate::image::ImageProvider;
use crate::inspect::inspect;
use crate::layout::Layout;
use crate::log_text::excerpt;
use crate::manifest::{Contents, Manifest, Wasm};
use crate::planner::Planner;
use crate::responses::Responses;
use crate::sandbox::Sandbox;
use crate::world::World;
use crate::{MaxConcurrentCalls, PluginSettings, Refusal, Registry, engine};

/// A refusal is a line that people read.
const REASON_BYTES: usize = 1000;

/// How many plugins are read. Whoever has more named the wrong folder.
const MAX_FOLDERS: usize = 256;

/// Names of origins that one plugin may have looked up at a time. All of them share 64.
const LOOK_UPS: usize = 8;

/// A component that is compiled, checked and linked, and may be asked to describe itself.
pub(crate) struct CompiledPlugin {
    pub(crate) id: String,
    pub(crate) digest: String,
    pub(crate) folder: PathBuf,
    /// Whether it asks for a way out.
    pub(crate) uses_network: bool,
    pub(crate) sandbox: Sandbox,
    /// For image providers.
    pub(crate) responses: Responses,
    pub(crate) component: InstancePre<State>,
}

struct Loader {
    settings: PluginSettings,
    engine: Engine,
    components: Components,
    permits: Permits,
    responses: Responses,
    registry: Registry,
    ids: BTreeSet<String>,
}

/// One semaphore per world: planners that wait for a model must not hold the places of drawings and layouts.
struct Permits {
    image_providers: Arc<Semaphore>,
    planners: Arc<Semaphore>,
    layouts: Arc<Semaphore>,
}

impl Permits {
    fn new(calls: &MaxConcurrentCalls) -> Self {
        let permits = |calls: u32| Arc::new(Semaphore::new(calls as usize));
        Self {
            image_providers: permits(calls.image_providers),
            planners: permits(calls.planners),
            layouts: permits(calls.layouts),
        }
    }

    fn of(&self, world: World) -> Arc<Semaphore> {
        match world {
            World::ImageProvider => self.image_providers.clone(),
            World::BookPlanner => self.planners.clone(),
            World::BookLayout => self.layouts.clone(),
        }
    }
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
    if folders.len() > MAX_FOLDERS {
        return Err(LoadError::TooManyFolders {
            path: settings.directory,
            most: MAX_FOLDERS,
        });
    }
    let calls = settings.max_concurrent_calls.at_least_one();
    let engine = engine::start(calls.total()).map_err(LoadError::Engine)?;
    let cache = Cache::open(settings.cache_directory.clone(), engine.clone())?;
    let compiler = Compiler::new(settings.program.clone(), settings.compile_limits.clone());
    let mut loader = Loader {
        engine,
        components: Components::new(cache, compiler),
        permits: Permits::new(&calls),
        responses: Responses::new(settings.max_responses_mib),
        settings,
        registry: Registry::default(),
        ids: BTreeSet::new(),
    };
    for folder in folders {
        // One after the other: compiling already uses every core.
        if let Err(reason) = loader.add(&folder).await {
            let reason = excerpt(reason, REASON_BYTES);
            let id = id_of(folder.clone()).await;
            loader.registry.refusals.push(Refusal { folder, id, reason });
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
    let Loader {
        components, registry, ..
    } = loader;
    components.prune().await;
    Ok(registry)
}

/// What a plugin that was refused calls itself, where it says so.
async fn id_of(folder: PathBuf) -> Option<String> {
    let manifest = blocking(move || Manifest::read(&folder)).await;
    manifest.ok().map(|manifest| manifest.id)
}

/// At most one more than are read. In the order of their names, so that the same folders give the same plugins everywhere.
fn plugin_folders(directory: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut folders = Vec::new();
    for entry in std::fs::read_dir(directory)? {
        if folders.len() > MAX_FOLDERS {
            break;
        }
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
        let from = folder.to_owned();
        let Folder {
            manifest,
            wasm,
            approved,
        } = blocking(move || read(&from)).await?;
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
        let compiled = self.compile(folder, manifest, wasm, &approved).await?;
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

    /// `approved` is the digest of the folder, where its plugin asks for what has to be approved.
    async fn compile(
        &mut self,
        folder: &Path,
        manifest: Manifest,
        wasm: Wasm,
        approved: &str,
    ) -> Result<CompiledPlugin, String> {
        let Manifest {
            id,
            world,
            limits,
            asked,
            ..
        } = manifest;
        let settings = match self.settings.config.get(&id) {
            Some(settings) if settings.is_object() => settings.clone(),
            Some(_) => return Err("its settings must be a table of names and values".into()),
            None => serde_json::Value::Object(serde_json::Map::new()),
        };
        // Before it is compiled: whoever is not approved costs nothing.
        let network = &self.settings.network;
        let policy = network.approve(&id, approved, asked.with(&settings)?)?;
        let transport = network.transport.clone();

        let Wasm { bytes, digest } = wasm;
        let component = self.components.get(&id, world, bytes).await?;
        let engine = self.engine.clone();
        let uses_network = !asked.is_empty();
        let component = blocking(move || {
            let linker = host_state::linker(&engine, world, uses_network).map_err(|error| format!("{error:#}"))?;
            linker
                .instantiate_pre(&component)
                .map_err(|error| format!("its imports cannot be linked: {error:#}"))
        })
        .await?;
        let sandbox = Sandbox {
            plugin: id.as_str().into(),
            engine: self.engine.clone(),
            world,
            limits,
            settings: settings.to_string().into(),
            policy: Arc::new(policy),
            transport,
            look_ups: Arc::new(Semaphore::new(LOOK_UPS)),
            calls: self.permits.of(world),
        };
        Ok(CompiledPlugin {
            id,
            digest,
            folder: folder.to_owned(),
            uses_network,
            sandbox,
            responses: self.responses.clone(),
            component,
        })
    }
}

/// A folder that was read.
struct Folder {
    manifest: Manifest,
    wasm: Wasm,
    /// The digest of all of it, where its plugin asks for what has to be approved.
    approved: String,
}

/// Reads a folder. A component of another world, or with too much in it, is not compiled.
fn read(folder: &Path) -> Result<Folder, String> {
    let manifest = Manifest::read(folder)?;
    let folder = if manifest.uses_network() {
        let contents = Contents::read(folder)?;
        let approved = contents.digest();
        let (manifest, wasm) = contents.into_plugin()?;
        Folder {
            manifest,
            wasm,
            approved,
        }
    } else {
        let wasm = manifest.read_wasm(folder)?;
        let approved = String::new();
        Folder {
            manifest,
            wasm,
            approved,
        }
    };
    let Folder { manifest, wasm, .. } = &folder;
    manifest
        .world
        .check(&inspect(&wasm.bytes)?, !manifest.asked.is_empty())?;
    Ok(folder)
}

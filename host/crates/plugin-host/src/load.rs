//! From folders to plugins: each is read, compiled, checked, linked and asked what it is.
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::sync::Semaphore;
use wasmtime::Engine;
use wasmtime::component::InstancePre;

use crate::cache::Cache;
use crate::compile::Compiler;
use crate::components::{Components, blocking};
use crate::error::LoadError;
use crate::guests::Guests;
use crate::host_state::{self, State};
use crate::image::ImageProvider;
use crate::inspect::inspect;
use crate::layout::Layout;
use crate::log_text::excerpt;
use crate::manifest::{Contents, Manifest, Wasm};
use crate::planner::Planner;
use crate::registry::{Handle, Loaded, PluginConfig, Refused};
use crate::responses::Responses;
use crate::sandbox::Sandbox;
use crate::variant::Variant;
use crate::world::World;
use crate::{MaxConcurrentCalls, PluginSettings, engine};

/// A refusal is a line that people read.
const REASON_BYTES: usize = 1000;

/// A plugin that is loaded while the server runs must not wait for calls that take minutes.
const DESCRIPTIONS: u32 = 1;

/// Short questions to plugins that are answered at a time.
const QUESTIONS: u32 = 2;

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
    /// For layouts.
    pub(crate) variant: Option<Variant>,
    pub(crate) cache_directory: PathBuf,
}

/// Loads folders, one after the other: compiling already uses every core.
pub(crate) struct Loader {
    pub(crate) settings: PluginSettings,
    engine: Engine,
    guests: Arc<Guests>,
    pub(crate) components: Components,
    permits: Permits,
    responses: Responses,
    /// How many plugins were loaded.
    count: u64,
    /// Whether what is loaded takes the place of something that serves.
    pub(crate) is_serving: bool,
}

/// One semaphore per world: planners that wait for a model must not hold the places of drawings and layouts.
struct Permits {
    image_providers: Arc<Semaphore>,
    planners: Arc<Semaphore>,
    layouts: Arc<Semaphore>,
    descriptions: Arc<Semaphore>,
    questions: Arc<Semaphore>,
}

impl Permits {
    fn new(calls: &MaxConcurrentCalls) -> Self {
        let permits = |calls: u32| Arc::new(Semaphore::new(calls as usize));
        Self {
            image_providers: permits(calls.image_providers),
            planners: permits(calls.planners),
            layouts: permits(calls.layouts),
            descriptions: permits(DESCRIPTIONS),
            questions: permits(QUESTIONS),
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

impl Loader {
    pub(crate) fn new(mut settings: PluginSettings) -> Result<Self, LoadError> {
        // Folders are read again when they change, and books are printed from copies beside the cache: a change of the
        // working directory must not move either.
        settings.directory = std::path::absolute(&settings.directory).map_err(|source| LoadError::Folder {
            path: settings.directory,
            source,
        })?;
        settings.cache_directory =
            std::path::absolute(&settings.cache_directory).map_err(|source| LoadError::Folder {
                path: settings.cache_directory,
                source,
            })?;
        let calls = settings.max_concurrent_calls.at_least_one();
        let engine =
            engine::start(calls.total().saturating_add(DESCRIPTIONS + QUESTIONS)).map_err(LoadError::Engine)?;
        let cache = Cache::open(settings.cache_directory.clone(), engine.clone())?;
        let compiler = Compiler::new(settings.program.clone(), settings.compile_limits.clone());
        Ok(Self {
            engine,
            guests: Arc::new(Guests::start().map_err(|error| LoadError::Engine(error.into()))?),
            components: Components::new(cache, compiler),
            permits: Permits::new(&calls),
            responses: Responses::new(settings.max_responses_mib),
            settings,
            count: 0,
            is_serving: false,
        })
    }

    /// What the settings say about this plugin.
    pub(crate) fn config_of(&self, id: &str) -> PluginConfig {
        PluginConfig {
            settings: self.settings.config.get(id).cloned(),
            grant: self.settings.network.grants.get(id).cloned(),
            credentials: self.settings.network.credentials.get(id).cloned(),
        }
    }

    /// Loads a folder. `owner` tells whether another folder holds a plugin.
    pub(crate) async fn load(&mut self, folder: &Path, owner: impl Fn(&str) -> bool) -> Result<Loaded, Refused> {
        let from = folder.to_owned();
        let manifest = blocking(move || Manifest::read(&from)).await;
        let refused = |id: Option<&str>, reason| Refused {
            id: id.map(str::to_owned),
            reason: excerpt(reason, REASON_BYTES),
            is_second: false,
        };
        let manifest = manifest.map_err(|reason| refused(None, reason))?;
        let id = manifest.id.clone();
        if owner(&id) {
            let reason = format!("another folder already holds the plugin {id}: remove one of the two");
            return Err(Refused {
                is_second: true,
                ..refused(Some(&id), reason)
            });
        }
        let loaded = self.load_manifest(folder, manifest).await;
        loaded.map_err(|reason| refused(Some(&id), reason))
    }

    async fn load_manifest(&mut self, folder: &Path, manifest: Manifest) -> Result<Loaded, String> {
        let from = folder.to_owned();
        let Folder {
            manifest,
            wasm,
            approved,
        } = blocking(move || read(&from, manifest)).await?;
        let (id, digest, world, version) = (
            manifest.id.clone(),
            wasm.digest.clone(),
            manifest.world,
            manifest.version.clone(),
        );
        let config = self.config_of(&id);
        let compiled = self.compile(folder, manifest, wasm, &approved).await?;
        let handle = match world {
            World::ImageProvider => Handle::ImageProvider(ImageProvider::load(compiled).await?),
            World::BookPlanner => Handle::Planner(Planner::load(compiled).await?),
            World::BookLayout => Handle::Layout(Layout::load(compiled).await?),
        };
        if let (Handle::Layout(layout), true) = (&handle, self.is_serving)
            && let Some(trial) = &self.settings.template_trial
        {
            let tried = trial.try_out(layout).await;
            tried.map_err(|reason| format!("its templates fail: {reason}"))?;
        }
        self.count += 1;
        Ok(Loaded {
            number: self.count,
            id,
            version,
            world,
            digest,
            handle,
            config,
        })
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
            variant,
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
            guests: self.guests.clone(),
            world,
            limits,
            settings: settings.to_string().into(),
            policy: Arc::new(policy),
            transport,
            look_ups: Arc::new(Semaphore::new(LOOK_UPS)),
            calls: self.permits.of(world),
            descriptions: self.permits.descriptions.clone(),
            questions: self.permits.questions.clone(),
            peak_memory: Arc::default(),
        };
        Ok(CompiledPlugin {
            id,
            digest,
            folder: folder.to_owned(),
            uses_network,
            sandbox,
            responses: self.responses.clone(),
            component,
            variant,
            cache_directory: self.settings.cache_directory.clone(),
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

/// Reads the rest of a folder. A component of another world, or with too much in it, is not compiled.
fn read(folder: &Path, manifest: Manifest) -> Result<Folder, String> {
    let folder = if manifest.uses_network() {
        let contents = Contents::read(folder)?;
        let approved = contents.digest();
        let id = manifest.id;
        let (manifest, wasm) = contents.into_plugin()?;
        if manifest.id != id {
            return Err("it changes while it is read: wait until it is copied".into());
        }
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

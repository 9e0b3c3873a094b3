//! Loading of plugin folders: each is read, checked, compiled, linked and asked to describe itself.
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::Semaphore;
use wasmtime::Engine;

use crate::blocking::blocking;
use crate::calls::PluginVersion;
use crate::compiled::CompiledPlugin;
use crate::components::{Cache, Compiler, Components};
use crate::engine;
use crate::error::LoadError;
use crate::image::ImageProvider;
use crate::inspect::inspect;
use crate::layout::Layout;
use crate::log_text::excerpt;
use crate::manifest::{Contents, Manifest, Wasm};
use crate::other_versions::own_settings;
use crate::planner::Planner;
use crate::registry::{Handle, Loaded, PluginConfig, Refused};
use crate::responses::Responses;
use crate::reviewer::Reviewer;
use crate::sandbox::{Guests, Sandbox, linker};
use crate::services::Services;
use crate::settings::{MaxConcurrentCalls, PluginSettings};
use crate::world::{Kind, World};

/// Maximum size of a refusal's reason, which is displayed on one line.
const MAX_REASON_BYTES: usize = 1000;

/// Number of plugins that may describe themselves at a time. These calls have separate permits: a plugin that is loaded
/// while the server runs must not wait for calls that take minutes.
const MAX_CONCURRENT_DESCRIPTIONS: u32 = 1;

/// Maximum number of concurrent calls of kind [`CallKind::Question`](crate::sandbox::CallKind).
const MAX_CONCURRENT_QUESTIONS: u32 = 2;

/// Maximum number of concurrent calls of kind [`CallKind::PictureText`](crate::sandbox::CallKind).
const MAX_CONCURRENT_PICTURE_TEXTS: u32 = 4;

/// Maximum number of concurrent DNS lookups for one plugin. All plugins together share 64.
const MAX_CONCURRENT_LOOKUPS: usize = 8;

/// Loads folders.
pub(crate) struct Loader {
    pub(crate) settings: PluginSettings,
    engine: Engine,
    guests: Arc<Guests>,
    pub(crate) components: Components,
    permits: Permits,
    responses: Responses,
    /// Number of components that were linked so far, which numbers the loads.
    count: AtomicU64,
    /// True after the first load. From then on, changed templates must pass the template trial.
    pub(crate) is_serving: bool,
}

/// Semaphores that limit concurrent calls, one per kind of plugin: planners that wait for a model must not block
/// drawings and layouts.
struct Permits {
    image_providers: Arc<Semaphore>,
    planners: Arc<Semaphore>,
    layouts: Arc<Semaphore>,
    reviewers: Arc<Semaphore>,
    descriptions: Arc<Semaphore>,
    questions: Arc<Semaphore>,
    picture_texts: Arc<Semaphore>,
}

impl Permits {
    fn new(calls: &MaxConcurrentCalls) -> Self {
        let permits = |calls: u32| Arc::new(Semaphore::new(calls as usize));
        Self {
            image_providers: permits(calls.image_providers),
            planners: permits(calls.planners),
            layouts: permits(calls.layouts),
            reviewers: permits(calls.reviewers),
            descriptions: permits(MAX_CONCURRENT_DESCRIPTIONS),
            questions: permits(MAX_CONCURRENT_QUESTIONS),
            picture_texts: permits(MAX_CONCURRENT_PICTURE_TEXTS),
        }
    }

    fn for_world(&self, world: World) -> Arc<Semaphore> {
        match world.kind {
            Kind::ImageProvider => self.image_providers.clone(),
            Kind::BookPlanner => self.planners.clone(),
            Kind::BookLayout => self.layouts.clone(),
            Kind::Reviewer => self.reviewers.clone(),
        }
    }
}

/// The reason why the plugin of a folder is not loaded.
struct NotLoaded {
    reason: String,
    /// True if the operator has not approved these files.
    awaits_approval: bool,
}

impl From<String> for NotLoaded {
    fn from(reason: String) -> Self {
        Self {
            reason,
            awaits_approval: false,
        }
    }
}

impl Loader {
    pub(crate) fn new(mut settings: PluginSettings) -> Result<Self, LoadError> {
        // Absolute paths keep their meaning when the working directory changes: folders are read again on changes, and
        // books are printed from template copies in the cache directory.
        settings.directory = std::path::absolute(&settings.directory).map_err(|source| LoadError::Folder {
            path: settings.directory,
            source,
        })?;
        settings.cache_directory =
            std::path::absolute(&settings.cache_directory).map_err(|source| LoadError::Folder {
                path: settings.cache_directory,
                source,
            })?;
        settings.bundled = match settings.bundled {
            Some(path) => Some(std::path::absolute(&path).map_err(|source| LoadError::Folder { path, source })?),
            None => None,
        };
        let calls = settings.max_concurrent_calls.at_least_one();
        let short_calls = MAX_CONCURRENT_DESCRIPTIONS + MAX_CONCURRENT_QUESTIONS + MAX_CONCURRENT_PICTURE_TEXTS;
        let engine = engine::start(calls.total().saturating_add(short_calls)).map_err(LoadError::Engine)?;
        let cache = Cache::open(settings.cache_directory.clone(), engine.clone())?;
        let compiler = Compiler::new(settings.program.clone(), settings.compile_limits.clone());
        Ok(Self {
            engine,
            guests: Arc::new(Guests::start().map_err(|error| LoadError::Engine(error.into()))?),
            components: Components::new(cache, compiler),
            permits: Permits::new(&calls),
            responses: Responses::new(settings.max_responses_mib),
            settings,
            count: AtomicU64::new(0),
            is_serving: false,
        })
    }

    /// Returns true for a folder of a plugin that the program contains.
    pub(crate) fn is_bundled(&self, folder: &Path) -> bool {
        let bundled = self.settings.bundled.as_deref();
        bundled.is_some_and(|bundled| folder.starts_with(bundled))
    }

    /// The operator's settings for this plugin.
    pub(crate) fn config_of(&self, id: &str) -> PluginConfig {
        PluginConfig {
            settings: self.settings.config.get(id).cloned(),
            grant: self.settings.network.grants.get(id).cloned(),
            credentials: self.settings.network.credentials.get(id).cloned(),
        }
    }

    /// Reads the manifest of a folder. `is_taken` returns true for the id of a plugin that another folder holds.
    pub(crate) async fn read_manifest(
        &self,
        folder: &Path,
        is_taken: impl Fn(&str) -> bool,
    ) -> Result<Manifest, Refused> {
        let from = folder.to_owned();
        let manifest = blocking(move || Manifest::read(&from)).await;
        let manifest = manifest.map_err(|reason| refused(None, reason))?;
        let id = &manifest.id;
        if is_taken(id) {
            let reason = format!("another folder already holds the plugin {id}: remove one of the two");
            return Err(Refused {
                is_second: true,
                is_problem: !self.is_bundled(folder),
                ..refused(Some(id), reason)
            });
        }
        Ok(manifest)
    }

    /// Loads a folder whose manifest was read.
    pub(crate) async fn load(&self, folder: &Path, manifest: Manifest) -> Result<Loaded, Refused> {
        let id = manifest.id.clone();
        let is_offer =
            self.is_bundled(folder) && manifest.needs_approval() && !self.settings.network.grants.contains_key(&id);
        let loaded = self.load_manifest(folder, manifest).await;
        loaded.map_err(|not_loaded| Refused {
            awaits_approval: not_loaded.awaits_approval,
            is_problem: !is_offer,
            ..refused(Some(&id), not_loaded.reason)
        })
    }

    async fn load_manifest(&self, folder: &Path, manifest: Manifest) -> Result<Loaded, NotLoaded> {
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
        let compiled = self.compile(folder, (manifest, wasm), &approved).await?;
        let handle = match world.kind {
            Kind::ImageProvider => Handle::ImageProvider(ImageProvider::load(compiled).await?),
            Kind::BookPlanner => Handle::Planner(Planner::load(compiled).await?),
            Kind::BookLayout => Handle::Layout(Layout::load(compiled).await?),
            Kind::Reviewer => Handle::Reviewer(Reviewer::load(compiled).await?),
        };
        if let (Handle::Layout(layout), true) = (&handle, self.is_serving)
            && let Some(trial) = &self.settings.template_trial
        {
            let tried = trial.try_out(layout).await;
            tried.map_err(|reason| format!("its templates fail: {reason}"))?;
        }
        Ok(Loaded {
            id,
            version,
            world,
            digest,
            handle,
            config,
        })
    }

    /// Compiles and links the component. `approved` is the digest of the folder if the plugin needs an approval, and
    /// otherwise empty.
    async fn compile(
        &self,
        folder: &Path,
        (manifest, wasm): (Manifest, Wasm),
        approved: &str,
    ) -> Result<CompiledPlugin, NotLoaded> {
        let Manifest {
            id,
            version,
            world,
            limits,
            requests,
            variant,
            ..
        } = manifest;
        let settings = settings_for(folder, self.settings.config.get(&id).cloned()).await?;
        // The approval is checked before compiling, so that a plugin that is not approved costs no processor time.
        let network = &self.settings.network;
        let policy = network.approve(&id, approved, requests.resolve(&settings)?);
        let policy = policy.map_err(|reason| NotLoaded {
            reason,
            awaits_approval: !network.is_approved(&id, approved),
        })?;
        let transport = network.transport.clone();

        let digest = wasm.digest.clone();
        let component = self.components.get(&id, world, wasm).await?;
        let engine = self.engine.clone();
        let uses_network = requests.uses_network();
        let permissions = policy.permissions.clone();
        let component = blocking(move || {
            let linker = linker(&engine, world, uses_network, &permissions).map_err(|error| format!("{error:#}"))?;
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
            services: Services::new(self.settings.store.clone()),
            look_ups: Arc::new(Semaphore::new(MAX_CONCURRENT_LOOKUPS)),
            calls: self.permits.for_world(world),
            descriptions: self.permits.descriptions.clone(),
            questions: self.permits.questions.clone(),
            picture_texts: self.permits.picture_texts.clone(),
            peak_memory: Arc::default(),
            durations: Arc::default(),
            metrics: self.settings.metrics.clone(),
            version: Arc::new(PluginVersion {
                id: id.clone(),
                version: version.to_string(),
                digest: digest.clone(),
                load: self.count.fetch_add(1, Ordering::Relaxed),
            }),
            sink: self.settings.calls.clone(),
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

/// A refusal that is the operator's problem, which is what most are.
fn refused(id: Option<&str>, reason: String) -> Refused {
    Refused {
        id: id.map(str::to_owned),
        reason: excerpt(reason, MAX_REASON_BYTES),
        is_second: false,
        awaits_approval: false,
        is_problem: true,
    }
}

/// The settings that the version in this folder gets, of those that the operator has given.
async fn settings_for(folder: &Path, given: Option<serde_json::Value>) -> Result<serde_json::Value, String> {
    match given {
        None => Ok(serde_json::Value::Object(serde_json::Map::new())),
        Some(given) if given.is_object() => {
            let folder = folder.to_owned();
            blocking(move || Ok(own_settings(&folder, &given))).await
        }
        Some(_) => Err("its settings must be a table of names and values".into()),
    }
}

/// The contents of a folder that are needed to load its plugin.
struct Folder {
    manifest: Manifest,
    wasm: Wasm,
    /// The digest of the whole folder if the plugin needs an approval, and otherwise empty.
    approved: String,
}

/// Reads the rest of a folder. Returns an error if the component is of another world than the manifest says or exceeds
/// a limit.
fn read(folder: &Path, manifest: Manifest) -> Result<Folder, String> {
    let folder = if manifest.needs_approval() {
        let contents = Contents::read(folder)?;
        let approved = contents.digest();
        let id = manifest.id;
        let (manifest, wasm) = contents.into_plugin()?;
        if manifest.id != id {
            return Err("the folder changed while it was read; wait until copying has finished".into());
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
    manifest.check_surface(&inspect(&wasm.bytes)?)?;
    Ok(folder)
}

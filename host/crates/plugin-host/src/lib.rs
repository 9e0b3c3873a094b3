//! Sandboxed WebAssembly components: load, link, limit and call.
//!
//! A plugin is a folder with a manifest and a component. [`Plugins::load`] reads every plugin folder and returns
//! handles. A misbehaving component can make a call fail, but cannot affect other calls: each call gets a new store
//! that is dropped afterwards, a memory budget, a deadline, and access only to the origins that the operator granted.
//!
//! This crate does not depend on the database, accounts or the server. The calling code decides what is drawn, planned
//! or laid out, and for which account.

/// Compiled components on disk.
mod cache;
/// Compilation in a child process.
mod compile;
/// Machine code of components, cached or newly compiled.
mod components;
/// Checks that apply to the description of every plugin.
mod description;
/// Plugins that were added, replaced, removed or refused by a reload.
mod difference;
/// The WebAssembly engine.
mod engine;
/// Errors of loading and calling plugins.
mod error;
/// Named values that a provider returns in addition to its drawing.
mod extras;
/// Detection of changed plugin folders.
mod fingerprint;
/// The print formats of a layout.
mod formats;
/// The runtime whose threads execute guests.
mod guests;
/// The host's side of one call: WASI and the host interfaces.
mod host_state;
/// Image providers.
mod image;
/// Imports, exports and size of a component, read without compiling it.
mod inspect;
/// Book layouts.
mod layout;
/// Checks of the leaves that a layout returns.
mod leaves;
/// Limits of one call.
mod limits;
/// Loading of plugin folders.
mod load;
/// Sanitizing of guests' texts for logs.
mod log_text;
/// `plugin.toml`.
mod manifest;
/// Network access of guests.
mod network;
/// Options of a single call.
mod options;
/// Packing of an author's folder for a server.
mod pack;
/// Book planners.
mod planner;
/// Contents of a plugin folder, read without running the component.
mod preview;
/// Removal of unused compiled plugins.
mod prune;
/// The loaded plugins and the state of each folder.
mod registry;
/// Reloading of changed folders.
mod reload;
/// A memory limit for drawings in transfer from guests to the host.
mod responses;
/// One call into a plugin.
mod sandbox;
/// Captured output of a guest.
mod stderr;
/// Copies of a layout's templates, made when the layout is loaded.
mod templates;
/// The check that changed templates must pass.
mod trial;
/// Bindings for the contract `wit/v0`.
mod v0;
/// Layouts that reuse another layout's component with different templates.
mod variant;
/// Words that an image provider cannot draw.
mod vocabulary;
/// Components for tests, assembled byte by byte.
#[cfg(test)]
mod wasm_bytes;
/// A watcher for changed folders.
mod watch;
/// The WIT worlds that this host supports.
mod world;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use self::load::Loader;
use self::registry::{Handle, Registry, States};

pub use self::image::{CharacterSketch, DrawRequest, Drawing, ImageProvider, ImageProviderDescription, Media, Purpose};
pub use compile::{CompileLimits, compile_child};
pub use error::{CallError, LoadError};
pub use layout::{Layout, LayoutBook, LayoutDescription, LayoutDrawing};
pub use limits::Limits;
pub use linepress_model::{Leaf, PrintFormat};
pub use network::{
    CredentialRequest, CredentialSource, DialTransport, Grant, HttpBody, Network, Offline, OriginPattern,
    OriginRequest, Outgoing, Recorder, Replayer, Requests, Secrets, Sent, Transport, TransportError,
};
pub use options::{CallOptions, Progress};
pub use pack::{Packed, pack};
pub use planner::{PageConcept, Plan, PlanRequest, Planner, PlannerDescription, SuggestedCharacter};
pub use preview::{Preview, find_folder};
pub use sandbox::Usage;
pub use trial::{TemplateTrial, TrialFuture};
pub use variant::Variant;
pub use vocabulary::{Wording, WordingKind};
pub use watch::{Changes, Pace, Watch};

/// Folders, limits and settings of all plugins.
#[derive(Clone, Debug)]
pub struct PluginSettings {
    /// One folder per plugin.
    pub directory: PathBuf,
    /// Folder for compiled code, readable only by the server's user. Safe to delete.
    pub cache_directory: PathBuf,
    /// The executable that is started as `linepress compile-plugin`; it must call [`compile_child`].
    pub program: PathBuf,
    pub compile_limits: CompileLimits,
    pub max_concurrent_calls: MaxConcurrentCalls,
    /// Total memory in MiB for drawings in transfer from guests to the host. Each call reserves the response limit of
    /// its plugin's manifest, because this memory is not part of the call's own budget.
    pub max_responses_mib: u32,
    /// Settings by plugin id, passed to the plugin unchanged.
    pub config: BTreeMap<String, serde_json::Value>,
    pub network: Network,
    /// The check for templates that change while the server runs. Without it they are used unchecked.
    pub template_trial: Option<Arc<dyn TemplateTrial>>,
}

/// Maximum number of concurrent calls for each kind of plugin; further calls wait. Each possible call reserves address
/// space for the largest memory that a plugin may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaxConcurrentCalls {
    pub image_providers: u32,
    pub planners: u32,
    pub layouts: u32,
}

impl MaxConcurrentCalls {
    /// Raises each limit to at least one, so that calls of every kind can run.
    fn at_least_one(self) -> Self {
        Self {
            image_providers: self.image_providers.max(1),
            planners: self.planners.max(1),
            layouts: self.layouts.max(1),
        }
    }

    fn total(self) -> u32 {
        self.image_providers
            .saturating_add(self.planners)
            .saturating_add(self.layouts)
    }
}

/// A folder that could not be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub folder: PathBuf,
    /// The plugin's id. `None` if its manifest could not be read.
    pub id: Option<String>,
    /// The problem, for the operator, with a remedy where one is known.
    pub reason: String,
}

/// The loaded plugins. Cheap to clone.
///
/// A handle remains usable after its plugin is replaced or removed: a call finishes with the instance it started with.
#[derive(Clone)]
pub struct Plugins(Arc<Shared>);

#[derive(Default)]
struct Shared {
    registry: RwLock<Arc<Registry>>,
    /// Locked while plugins are loaded, so that only one load runs at a time.
    state: tokio::sync::Mutex<State>,
}

#[derive(Default)]
struct State {
    /// `None` for [`Plugins::none`].
    loader: Option<Loader>,
    folders: States,
}

/// The state of a plugin folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    pub folder: PathBuf,
    /// The plugin's id. `None` if no manifest in this folder could be read.
    pub id: Option<String>,
    /// The loaded plugin. If the folder was refused, the version that was loaded before.
    pub serving: Option<Serving>,
    /// Reason why the current files are not loaded.
    pub refusal: Option<String>,
}

/// A loaded plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Serving {
    pub name: String,
    /// The version in the manifest.
    pub version: String,
    /// The version in the component's own description.
    pub described_version: String,
    pub world: String,
    pub digest: String,
}

impl Plugins {
    /// Loads every folder of the plugin directory. A plugin that cannot be loaded does not affect the others and is
    /// listed by [`Plugins::refusals`].
    pub async fn load(settings: PluginSettings) -> Result<Self, LoadError> {
        let loader = Loader::new(settings)?;
        let plugins = Self::none();
        plugins.0.state.lock().await.loader = Some(loader);
        plugins.start().await?;
        Ok(plugins)
    }

    /// An empty set, for commands that need no plugins.
    pub fn none() -> Self {
        Self(Arc::default())
    }

    fn registry(&self) -> Arc<Registry> {
        self.0.registry.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn refusals(&self) -> Vec<Refusal> {
        self.registry().refusals.clone()
    }

    /// The state of every folder, sorted by path.
    pub async fn installed(&self) -> Vec<Installed> {
        let state = self.0.state.lock().await;
        let installed = |(folder, state): (&PathBuf, &registry::FolderState)| Installed {
            folder: folder.clone(),
            id: state.id().map(str::to_owned),
            serving: state.loaded.as_ref().map(|loaded| Serving {
                name: loaded.handle.name().to_owned(),
                version: loaded.version.to_string(),
                described_version: loaded.handle.version().to_owned(),
                world: loaded.world.to_string(),
                digest: loaded.digest.clone(),
            }),
            refusal: state.refused.as_ref().map(|refused| refused.reason.clone()),
        };
        state.folders.iter().map(installed).collect()
    }

    /// The kind of a loaded plugin, in words. `None` if no plugin with this id is loaded.
    pub fn kind_of(&self, id: &str) -> Option<&'static str> {
        let registry = self.registry();
        let kinds = [
            (registry.image_providers.contains_key(id), "image provider"),
            (registry.planners.contains_key(id), "planner"),
            (registry.layouts.contains_key(id), "layout"),
        ];
        kinds
            .into_iter()
            .find(|(is_loaded, _)| *is_loaded)
            .map(|(_, kind)| kind)
    }

    pub fn image_provider(&self, id: &str) -> Option<ImageProvider> {
        self.registry().image_providers.get(id).cloned()
    }

    /// All image providers, sorted by id.
    pub fn image_providers(&self) -> Vec<ImageProvider> {
        self.registry().image_providers.values().cloned().collect()
    }

    pub fn planner(&self, id: &str) -> Option<Planner> {
        self.registry().planners.get(id).cloned()
    }

    /// All planners, sorted by id.
    pub fn planners(&self) -> Vec<Planner> {
        self.registry().planners.values().cloned().collect()
    }

    pub fn layout(&self, id: &str) -> Option<Layout> {
        self.registry().layouts.get(id).cloned()
    }

    /// All layouts, sorted by id.
    pub fn layouts(&self) -> Vec<Layout> {
        self.registry().layouts.values().cloned().collect()
    }
}

/// Returns true for a valid plugin id: at most 64 bytes of lowercase words joined by dots.
pub fn is_plugin_id(text: &str) -> bool {
    manifest::is_id(text)
}

/// Reads the id of the plugin in a folder from its manifest.
pub fn id_in(folder: &Path) -> Result<String, String> {
    manifest::Manifest::read(folder).map(|manifest| manifest.id)
}

impl Handle {
    fn version(&self) -> &str {
        match self {
            Self::ImageProvider(provider) => &provider.description().version,
            Self::Planner(planner) => &planner.description().version,
            Self::Layout(layout) => &layout.description().version,
        }
    }

    /// The display name.
    fn name(&self) -> &str {
        match self {
            Self::ImageProvider(provider) => &provider.description().name,
            Self::Planner(planner) => &planner.description().name,
            Self::Layout(layout) => &layout.description().name,
        }
    }
}

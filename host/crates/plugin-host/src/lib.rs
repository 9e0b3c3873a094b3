//! Sandboxed WebAssembly components: load, link, limit and call.
//!
//! A plugin is a folder with a manifest and a component. [`Plugins::load`] reads all of them; what it keeps are handles
//! whose calls cost at most one failed attempt, whatever the component does: each has a store of its own that is thrown
//! away, a memory budget, a deadline, and no way out but to what the operator granted.
//!
//! It knows no database, no account and no server: what is drawn, planned or laid out, and for whom, is for the caller.

/// Compiled components on disk.
mod cache;
/// Compiling, in a process of its own.
mod compile;
/// Components as machine code.
mod components;
/// What every plugin says about itself.
mod description;
/// What came, went and was replaced.
mod difference;
/// The WebAssembly engine.
mod engine;
/// What can go wrong with plugins.
mod error;
/// What a provider says beside its drawing.
mod extras;
/// Whether files are still those that were read.
mod fingerprint;
/// The print formats of a layout.
mod formats;
/// The threads on which guests compute.
mod guests;
/// What surrounds a guest.
mod host_state;
/// Image providers.
mod image;
/// What can be said of a component without compiling it.
mod inspect;
/// Book layouts.
mod layout;
/// The leaves of a book.
mod leaves;
/// What one call may use.
mod limits;
/// From folders to plugins.
mod load;
/// Texts of a guest, made fit for a log.
mod log_text;
/// `plugin.toml`.
mod manifest;
/// The way out of a sandbox.
mod network;
/// What a single call is given.
mod options;
/// A folder, made as it is dropped in.
mod pack;
/// Book planners.
mod planner;
/// What a folder says of itself.
mod preview;
/// What becomes of compiled plugins that nobody loads any more.
mod prune;
/// The plugins that serve.
mod registry;
/// From one set of plugins to the next.
mod reload;
/// Room for drawings that are being handed over.
mod responses;
/// One call into a plugin.
mod sandbox;
/// What a guest prints.
mod stderr;
/// A layout's templates as they were when it was loaded.
mod templates;
/// Trying templates out.
mod trial;
/// The contract `wit/v0`.
mod v0;
/// A layout that looks unlike another one.
mod variant;
/// The words that an image provider cannot show.
mod vocabulary;
/// Components for tests, written byte by byte.
#[cfg(test)]
mod wasm_bytes;
/// Changes of folders, noticed.
mod watch;
/// The worlds this host knows.
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
pub use trial::{TemplateTrial, Trying};
pub use variant::Variant;
pub use vocabulary::{Wording, WordingKind};
pub use watch::{Changes, Pace, Watch};

/// Where plugins are and how many may run.
#[derive(Clone, Debug)]
pub struct PluginSettings {
    /// One folder per plugin.
    pub directory: PathBuf,
    /// Compiled code: made private to the server's user, safe to delete.
    pub cache_directory: PathBuf,
    /// The program that is run as `linepress compile-plugin`, which calls [`compile_child`].
    pub program: PathBuf,
    pub compile_limits: CompileLimits,
    pub max_concurrent_calls: MaxConcurrentCalls,
    /// How much the drawings may take that are being handed over at a time, by what the manifests of their providers allow:
    /// they lie outside of the memory that a call is limited to.
    pub max_responses_mib: u32,
    /// Settings by plugin id, handed to the plugin as they are.
    pub config: BTreeMap<String, serde_json::Value>,
    pub network: Network,
    /// What templates must pass that come to a server while it runs; nothing where they serve as they are.
    pub template_trial: Option<Arc<dyn TemplateTrial>>,
}

/// How many calls may run at a time, by the kind of plugin; further ones wait. Each reserves address space for the memory
/// that a plugin may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaxConcurrentCalls {
    pub image_providers: u32,
    pub planners: u32,
    pub layouts: u32,
}

impl MaxConcurrentCalls {
    /// Every plugin must be able to describe itself.
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

/// A folder that holds no usable plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub folder: PathBuf,
    /// The plugin's, where its manifest could be read.
    pub id: Option<String>,
    /// For the operator: what is wrong, and where it helps, what to do.
    pub reason: String,
}

/// Every plugin that could be loaded. Cheap to clone.
///
/// What it hands out stays usable when the plugin is replaced or removed: a call that has begun ends with the instance it
/// began with.
#[derive(Clone)]
pub struct Plugins(Arc<Shared>);

#[derive(Default)]
struct Shared {
    registry: RwLock<Arc<Registry>>,
    /// Held by whoever loads: one at a time.
    state: tokio::sync::Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Nothing where there are no plugins.
    loader: Option<Loader>,
    folders: States,
}

/// What is known of a plugin's folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    pub folder: PathBuf,
    /// Nothing where the manifest cannot be read.
    pub id: Option<String>,
    pub serving: Option<Serving>,
    /// Why what the folder holds now is not loaded.
    pub refusal: Option<String>,
}

/// A plugin that can be called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Serving {
    pub name: String,
    /// The manifest's.
    pub version: String,
    /// What the component itself says.
    pub described_version: String,
    pub world: String,
    pub digest: String,
}

impl Plugins {
    /// Reads every folder of the directory. One bad plugin never hinders the others: it is listed by
    /// [`Plugins::refusals`].
    pub async fn load(settings: PluginSettings) -> Result<Self, LoadError> {
        let loader = Loader::new(settings)?;
        let plugins = Self::none();
        plugins.0.state.lock().await.loader = Some(loader);
        plugins.start().await?;
        Ok(plugins)
    }

    /// No plugins, for commands that need none.
    pub fn none() -> Self {
        Self(Arc::default())
    }

    fn registry(&self) -> Arc<Registry> {
        self.0.registry.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn refusals(&self) -> Vec<Refusal> {
        self.registry().refusals.clone()
    }

    /// What became of every folder, in the order of their names.
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

    /// What kind of plugin it is, if it is loaded.
    pub fn kind_of(&self, id: &str) -> Option<&'static str> {
        let registry = self.registry();
        let kinds = [
            (registry.image_providers.contains_key(id), "image provider"),
            (registry.planners.contains_key(id), "planner"),
            (registry.layouts.contains_key(id), "layout"),
        ];
        kinds.into_iter().find(|(is_its, _)| *is_its).map(|(_, kind)| kind)
    }

    pub fn image_provider(&self, id: &str) -> Option<ImageProvider> {
        self.registry().image_providers.get(id).cloned()
    }

    /// In the order of their ids.
    pub fn image_providers(&self) -> Vec<ImageProvider> {
        self.registry().image_providers.values().cloned().collect()
    }

    pub fn planner(&self, id: &str) -> Option<Planner> {
        self.registry().planners.get(id).cloned()
    }

    /// In the order of their ids.
    pub fn planners(&self) -> Vec<Planner> {
        self.registry().planners.values().cloned().collect()
    }

    pub fn layout(&self, id: &str) -> Option<Layout> {
        self.registry().layouts.get(id).cloned()
    }

    /// In the order of their ids.
    pub fn layouts(&self) -> Vec<Layout> {
        self.registry().layouts.values().cloned().collect()
    }
}

/// Whether it is a plugin's id: lowercase words joined by dots.
pub fn is_plugin_id(text: &str) -> bool {
    manifest::is_id(text)
}

/// The id of the plugin in a folder.
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

    /// For people.
    fn name(&self) -> &str {
        match self {
            Self::ImageProvider(provider) => &provider.description().name,
            Self::Planner(planner) => &planner.description().name,
            Self::Layout(layout) => &layout.description().name,
        }
    }
}

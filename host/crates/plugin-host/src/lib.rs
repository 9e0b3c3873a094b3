//! Sandboxed WebAssembly components: load, link, limit and call.
//!
//! A plugin is a folder with a manifest and a component. [`Plugins::load`] reads all of them; what it keeps are handles
//! whose calls cost at most one failed attempt, whatever the component does: each has a store of its own that is thrown
//! away, a memory budget, a deadline, and no way out.
//!
//! It knows no database, no account and no server: what is drawn, planned or laid out, and for whom, is for the caller.

/// Compiled components on disk.
mod cache;
/// The WebAssembly engine.
mod engine;
/// What can go wrong with plugins.
mod error;
/// What surrounds a guest.
mod host_state;
/// Image providers.
mod image;
/// Book layouts.
mod layout;
/// What one call may use.
mod limits;
/// From folders to plugins.
mod load;
/// Texts of a guest, made fit for a log.
mod log_text;
/// `plugin.toml`.
mod manifest;
/// Book planners.
mod planner;
/// One call into a plugin.
mod sandbox;
/// What a guest prints.
mod stderr;
/// The contract `wit/v0`.
mod v0;
/// The worlds this host knows.
mod world;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

pub use self::image::{CharacterSketch, DrawRequest, Drawing, ImageProvider, ImageProviderDescription, Media, Purpose};
pub use error::{CallError, LoadError};
pub use layout::{Layout, LayoutBook, LayoutDescription, LayoutDrawing};
pub use linepress_model::{Leaf, PrintFormat};
pub use planner::{PageConcept, Plan, PlanRequest, Planner, PlannerDescription};

/// Where plugins are and how many may run.
#[derive(Clone, Debug)]
pub struct PluginSettings {
    /// One folder per plugin.
    pub directory: PathBuf,
    /// Compiled code: made private to the server's user, safe to delete.
    pub cache_directory: PathBuf,
    /// Calls of all plugins together; further ones wait.
    pub max_concurrent_calls: u32,
    /// Settings by plugin id, handed to the plugin as they are.
    pub config: BTreeMap<String, serde_json::Value>,
}

/// A folder that holds no usable plugin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    pub folder: PathBuf,
    /// For the operator: what is wrong, and where it helps, what to do.
    pub reason: String,
}

/// Every plugin that could be loaded. Cheap to clone.
#[derive(Clone)]
pub struct Plugins(Arc<Registry>);

#[derive(Default)]
struct Registry {
    image_providers: BTreeMap<String, ImageProvider>,
    planners: BTreeMap<String, Planner>,
    layouts: BTreeMap<String, Layout>,
    refusals: Vec<Refusal>,
}

impl Plugins {
    /// Reads every folder of the directory. One bad plugin never hinders the others: it is logged
    /// and listed by [`Plugins::refusals`].
    pub async fn load(settings: PluginSettings) -> Result<Self, LoadError> {
        load::load(settings).await.map(|registry| Self(Arc::new(registry)))
    }

    /// No plugins, for commands that need none.
    pub fn none() -> Self {
        Self(Arc::default())
    }

    pub fn refusals(&self) -> &[Refusal] {
        &self.0.refusals
    }

    pub fn image_provider(&self, id: &str) -> Option<&ImageProvider> {
        self.0.image_providers.get(id)
    }

    /// In the order of their ids.
    pub fn image_providers(&self) -> impl Iterator<Item = &ImageProvider> {
        self.0.image_providers.values()
    }

    pub fn planner(&self, id: &str) -> Option<&Planner> {
        self.0.planners.get(id)
    }

    /// In the order of their ids.
    pub fn planners(&self) -> impl Iterator<Item = &Planner> {
        self.0.planners.values()
    }

    pub fn layout(&self, id: &str) -> Option<&Layout> {
        self.0.layouts.get(id)
    }

    /// In the order of their ids.
    pub fn layouts(&self) -> impl Iterator<Item = &Layout> {
        self.0.layouts.values()
    }
}

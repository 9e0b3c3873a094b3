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
/// The WebAssembly engine.
mod engine;
/// What can go wrong with plugins.
mod error;
/// What a provider says beside its drawing.
mod extras;
/// The print formats of a layout.
mod formats;
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
/// Book planners.
mod planner;
/// What a folder says of itself.
mod preview;
/// What becomes of compiled plugins that nobody loads any more.
mod prune;
/// Room for drawings that are being handed over.
mod responses;
/// One call into a plugin.
mod sandbox;
/// What a guest prints.
mod stderr;
/// The contract `wit/v0`.
mod v0;
/// Components for tests, written byte by byte.
#[cfg(test)]
mod wasm_bytes;
/// The worlds this host knows.
mod world;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

pub use self::image::{CharacterSketch, DrawRequest, Drawing, ImageProvider, ImageProviderDescription, Media, Purpose};
pub use compile::{CompileLimits, compile_child};
pub use error::{CallError, LoadError};
pub use layout::{Layout, LayoutBook, LayoutDescription, LayoutDrawing};
pub use linepress_model::{Leaf, PrintFormat};
pub use network::{
    CredentialRequest, CredentialSource, DialTransport, Grant, HttpBody, Network, OriginPattern, OriginRequest,
    Outgoing, Requests, Sent, Transport, TransportError,
};
pub use options::{CallOptions, Progress};
pub use planner::{PageConcept, Plan, PlanRequest, Planner, PlannerDescription};
pub use preview::Preview;

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
    /// Reads every folder of the directory. One bad plugin never hinders the others: it is listed by
    /// [`Plugins::refusals`].
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

    /// What kind of plugin it is, if it is loaded.
    pub fn kind_of(&self, id: &str) -> Option<&'static str> {
        let kinds = [
            (self.image_provider(id).is_some(), "image provider"),
            (self.planner(id).is_some(), "planner"),
            (self.layout(id).is_some(), "layout"),
        ];
        kinds.into_iter().find(|(is_its, _)| *is_its).map(|(_, kind)| kind)
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

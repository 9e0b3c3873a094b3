//! Sandboxed WebAssembly components: load, link, limit and call.
//!
//! A plugin is a folder with a manifest and a component. [`Plugins::load`] reads every plugin folder and returns
//! handles. A misbehaving component can make a call fail, but cannot affect other calls: each call gets a new store
//! that is dropped afterwards, a memory budget, a deadline, and access only to the origins and services that the
//! operator granted.
//!
//! This crate does not depend on the database, accounts or the server. The calling code decides what is drawn, planned
//! or laid out, and for which account.

/// Blocking work, on threads of its own.
mod blocking;
/// The calls that have ended.
mod calls;
/// A plugin whose component is compiled and linked.
mod compiled;
/// Machine code of components, cached or newly compiled.
mod components;
/// The values that the host and plugins exchange.
mod contract;
/// Checks that apply to the description of every plugin.
mod description;
/// The WebAssembly engine.
mod engine;
/// Errors of loading and calling plugins.
mod error;
/// Detection of changed plugin folders.
mod fingerprint;
/// Image providers.
mod image;
/// Imports, exports and size of a component, read without compiling it.
mod inspect;
/// Book layouts.
mod layout;
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
/// Settings that only another stored version of a plugin knows.
mod other_versions;
/// Packing of an author's folder for a server.
mod pack;
/// Book planners.
mod planner;
/// The set of loaded plugins.
mod plugins;
/// Contents of a plugin folder, read without running the component.
mod preview;
/// The loaded plugins and the state of each folder.
mod registry;
/// Reloading of changed folders.
mod reload;
/// A memory limit for drawings in transfer from guests to the host.
mod responses;
/// Reviewers of prompts and pictures.
mod reviewer;
/// One call into a plugin.
mod sandbox;
/// Services of the host that the operator may grant.
mod services;
/// Folders, limits and settings of all plugins.
mod settings;
/// `config.json`, the schema of a plugin's settings.
mod settings_schema;
/// The folders of versions that were installed by name.
mod stored_versions;
/// Bindings for the contract `wit/v0`.
mod v0;
/// Bindings for the packages of the contract `wit/v1`.
mod v1;
/// Layouts that reuse another layout's component with different templates.
mod variant;
/// Components for tests, assembled byte by byte.
#[cfg(test)]
mod wasm_bytes;
/// A watcher for changed folders.
mod watch;
/// The WIT worlds that this host supports.
mod world;

use std::path::Path;

pub use self::image::ImageProvider;
pub use calls::{CallEnd, CallSink, EndedCall, PluginVersion, is_cut_text};
pub use components::{CompileLimits, compile_child};
pub use contract::{
    Change, CharacterSketch, DrawOptions, DrawRequest, Drawing, EarlierPage, ImageProviderDescription, LayoutBook,
    LayoutDescription, LayoutDrawing, Media, PageConcept, PictureDescription, PictureToDescribe, PictureToReview, Plan,
    PlanRequest, PlannerDescription, PromptToReview, Purpose, Review, ReviewerDescription, SuggestedCharacter, Verdict,
    Wording, WordingKind,
};
pub use error::{CallError, LoadError};
pub use fingerprint::Fingerprint;
pub use layout::{Formats, HiddenFormat, LaidOut, Layout, OfferedFormat, TemplateTrial, TrialFuture};
pub use limits::Limits;
pub use linepress_model::{Leaf, PrintFormat};
pub use network::{
    CredentialRequest, CredentialSource, DialTransport, Grant, HttpBody, HttpExchange, Network, Offline, OriginPattern,
    OriginRequest, Outgoing, Recorder, Replayer, Requests, Secrets, Sent, Transport, TransportError,
};
pub use options::{CallOptions, Progress, Receipt};
pub use other_versions::own_settings;
pub use pack::{Packed, pack};
pub use planner::Planner;
pub use plugins::Plugins;
pub use preview::{Preview, find_folder};
pub use registry::{Installed, Refusal, Serving};
pub use reviewer::Reviewer;
pub use sandbox::Usage;
pub use services::{MAX_STORE_BYTES, MAX_STORE_VALUES, MemoryStore, Permission, PluginStore, StoreFailure, StoreUsage};
pub use settings::{MaxConcurrentCalls, PluginSettings};
pub use settings_schema::{SettingProblem, SettingsSchema, setting_problems, settings_from_text};
pub use stored_versions::{ChangingPlugin, STORE_FOLDER, stored_plugin, stored_plugins, stored_versions};
pub use variant::Variant;
pub use watch::{Changes, Pace, Watch};

/// Returns true for a valid plugin id: at most 64 bytes of lowercase words joined by dots.
pub fn is_plugin_id(text: &str) -> bool {
    description::is_id(text)
}

/// Checks that this host supports a world, such as `linepress:image/image-provider@0.1`. The error begins with the word
/// "world".
pub fn check_world(text: &str) -> Result<(), String> {
    world::World::parse(text).map(drop)
}

/// Reads the id of the plugin in a folder from its manifest.
pub fn id_in(folder: &Path) -> Result<String, String> {
    manifest::Manifest::read(folder).map(|manifest| manifest.id)
}

//! Services of the host that a plugin may use if the operator granted them: a store that all nodes share, and a cache
//! in the memory of this node.
//!
//! A manifest only asks for a service ([`Permission`]). The import is linked once the operator's grant contains it, and
//! works in calls that do work: a description and a question see an empty cache and an unavailable store.

/// A cache in memory.
mod cache;
/// The services of one call.
mod call;
/// A store in memory.
mod memory;
/// The permissions that a manifest asks for.
mod permission;
/// A store for the values of plugins.
mod store;

pub use memory::MemoryStore;
pub use permission::Permission;
pub use store::{MAX_STORE_BYTES, MAX_STORE_VALUES, PluginStore, StoreFailure, StoreUsage};

pub(crate) use call::{CallServices, CallStoreError, Services};
pub(crate) use permission::PermissionTable;

//! Plugins by name: the signed index of a registry, the archives that it names, the keys of publishers, and the
//! versions that are installed.
//!
//! A registry is a folder of files that any web server can serve: `index.json`, signed with the registry's key, and one
//! archive for each version of each plugin. A publisher signs the digest of the plugin's folder. The operator trusts
//! the key of the registry, which the settings name, and a publisher's key from the first installation on. Neither
//! grants a permission: only the operator does.
//!
//! A repository of an OCI registry is another origin of the same records and archives.
//!
//! This crate knows no settings file, no database and no audit log. The calling code asks the operator and records the
//! approval.

/// Archives of plugin folders.
mod archive;
/// The version that an author publishes.
mod authoring;
/// Errors of registries and of installed versions.
mod error;
/// The signed list of plugins.
mod index;
/// Ed25519 keys.
mod keys;
/// Versions from which the server or the operator went back.
mod left_out;
/// Changes of the installed versions.
mod locked;
/// Ids that look like each other.
mod lookalike;
/// Plugins in a registry of containers.
mod oci;
/// The permissions, limits and settings that differ between two versions.
mod permissions;
/// Changes of a static registry.
mod publish;
/// A plugin with an optional version, as an operator types it.
mod reference;
/// Signed envelopes.
mod signed;
/// The place of a registry.
mod source;
/// The versions that are installed.
mod store;
/// A registry for tests.
#[cfg(test)]
mod testing;
/// The choice of the version to which an update leads.
mod updates;

pub use authoring::Author;
pub use error::RegistryError;
pub use index::{Archive, Index, Publisher, Release};
pub use keys::{PublicKey, SigningKey};
pub use left_out::LeftOut;
pub use locked::LockedStore;
pub use lookalike::looks_like;
pub use oci::{Login, Newest, OciAccess, OciPlace, Offer, Pin, Pushed, Repository, exact_oci_host};
pub use permissions::changes;
pub use publish::{Published, Submission, publish};
pub use reference::Reference;
pub use source::{IndexPlace, Source};
pub use store::{Active, Record, Seen, Staged, Store};

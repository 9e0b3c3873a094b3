//! Plugins in a registry of containers: a small client of the OCI distribution specification 1.1.
//!
//! A repository holds the versions of one plugin. A tag leads to a manifest, whose annotations are the same record of a
//! version that an index contains, and whose layer is the same archive. The publisher's signature covers id, version
//! and digest of the folder. The registry is trusted to say which versions exist, and with the other texts of the
//! record, such as the name of the publisher: only the key identifies the publisher.

/// The advice for a connection that failed.
mod advice;
/// The challenge of a registry.
mod challenge;
/// Requests to a registry.
mod client;
/// The manifest of a version.
mod manifest;
/// The place of a plugin.
mod place;
/// The publication of a version.
mod push;
/// A repository that is read.
mod repository;

pub use client::{Login, OciAccess};
pub use place::{OciPlace, Pin, exact_oci_host};
pub use push::Pushed;
pub use repository::{Newest, Offer, Repository};

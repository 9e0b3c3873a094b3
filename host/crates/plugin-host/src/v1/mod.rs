//! The host's side of the packages of the contract `wit/v1`: generated bindings, and conversions between them and the
//! host's own types. The packages that have not changed since `wit/v0`, with the types that all worlds share, are those
//! of [`crate::v0`].
pub(super) mod image;
pub(super) mod review;
pub(super) mod vocabulary;

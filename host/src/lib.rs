//! Linepress: a self-hosted server that makes printable coloring books.
//!
//! This crate assembles the server from its parts: the concepts in `linepress-accounts`, `linepress-core` and
//! `linepress-operator`, and one crate for each interface.

/// Every interface behind one router.
pub mod server;

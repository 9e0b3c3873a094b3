//! Linepress: a self-hosted server that makes printable coloring books.
//!
//! The map of the server. Interfaces (`rest`, `web`) translate and call concepts; concepts decide and call their own
//! `store`; only a store, and the few dialect differences in `database`, hold SQL; concepts never import an interface.
//!
//! What needs neither database nor `App` is a crate below `host/crates`: `linepress-model` has the words that all share,
//! `linepress-raster` and `linepress-imaging` work on pixels, `linepress-egress` reaches out over HTTP,
//! `linepress-plugin-host` runs plugins, and `linepress-print` runs Typst. None of them knows this crate.

/// Accounts, their plans and their API keys.
pub mod accounts;
/// What every function is handed.
pub mod app;
/// Images: receive, import, store, hand out.
pub mod artwork;
/// Books: pages in an order, with a cover.
pub mod books;
/// Who acts.
pub mod caller;
/// Figures that look the same on every page.
pub mod characters;
/// Time.
pub mod clock;
/// Every setting.
pub mod config;
/// The append-only ledger.
pub mod credits;
/// SQLite and PostgreSQL behind one SQL.
pub mod database;
/// The queue, and the workers that turn queued drawings into artwork.
pub mod drawing;
/// The one domain error.
pub mod error;
/// One key, one effect, one saved reply.
pub mod idempotency;
/// Typed ids.
pub mod ids;
/// What an account follows while its drawings are made.
pub mod operations;
/// Pages: one drawing each.
pub mod pages;
/// Book plans: from a theme to a request.
pub mod plans;
/// Editions and print formats: what is printed from what is stored.
pub mod print;
/// Randomness.
pub mod random;
/// The REST interface.
pub mod rest;
/// Secrets that all nodes share.
pub mod secrets;
/// Object storage.
pub mod storage;
/// Checks of what clients send.
pub mod validation;
/// Pages for people.
pub mod web;

/// Guarded outbound HTTP: a crate of its own.
pub use linepress_egress as fetch;
/// Sandboxed components: a crate of its own.
pub use linepress_plugin_host as plugins;

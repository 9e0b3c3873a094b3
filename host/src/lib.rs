//! Linepress: a self-hosted server that makes printable coloring books.
//!
//! The map. Interfaces (`rest`, `web`) translate and call concepts; `server` puts them behind one router, and `http` holds
//! what they share. Concepts decide and call their own `store`; only a store, and the few dialect differences in
//! `database`, hold SQL. Concepts know no interface. What knows neither accounts nor a database is a crate of its own
//! below `crates/`.

/// Accounts, their plans and their API keys.
pub mod accounts;
/// What every function is handed.
pub mod app;
/// Images: receive, store, hand out.
pub mod artwork;
/// Books: pages in an order, with a cover.
pub mod books;
/// Who acts.
pub mod caller;
/// Figures that look the same on every page.
mod characters;
/// Time.
pub mod clock;
/// What ends with an account.
pub mod closing;
/// Every setting.
pub mod config;
/// The append-only ledger, and what things cost.
pub mod credits;
/// SQLite and PostgreSQL behind one SQL.
pub mod database;
/// Deleting a page, with its drawing and its refund.
mod deletion;
/// Addresses that lead to one file for a short while.
mod downloads;
/// Plans of books that are edited before they are ordered.
pub mod drafts;
/// The one domain error.
pub mod error;
/// Places that accounts share.
pub mod fair_share;
/// Names of files.
mod file_name;
/// Folders that the server needs.
pub mod folders;
/// An accepted generation: charged, queued and replied to in one transaction.
mod generation;
/// What people let apps do for them.
pub mod grants;
/// Deletes what has expired.
pub mod housekeeping;
/// What every interface shares that speaks HTTP.
pub mod http;
/// One key, one effect, one saved reply.
pub mod idempotency;
/// Typed ids.
pub mod ids;
/// Where imported pictures are prepared, within a budget of memory.
pub mod importer;
/// JSON as clients send it.
mod json;
/// The MCP interface.
mod mcp;
/// The caller's own account.
pub mod me;
/// How apps are let in: the authorization server.
mod oauth;
/// What becomes of stored objects that nothing refers to.
pub mod objects;
/// The client of an OpenID Connect provider.
pub mod oidc;
/// What an account follows while its drawings are made.
mod operations;
/// Pages: one drawing each.
mod pages;
/// Hashes of passwords.
pub mod password_hash;
/// Book plans: from a theme to a request.
mod plans;
/// Editions and print formats: what is printed from what is stored.
pub mod print;
/// PDFs that are being made on this node.
pub mod print_jobs;
/// Whether something can be written.
mod probe;
/// The durable queue of drawings, and its leases.
pub mod queue;
/// Randomness.
pub mod random;
/// The REST interface.
mod rest;
/// Image providers side by side.
mod routing;
/// The permissions that an app can be granted.
pub mod scopes;
/// Secrets that all nodes share.
pub mod secrets;
/// Every interface behind one router.
pub mod server;
/// How people sign in: passwords, links that work once, and the sessions of their browsers.
pub mod sign_in;
/// What image providers drew and cost.
pub mod spending;
/// Opening the parts of a server.
pub mod startup;
/// What an account's credits were spent for.
mod statement;
/// Object storage.
pub mod storage;
/// The texts that clients send, each with its rule.
mod text;
/// How often somebody without an account may try something.
pub mod throttle;
/// Checks of what clients send.
mod validation;
/// Pages for people.
mod web;
/// Workers: what a claimed job does.
pub mod worker;

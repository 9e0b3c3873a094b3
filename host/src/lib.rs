//! Linepress: a self-hosted server that makes printable coloring books.
//!
//! The map: interfaces (`rest`, `mcp`, `oauth`, `web`) translate requests and call concepts; `server` combines them in
//! one router, and `http` holds what they share. Concepts decide and call their own `store`; SQL belongs in stores, and
//! in `database` where the two dialects differ. Concepts do not depend on interfaces. Code that needs neither accounts
//! nor a database is a crate below `crates/`.

/// Accounts, their plans and their API keys.
pub mod accounts;
/// The parts of the server, which every function receives.
pub mod app;
/// Images: receiving, storing and sending them.
pub mod artwork;
/// Books: an ordered list of pages with a cover.
pub mod books;
/// The account that acts.
pub mod caller;
/// Characters, which look the same on every page.
mod characters;
/// Time.
pub mod clock;
/// Closing an account.
pub mod closing;
/// Every setting.
pub mod config;
/// The append-only ledger, and prices.
pub mod credits;
/// SQLite and PostgreSQL behind the same SQL.
pub mod database;
/// Deleting a page, with its drawing and its refund.
mod deletion;
/// Signed links to one file that expire after a short time.
mod downloads;
/// Plans of books that are edited before they are ordered.
pub mod drafts;
/// The single domain error.
pub mod error;
/// A semaphore that accounts share fairly.
pub mod fair_share;
/// Names of files.
mod file_name;
/// Folders that the server needs.
pub mod folders;
/// An accepted generation: charged, queued and replied to in one transaction.
mod generation;
/// Grants of accounts to apps.
pub mod grants;
/// Deletes expired data.
pub mod housekeeping;
/// The code that all HTTP interfaces share.
pub mod http;
/// Idempotency keys and the replies that are saved under them.
pub mod idempotency;
/// Typed ids.
pub mod ids;
/// Prepares imported pictures within a memory budget.
pub mod importer;
/// JSON as clients send it.
mod json;
/// The MCP interface.
mod mcp;
/// The caller's own account.
pub mod me;
/// The OAuth authorization server.
mod oauth;
/// The deletion of stored objects to which nothing refers.
pub mod objects;
/// The client of an OpenID Connect provider.
pub mod oidc;
/// Operations, through which an account follows its drawings.
mod operations;
/// Pages: one drawing each.
mod pages;
/// Hashes of passwords.
pub mod password_hash;
/// Book plans: from a theme to a request.
mod plans;
/// Editions and print formats: PDFs from stored books.
pub mod print;
/// PDFs that are being made on this node.
pub mod print_jobs;
/// Cached checks that a resource is writable.
mod probe;
/// The durable queue of drawing jobs, and its leases.
pub mod queue;
/// Randomness.
pub mod random;
/// The REST interface.
mod rest;
/// The choice of an image provider for each drawing.
mod routing;
/// The permissions that an app can be granted.
pub mod scopes;
/// Secrets that all nodes share.
pub mod secrets;
/// Every interface behind one router.
pub mod server;
/// Sign-in: passwords, single-use links, and browser sessions.
pub mod sign_in;
/// The drawings and costs of each image provider.
pub mod spending;
/// Opening the parts of a server.
pub mod startup;
/// The plans of accounts.
pub mod subscription;
/// The account's statement of credits and what they were spent for.
mod statement;
/// Object storage.
pub mod storage;
/// Types for the texts that clients send, each with its rule.
mod text;
/// Rate limits for clients without an account.
pub mod throttle;
/// Validation of requests.
mod validation;
/// The web pages.
mod web;
/// Workers, which claim and run drawing jobs.
pub mod worker;

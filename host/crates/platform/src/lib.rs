//! The foundation of the concepts of Linepress: settings, the database, object storage, clock and randomness, ids,
//! errors, and the budgets that all of them share. It knows no concept.

/// The limits that operators set for single accounts.
pub mod account_limits;
/// The parts of the server, which every function receives.
pub mod app;
/// The appearance of the web pages.
pub mod appearance;
/// Time.
pub mod clock;
/// Every setting.
pub mod config;
/// The periods of spending limits.
pub mod credit_period;
/// SQLite and PostgreSQL behind the same SQL.
pub mod database;
/// Requests that wait to be written to the request log.
pub mod ended_requests;
/// The single domain error.
pub mod error;
/// A semaphore that accounts share fairly.
pub mod fair_share;
/// Paths of fields in requests.
pub mod field;
/// Names of files.
pub mod file_name;
/// Folders that the server needs.
pub mod folders;
/// The findings of checks, and figures.
pub mod health;
/// Typed ids.
pub mod ids;
/// Prepares imported pictures within a memory budget.
pub mod importer;
/// Maintenance, during which the server is read-only.
pub mod maintenance;
/// Months in UTC.
pub mod month;
/// The client of an OpenID Connect provider.
pub mod oidc;
/// Hashes of passwords.
pub mod password_hash;
/// Calls of plugins that have ended.
pub mod plugin_calls;
/// The first calls of versions of plugins.
pub mod plugin_trials;
/// PDFs that are being made on this node.
pub mod print_jobs;
/// Cached checks that a resource is writable.
pub mod probe;
/// Randomness.
pub mod random;
/// A result that concurrent callers share.
pub mod recent;
/// The permissions that an app or an API key can have.
pub mod scopes;
/// Secrets that all nodes share.
pub mod secrets;
/// Work of which one run takes place at a time.
pub mod single_run;
/// The signal that the server is stopping.
pub mod stop_signal;
/// Object storage.
pub mod storage;
/// The plans of accounts.
pub mod subscription;
/// Types for the texts that clients send, each with its rule.
pub mod text;
/// Validation of requests.
pub mod validation;

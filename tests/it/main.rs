//! The tests of the server through its interfaces, in one binary.
#![expect(clippy::unwrap_used, reason = "a test that panics is a test that fails")]

/// The server that a test starts, and the clients that call it.
mod test_app;
mod testing;

/// The MCP interface.
mod mcp;
/// Every endpoint of the REST interface, one module per path.
mod rest;
/// Web pages, one module per path.
mod web;

mod altered_terms;
mod architecture;
mod attempts;
mod authentication;
mod backup;
mod bin;
mod bodies;
mod buckets;
mod callbacks;
mod cancellation;
mod command_line;
mod connections;
mod coverage;
mod credits;
mod descriptions;
mod document;
mod envelope;
mod errors;
mod fetch;
mod flow;
mod generation;
mod hostile;
mod keys;
mod limits;
mod lists;
mod log_lines;
mod looks;
mod lost_connections;
mod mail;
mod maintenance;
mod messages;
mod monitoring;
mod nodes;
mod oauth;
mod outages;
mod page_locks;
mod parameters;
mod parity;
mod permissions;
mod plugins;
mod print;
mod print_check;
mod properties;
mod providers;
mod quality;
mod queue;
mod recovery;
mod repeated;
mod resources;
mod reviewer;
mod roles;
mod routing;
mod sign_in;
mod signals;
mod sources;
mod statements;
mod states;
mod storage;
mod test_keys;
mod tools;
mod unchanged;
mod upgrade;
mod variants;
mod versioning;
mod webhooks;

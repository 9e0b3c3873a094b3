//! The MCP interface.
mod apps;
mod authorization;
mod completions;
mod confirmation;
mod downloads;
mod keys;
mod lists;
mod outages;
mod printing;
mod prompts;
mod protocol;
mod results;
mod server_json;
mod tasks;
mod tools;
mod visits;
mod waiting;

//! The MCP interface.
mod authorization;
mod confirmation;
mod downloads;
mod keys;
mod lists;
mod outages;
mod printing;
mod protocol;
mod results;
mod tools;
mod waiting;

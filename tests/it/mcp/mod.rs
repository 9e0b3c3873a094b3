//! The MCP interface.
mod authorization;
mod confirmation;
mod downloads;
mod protocol;
mod results;
mod tools;
mod waiting;

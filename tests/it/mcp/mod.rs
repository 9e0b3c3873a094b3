//! The MCP interface.
mod authorization;
mod confirmation;
mod downloads;
mod protocol;
mod tools;
mod waiting;

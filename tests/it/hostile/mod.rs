//! Hostile input, and data that must not leave the server.
mod leaks;
mod operations;
mod pictures;
mod process;
mod urls;

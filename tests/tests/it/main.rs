//! The tests that see only the public face, in one binary.
#![expect(clippy::unwrap_used, reason = "a test that panics is a test that fails")]

/// What the tests stand in and who acts in them.
mod house;

mod authorization;
mod book_plans;
mod books;
mod characters;
mod command_line;
mod credits;
mod envelope;
mod fetch;
mod hostile;
mod lists;
mod operations;
mod pages;
mod plugins;
mod print;
mod properties;
mod queue;
mod recovery;
mod tools;

//! What must not get in, and what must not get out.
mod operations;
mod pictures;
mod process;
mod urls;
mod words;

//! What must not get in, and what must not get out.
mod leaks;
mod operations;
mod pictures;
mod process;
mod urls;

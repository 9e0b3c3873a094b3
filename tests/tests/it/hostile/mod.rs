//! What must not get in, and what must not get out.
mod form;
mod operations;
mod pictures;
mod process;
mod urls;
mod words;

//! The classic layout: a title page, "this book belongs to", one drawing per sheet with a blank back, and a colophon.

#[cfg(target_family = "wasm")]
mod component;
/// The print formats.
pub mod formats;
/// The sequence of a book's leaves.
pub mod leaves;

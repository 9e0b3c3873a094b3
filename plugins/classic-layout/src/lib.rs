//! classic-layout: a title page, a "this book belongs to" page, one drawing per sheet with a blank back, a colophon.

#[cfg(target_family = "wasm")]
mod component;
/// The formats of the layout.
pub mod formats;
/// The leaves of a book, in order.
pub mod leaves;

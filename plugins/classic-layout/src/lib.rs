//! classic-layout: title page, "this book belongs to", one drawing a sheet with a blank back, colophon.

#[cfg(target_family = "wasm")]
mod component;
/// The sizes of paper.
pub mod formats;
/// The leaves of a book in their order.
pub mod leaves;

//! The print-on-demand layout: books in sizes that Amazon KDP and Lulu offer, with an imprint and at least the
//! printer's minimum number of pages.

#[cfg(target_family = "wasm")]
mod component;
/// The print formats.
pub mod formats;
/// The sequence of a book's leaves.
pub mod leaves;

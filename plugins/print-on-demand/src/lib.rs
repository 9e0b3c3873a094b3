//! print-on-demand: books in trim sizes of Amazon KDP and Lulu, with an imprint and the minimum number of pages.

#[cfg(target_family = "wasm")]
mod component;
/// The formats of the layout.
pub mod formats;
/// The leaves of a book, in order.
pub mod leaves;

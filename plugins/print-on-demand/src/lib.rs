//! print-on-demand: books in the sizes that Amazon KDP and Lulu sell, with an imprint, and as many pages as they bind.

#[cfg(target_family = "wasm")]
mod component;
/// The sizes of paper.
pub mod formats;
/// The leaves of a book in their order.
pub mod leaves;

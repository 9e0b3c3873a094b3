//! storybook-layout: each drawing on the right faces its caption, set large, on the left, as in a picture book.

#[cfg(target_family = "wasm")]
mod component;
/// The sizes of paper.
pub mod formats;
/// The leaves of a book in their order.
pub mod leaves;

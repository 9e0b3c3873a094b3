//! storybook-layout: each drawing is on the right and faces its caption, in large type, on the left.

#[cfg(target_family = "wasm")]
mod component;
/// The formats of the layout.
pub mod formats;
/// The leaves of a book, in order.
pub mod leaves;

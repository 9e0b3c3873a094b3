//! The storybook layout: each drawing is on the right and faces its caption in large type on the left, as in a picture
//! book.

#[cfg(target_family = "wasm")]
mod component;
/// The print formats.
pub mod formats;
/// The sequence of a book's leaves.
pub mod leaves;

//! The words that every crate shares: page shapes, audiences, print formats and leaves.
//!
//! It knows neither where these words come from nor what is done with them: no plugin, no Typst, no database, no HTTP.

/// The three shapes a page can have.
mod aspect;
/// Who will color the page.
mod audience;
/// Sizes a book can be printed in, and its printed pages.
mod print;
/// Enums whose variants each have one text.
mod text_enum;

pub use aspect::Aspect;
pub use audience::Audience;
pub use print::{Leaf, PrintFormat};
pub use text_enum::UnknownText;

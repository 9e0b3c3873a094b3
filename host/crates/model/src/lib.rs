//! The types that every crate shares: page shapes, audiences, print formats and leaves.
//!
//! This crate depends on no plugin, no Typst, no database and no HTTP.

/// The three shapes a page can have.
mod aspect;
/// The audience of a page.
mod audience;
/// Numbers with a noun, in the singular or the plural.
mod counted;
/// The style of a cover.
mod cover_style;
/// Characters that could deceive a person who reads a line.
mod letters;
/// The look of drawings.
mod look;
/// The brightness of colors as people see it.
mod luminance;
/// The catalog of a print master in color.
pub mod master_catalog;
/// Print formats of a book, and its printed pages.
mod print;
/// Enums whose variants have one text each.
mod text_enum;
/// The words of a text in the form in which texts are compared.
mod words;

pub use aspect::Aspect;
pub use audience::Audience;
pub use counted::counted;
pub use cover_style::CoverStyle;
pub use letters::{alters_line, is_invisible};
pub use look::{DetailLevel, FrameStyle, LineWeight, Look};
pub use luminance::relative_luminance;
pub use print::{FormatMargins, Leaf, PrintFormat};
pub use text_enum::UnknownText;
pub use words::{is_written_without_spaces, plain_words};

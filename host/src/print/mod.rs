//! Editions and print formats: what is printed from what is stored. The printing itself is a crate of its own,
//! `linepress-print`.

/// One book in one format, made once and cached.
mod edition;
/// Print formats as clients see them.
mod resource;

pub use edition::{Edition, EditionDrawing, formats, pdf_of, proof};
pub use resource::PrintFormatResource;

//! Editions and print formats: what is printed from what is stored. The printing itself is a crate of its own,
//! `linepress-print`.

/// One book in one format.
mod edition;
/// PDFs that were made, for a while.
mod made;
/// PDFs that are being made.
mod printing;
/// Print formats as clients see them.
mod resource;
/// The SQL of PDFs that were made.
mod store;

use made::Made;

pub use edition::{Edition, EditionDrawing, formats, proof};
pub use made::discard_of_book;
pub use printing::{PrintRequest, Printing, pdf_of};
pub use resource::PrintFormatResource;

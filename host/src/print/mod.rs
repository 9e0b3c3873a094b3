//! Printing: PDFs of what is stored, in the formats of the layouts and the editions of printers. The typesetting itself is a
//! crate of its own, `linepress-print`; what printers ask for is another, `linepress-printers`.

/// What a printer would find wrong with a PDF.
mod checking;
/// The ways to have one book printed.
mod choices;
/// The print formats in which an edition prints a book.
mod fitting;
/// The print formats of all layouts.
mod formats;
/// PDFs that were made, for a while.
mod made;
/// Making one PDF.
mod making;
/// A book as it is to be printed.
mod manuscript;
/// What is printed of a book, and where.
mod options;
/// PDFs that are being made.
mod printing;
/// Print formats as clients see them.
mod resource;
/// Sample books.
mod samples;
/// The SQL of PDFs that were made.
mod store;
/// Templates tried out before they serve.
mod trial;

use made::Made;

pub use checking::check;
pub use choices::{PrintChoice, choices};
pub use fitting::default_format;
pub use formats::{HiddenFormat, OfferedFormat, formats, hidden_formats};
pub use made::discard_of_book;
pub(crate) use making::load;
pub use making::proof;
pub use manuscript::{Manuscript, ManuscriptDrawing};
pub use options::PrintOptions;
pub use printing::{PrintRequest, pdf_of};
pub use resource::PrintFormatResource;
pub use samples::{SampleBook, difficult_books, leaves_of, sample_book};
pub use trial::SampleTrial;

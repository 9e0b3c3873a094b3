//! Printing: PDFs of books, in the formats of the layouts and the editions of printers. The crate `linepress-print`
//! typesets; `linepress-printers` knows the printers' requirements.

/// The cache of finished PDFs.
mod cache;
/// Preflight checks of PDFs.
mod checking;
/// Printers and sizes for one book.
mod choices;
/// The choice of a print format for an edition.
mod fitting;
/// The print formats of all layouts.
mod formats;
/// Making one PDF.
mod making;
/// The manuscript of a book.
mod manuscript;
/// Options of a PDF.
mod options;
/// Pictures of pages.
mod picturing;
/// PDFs in progress.
mod printing;
/// Print formats as clients see them.
mod resource;
/// Sample books.
mod samples;
/// The SQL of the cache.
mod store;
/// Trials of templates before they are used.
mod trial;

pub(crate) use cache::discard_of_book;
pub use checking::check;
pub use choices::{PrintChoice, choices, printer_refusal};
pub(crate) use fitting::default_format;
pub use formats::{HiddenFormat, OfferedFormat, formats, hidden_formats};
pub(crate) use making::load;
pub use making::{proof, unprintable_texts};
pub use manuscript::{Manuscript, ManuscriptDrawing};
pub use options::PrintOptions;
pub use picturing::excerpts_of;
pub(crate) use picturing::picture;
pub(crate) use printing::{OpenPdf, count_pages, drawings_on_pages, pdf_of};
pub use printing::{PrintRequest, page_count};
pub use resource::{PrintFormatResource, PrinterLimits, Trim, printers_of};
pub use samples::{SampleBook, difficult_books, leaves_of, sample_book};
pub use trial::SampleTrial;

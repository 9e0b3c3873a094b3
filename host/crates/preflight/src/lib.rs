//! Preflight: reports the problems that a printer would have with a PDF, whoever made it.
//!
//! The check reads the file and does not render it: boxes, dictionaries, and the operators that determine the size, ink
//! and font of each element. Every limit of a printer comes from `linepress-printers`. A file may be hostile, so the
//! work is limited (`budget`), and [`check_apart`] checks it in a process that can be killed.

/// The limits on the work of one check.
mod budget;
/// The steps of a check.
mod check;
/// The process that checks one file.
mod child;
/// The content of pages.
mod content;
/// The size of a cover.
mod cover;
/// The content of a cover by area.
mod cover_areas;
/// The file that the caller expects.
mod expected;
/// The checks of the file as a whole.
mod file;
/// The check that fonts are embedded.
mod fonts;
/// The margins for text and pictures on a page.
mod margins;
/// Pages, their boxes, and their inherited properties.
mod page;
/// Shortcuts to the objects of a PDF.
mod pdf;
/// The resolution at which pictures are placed.
mod placement;
/// The report of a check.
mod report;
/// The observations on the pages, and the findings that follow from them.
mod seen;
/// The sizes of pages.
mod size;

pub use budget::TooComplex;
pub use check::check;
pub use child::{check_apart, check_child};
pub use expected::Expected;
pub use placement::{Placement, placements};
pub use report::{Finding, PageRange, Report, Rule, Severity, page_words};

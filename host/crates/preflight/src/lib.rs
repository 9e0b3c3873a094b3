//! Preflight: what a printer would find wrong with a PDF, ours or not.
//!
//! The file is read, not rendered: boxes and dictionaries as they stand, and the operators of each page as far as they say
//! how large a picture is placed, with which ink, and in which font. Every figure of a printer is linepress-printers'.
//! A file may be hostile: what it may cost is counted (`budget`), and [`check_apart`] works in a process that can be killed.

/// What a check may cost.
mod budget;
/// The order of a check.
mod check;
/// The process that checks one file.
mod child;
/// What the operators of a page do.
mod content;
/// The size of a cover.
mod cover;
/// What is where on a cover.
mod cover_areas;
/// What holds for the file as a whole.
mod file;
/// Whether fonts are in the file.
mod fonts;
/// Where on a page text may begin, and pictures may lie.
mod margins;
/// Pages, their boxes, and what they inherit.
mod page;
/// Short ways through a PDF's objects.
mod pdf;
/// How large pictures are placed.
mod placement;
/// What a check finds.
mod report;
/// What was seen on the pages.
mod seen;
/// The sizes of pages.
mod size;

pub use budget::TooComplex;
pub use check::{Expected, check};
pub use child::{check_apart, check_child};
pub use placement::{Placement, placements};
pub use report::{Finding, PageRange, Report, Rule, Severity, page_words};

//! Printing: turns artwork and leaves into a print-ready PDF, with Typst in a separate process.
//!
//! The leaves define the content of each page, `linepress-printers` defines where a page may have ink, and the
//! templates define how a leaf looks. [`Renderer`] starts and limits the Typst processes (`child`).
//!
//! This crate does not depend on plugins, the database or the object store: callers pass in leaves, templates and
//! artwork, and get bytes back.

/// The barcode of a book's ISBN.
mod barcode;
/// The input of a render, and a digest that names its result.
mod book;
/// The upper limit on the resolution of printed drawings.
mod cap;
/// The process that typesets books.
mod child;
/// `data.json`, the file that the templates read.
mod data;
/// Typst's errors and warnings about a template.
mod diagnostic;
/// A digest of everything but the book that a PDF depends on.
mod digest;
/// The reasons for which a book could not be printed.
mod error;
/// The picture of a part of a finished PDF.
mod excerpt;
/// The changes that turn Typst's PDF into a file that printing services accept.
mod finish;
/// Characters that no font has a glyph for.
mod glyphs;
/// The protocol between the parent and the typesetting process.
mod job;
/// The sizes and areas of a page.
mod measures;
/// Typesetting processes that are reused for the next book.
mod pool;
/// A book's pages as pictures, with the problems found on them.
mod proof;
/// The processes that typeset books, and their limits.
mod renderer;
/// The sample book of a layout, as files.
mod sample;
/// The settings for rendering books.
mod settings;
/// System fonts, for characters that a layout's fonts lack.
mod system_fonts;
/// The files, fonts and library that a template can access.
mod world;

pub use book::{ContentKey, PrintBook, PrintDrawing, Purpose, RenderJob, has_wraparound};
pub use child::render_child;
pub use data::{COVER, drawing_path};
pub use diagnostic::{Diagnostic, Place};
pub use digest::typesetting_digest;
pub use error::PrintError;
pub use excerpt::{Excerpt, excerpt_child};
pub use measures::Rectangle;
pub use proof::{
    ARTWORK, Finding, PageBoxes, Pictures, Proof, ProofPage, Proofer, Rule, SourceArea, TemplateWatch, proof_child,
};
pub use renderer::{Permit, Renderer};
pub use sample::write_sample;
pub use settings::RenderSettings;
pub use system_fonts::{Supplement, SystemFace, SystemFonts};

//! Print: from artwork and leaves to a print-ready PDF, by Typst in a process of its own.
//!
//! The leaves say what the pages of a book are, `linepress-printers` where on the paper ink may be, the templates how a
//! leaf looks. Typst runs in a process of its own (`child`), which [`Renderer`] limits.
//!
//! It knows no plugin, no database and no object store: leaves, templates and artwork are handed in, bytes handed out.

/// What a render is made of, and a key that names its result.
mod book;
/// As many pixels as a printer takes.
mod cap;
/// The process that renders books.
mod child;
/// What the templates read.
mod data;
/// What Typst has to say about a template.
mod diagnostic;
/// What a PDF depends on besides its book.
mod digest;
/// Why a book could not be printed.
mod error;
/// What remains to be done to Typst's PDF until a printer accepts it.
mod finish;
/// Characters that no font has.
mod glyphs;
/// How a job travels to the child.
mod job;
/// The sizes and areas of a page.
mod measures;
/// Processes that stay for the next book.
mod pool;
/// A book's pages as pictures, and what is wrong with them.
mod proof;
/// Rendering, and its limits.
mod renderer;
/// The sample book of a layout, as files.
mod sample;
/// Fonts of the system.
mod system_fonts;
/// All that a template can see.
mod world;

pub use book::{ContentKey, PrintBook, PrintDrawing, Purpose, RenderJob, has_wraparound};
pub use child::render_child;
pub use data::{COVER, drawing_path};
pub use diagnostic::{Diagnostic, Place};
pub use digest::typesetting_digest;
pub use error::PrintError;
pub use measures::Rectangle;
pub use proof::{ARTWORK, Finding, PageBoxes, Pictures, Proof, ProofPage, Proofer, Rule, TemplateWatch, proof_child};
pub use renderer::{Permit, RenderSettings, Renderer};
pub use sample::write_sample;
pub use system_fonts::{Supplement, SystemFace, SystemFonts};

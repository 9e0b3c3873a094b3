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
/// What a PDF depends on besides its book.
mod digest;
/// Why a book could not be printed.
mod error;
/// What remains to be done to Typst's PDF until a printer accepts it.
mod finish;
/// How a job travels to the child.
mod job;
/// Processes that stay for the next book.
mod pool;
/// Rendering, and its limits.
mod renderer;
/// All that a template can see.
mod world;

pub use book::{ContentKey, PrintBook, PrintDrawing, Purpose, RenderJob, has_wraparound};
pub use child::render_child;
pub use digest::typesetting_digest;
pub use error::PrintError;
pub use renderer::{Permit, RenderSettings, Renderer};

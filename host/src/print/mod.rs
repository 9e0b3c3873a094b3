//! Formats, layouts and Typst: from artwork to a print-ready PDF.
//!
//! The layout plugin decides which leaves a book has, [`geometry`] where on the paper ink may be, the layout's
//! templates how a leaf looks. Typst runs in a process of its own ([`child`]), which [`Renderer`] limits.

/// What a render is made of.
mod book;
/// The process that typesets one book.
mod child;
/// What the templates read.
mod data;
/// One book in one format, made once and kept.
mod edition;
mod error;
/// What remains to be done to Typst's PDF until a printer accepts it.
mod finish;
/// Where on the paper ink may be.
pub mod geometry;
/// How a job travels to the child.
mod job;
/// The processes that typeset, and their limits.
mod renderer;
/// Print formats as clients see them.
mod resource;
/// All that a template can see.
mod world;

pub use book::{PrintBook, PrintDrawing, RenderJob};
pub use child::render_child;
pub use edition::{Edition, EditionDrawing, formats, pdf_of, proof};
pub use error::PrintError;
pub use renderer::{RenderSettings, Renderer};
pub use resource::PrintFormatResource;

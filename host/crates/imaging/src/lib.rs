//! Pictures: turns the bytes from a provider or a client into the displayed picture, its print master and its measures.
//!
//! The functions take bytes and return bytes. The crate has no storage, no clock and no threads: the caller limits how
//! many pictures are prepared at a time, and how long each may take.

/// Covers in color.
mod color;
/// Decoders from bytes to pixels, with limits.
mod decode;
/// The reasons for which an image cannot become a page.
mod error;
/// The faults of a generated drawing.
mod faults;
/// The placement of a picture on a page of a given shape.
mod fit;
/// The color of a cover around its picture.
mod ground;
/// Finished artwork from outside.
mod import;
/// Print masters: a picture as a one-image PDF.
mod master;
/// The memory that preparing an import takes.
mod memory;
/// The picture that clients get, made from a file.
mod normalise;
/// The preparation of a generated drawing for storage.
mod prepare;
/// The picture of a print master at full resolution.
mod print_picture;
/// The picture of a print master for a screen.
mod proof;
/// A customer's picture to draw from.
mod source;
/// Reduced pictures.
mod thumbnail;
/// The watermark of test drawings.
mod watermark;

pub use color::{prepare_color_drawing, prepare_color_import};
pub use decode::{HEAD, MAX_PIXELS, check_kind};
pub use error::{ArtworkError, FORMATS};
pub use faults::{Fault, faults};
pub use fit::IMPORT_TOLERANCE_PERCENT;
pub use import::prepare_import;
pub use linepress_raster::Measures;
pub use master::is_whole_master;
pub use memory::{LEAST_IMPORT_MEMORY, color_import_memory, import_memory};
pub use normalise::normalise;
pub use prepare::{Prepared, blank_master, prepare_drawing};
pub use print_picture::print_picture;
pub use proof::master_picture;
pub use source::prepare_source;
pub use thumbnail::thumbnail;
pub use watermark::watermarked;

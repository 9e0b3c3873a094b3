//! Pictures: from the bytes of a provider or a client to the picture that is shown, its print master and its measures.
//!
//! Pure: bytes come in and bytes go out. It knows no storage, no clock and no threads; how many pictures are prepared
//! at a time, and how long one may take, is for the caller.

/// From bytes to gray pixels, under limits.
mod decode;
/// Why an image cannot become a page.
mod error;
/// What is wrong with a generated drawing.
mod faults;
/// Where a picture goes on a page of a given shape.
mod fit;
/// Finished artwork from outside.
mod import;
/// A picture as a one-image PDF.
mod master;
/// How much memory preparing an import takes.
mod memory;
/// From a file to the picture that clients get.
mod normalise;
/// From a provider's bytes to everything that is stored.
mod prepare;
/// A print master as a picture.
mod print_picture;
/// What a print master shows.
mod proof;
/// A customer's picture to draw from.
mod source;
/// A picture made small.
mod thumbnail;

pub use decode::{FORMATS, HEAD, may_be_picture};
pub use error::ArtworkError;
pub use faults::{Fault, faults};
pub use import::prepare_import;
pub use linepress_raster::Measures;
pub use master::is_whole_master;
pub use memory::{LEAST_IMPORT_MEMORY, import_memory};
pub use normalise::normalise;
pub use prepare::{Prepared, blank_master, prepare_drawing};
pub use print_picture::print_picture;
pub use proof::master_picture;
pub use source::prepare_source;
pub use thumbnail::thumbnail;

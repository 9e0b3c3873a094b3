//! Images: from a provider's or a client's bytes to the stored picture and its print master.
/// From bytes to gray pixels, under limits.
mod decode;
mod error;
/// What is wrong with a generated drawing.
mod faults;
/// Where a picture goes on a page of a given shape.
mod fit;
/// Images as clients see them, and as they are kept.
mod image;
/// Finished artwork from outside.
mod import;
/// A file on its way in.
mod incoming;
/// A picture as a one-image PDF.
mod master;
/// From a file to the picture that clients get.
mod normalise;
/// From a provider's bytes to everything that is stored.
mod prepare;
/// Where a client's artwork comes from.
mod source;
mod store;
/// Files that are sent ahead of their import.
pub mod uploads;
/// Where imports are prepared, within a budget of memory.
mod workshop;

pub use error::ArtworkError;
pub use faults::{Fault, faults};
pub use image::{Download, Image, ImageColumns, NewArtwork, discard, download, insert};
pub use import::prepare_import;
pub use incoming::{Incoming, ReceiveError};
pub use linepress_model::{Aspect, Audience};
pub use linepress_raster::Measures;
pub use normalise::normalise;
pub use prepare::{Prepared, prepare_drawing};
pub use source::{Source, fetch_error, receive};
pub use workshop::Workshop;

//! Artwork: how images are received, imported, stored and handed out. What is done to their pixels is a crate of its
//! own, `linepress-imaging`.
/// Images as clients see them, and as they are kept.
mod image;
/// Where imports are prepared, within a budget of memory.
mod importer;
/// Where a client's artwork comes from.
mod source;
/// A file on its way in.
mod spooled_file;
/// The SQL of artworks.
mod store;
/// Files that are sent ahead of their import.
pub mod uploads;

pub use image::{Download, Image, ImageColumns, NewArtwork, discard, download, insert};
pub use importer::Importer;
pub use linepress_imaging::{
    ArtworkError, Fault, Measures, Prepared, faults, normalise, prepare_drawing, prepare_import,
};
pub use linepress_model::{Aspect, Audience};
pub use source::{Source, fetch_error, receive};
pub use spooled_file::{ReceiveError, SpooledFile};

//! Artwork: receiving, importing, storing and sending images. The crate `linepress-imaging` processes their pixels.
/// The pictures that a page, a cover or a character shows or has shown.
pub mod attempts;
/// The artwork in the bins of accounts.
pub mod bin;
/// A copy of artwork, for another target.
pub(crate) mod copy;
/// Images as clients see them, and as they are stored.
mod image;
/// The quality of a picture as a coloring page.
mod quality;
/// The sources of a client's artwork.
mod source;
/// The SQL of artworks.
mod store;
/// Transfers of files to and from clients.
pub mod transfers;
/// Files that are uploaded before the import that uses them.
pub mod uploads;

pub use image::{
    Download, Image, ImageColumns, ImageSize, NewArtwork, Origin, Status, discard, download, from_stored_artwork,
    insert,
};
pub(crate) use image::{download_for, print_for};
pub use linepress_imaging::{Fault, IMPORT_TOLERANCE_PERCENT, MAX_PIXELS as MAX_IMPORT_PIXELS};
pub use quality::{Quality, QualityColumns, explain_fault};
pub use source::{Source, receive};
pub(crate) use source::{digest_for, receive_source, receive_source_file};
pub(crate) use source::{fetch_error, receive_in_color};

//! Artwork: how images are received, imported, stored and handed out. What is done to their pixels is a crate of its
//! own, `linepress-imaging`.
/// Images as clients see them, and as they are kept.
mod image;
/// What a picture is like as a coloring page.
mod quality;
/// Where a client's artwork comes from.
mod source;
/// The SQL of artworks.
mod store;
/// Files on their way to clients and from them.
pub mod transfers;
/// Files that are sent ahead of their import.
pub mod uploads;

pub use image::{
    Download, Image, ImageColumns, ImageSize, NewArtwork, Status, discard, download, download_for, insert, of_stored,
    print_for,
};
pub use quality::Quality;
pub(crate) use quality::QualityColumns;
pub use source::{Source, digest_for, fetch_error, receive, receive_source, receive_source_file};

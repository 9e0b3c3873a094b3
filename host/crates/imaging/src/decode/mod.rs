//! From bytes to gray pixels, under limits: what comes from outside may be a bomb.
//!
//! Nothing but tones comes out: metadata, colors and transparency stay behind.

/// What a file says about itself before any pixel of it is decoded.
mod header;
/// JPEG, straight to its luma where it has one.
mod jpeg;
/// Which way up a picture is held.
mod orientation;
/// PNG, row by row.
mod png;
/// From colors and transparency to tones on white paper.
mod tones;
/// WebP.
mod webp;

use std::io::Cursor;

use linepress_raster::Gray;

use self::header::Format;
pub(crate) use self::header::Header;
pub use self::header::{HEAD, may_be_picture};
use crate::ArtworkError;

/// The formats that are decoded, for people.
pub const FORMATS: &str = "PNG, JPEG or WebP";

/// Providers send up to 20 MB; a finished page at 600 DPI as PNG stays below this too.
const LARGEST_FILE: usize = 64_000_000;
/// A letter page at 600 DPI has 34 million pixels.
const MOST_PIXELS: u64 = 40_000_000;
const LONGEST_SIDE: u32 = 12_000;

/// Decodes a picture in one of the [`FORMATS`], told by its content, turns it upright, lays it onto white and takes the color out.
pub(crate) fn decode(bytes: &[u8]) -> Result<Gray, ArtworkError> {
    if bytes.len() > LARGEST_FILE {
        return Err(ArtworkError::TooLarge { limit: LARGEST_FILE });
    }
    let header = Header::read(Cursor::new(bytes))?;
    let (gray, orientation) = match &header.format {
        Format::Png => png::decode(bytes, &header)?,
        Format::Jpeg(outline) => jpeg::decode(bytes, outline)?,
        Format::WebP(outline) => webp::decode(bytes, outline)?,
    };
    Ok(orientation::upright(gray, orientation))
}

#[cfg(test)]
mod tests;

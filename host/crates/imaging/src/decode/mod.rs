//! Decoders from bytes to gray pixels or to colors, with limits, because a file from outside may be a decompression
//! bomb.
//!
//! The result contains only pixels: metadata and transparency are discarded, and colors where tones are wanted.

/// Decoding to colors.
mod colors;
/// The header of a picture file.
mod header;
/// JPEG.
mod jpeg;
/// The orientation of a picture.
mod orientation;
/// PNG.
mod png;
/// Conversion of colors and transparency to tones on white paper.
mod tones;
/// WebP.
mod webp;

use std::io::Cursor;

use linepress_raster::Gray;

pub(crate) use self::colors::{COLOR_BYTES_PER_PIXEL, decode_colors, is_in_color};
use self::header::Format;
pub(crate) use self::header::Header;
pub use self::header::{HEAD, check_kind};
pub(crate) use self::tones::of_color as tone_of_color;
use crate::ArtworkError;

/// The largest file, in bytes. Providers send up to 20 MB, and a finished page at 600 DPI as PNG is smaller as well.
const MAX_FILE_BYTES: usize = 64_000_000;
/// The maximum number of pixels. A US Letter page at 600 DPI has 34 million.
pub const MAX_PIXELS: u64 = 40_000_000;
const MAX_SIDE_PIXELS: u32 = 12_000;

/// Decodes a picture in one of the [`crate::FORMATS`], detected by its content. The result is upright and gray, with
/// transparency laid onto white.
pub(crate) fn decode(bytes: &[u8]) -> Result<Gray, ArtworkError> {
    if bytes.len() > MAX_FILE_BYTES {
        return Err(ArtworkError::TooLarge { limit: MAX_FILE_BYTES });
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

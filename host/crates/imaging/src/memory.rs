//! The memory that preparing an import takes.
use std::io::{BufRead, Seek};

use crate::ArtworkError;
use crate::decode::{COLOR_BYTES_PER_PIXEL, Header};

const MEBIBYTE: u64 = 1024 * 1024;
/// The memory for making a master from any picture, in bytes: its sheet at 600 DPI takes 31 million, and measuring the
/// picture takes the rest. This and the next two values were measured with the worst case, which is dithered pictures.
const MASTER_BYTES: u64 = 64 * MEBIBYTE;
/// The memory for each pixel: a picture that is scaled halfway, and its runs of ink, grow with its pixels.
const MASTER_BYTES_PER_PIXEL: u64 = 4;
/// The number of pixels above which a picture's memory no longer grows, because the sheet cannot resolve more.
const MAX_RESOLVED_PIXELS: u64 = 12_000_000;

/// The memory that [`crate::prepare_import`] takes for any picture, in bytes.
pub const LEAST_IMPORT_MEMORY: u64 = MASTER_BYTES;

/// Returns the peak memory that [`crate::prepare_import`] takes for the picture in `file`, in bytes, in addition to the
/// file itself.
///
/// It reads only the header. It refuses a file that is not a picture, or has too many pixels, before any pixel is
/// decoded.
pub fn import_memory(file: impl BufRead + Seek) -> Result<u64, ArtworkError> {
    let header = Header::read(file)?;
    let pixels = header.pixels();
    // The picture is decoded first, and then the master is made from the gray picture: the larger of the two counts.
    let making = pixels + MASTER_BYTES + MASTER_BYTES_PER_PIXEL * pixels.min(MAX_RESOLVED_PIXELS);
    Ok(header.memory().max(making))
}

/// The same for [`crate::prepare_color_import`].
pub fn color_import_memory(file: impl BufRead + Seek) -> Result<u64, ArtworkError> {
    let header = Header::read(file)?;
    Ok(header.pixels() * COLOR_BYTES_PER_PIXEL + MASTER_BYTES)
}

//! How much memory preparing an import takes.
use std::io::{BufRead, Seek};

use crate::ArtworkError;
use crate::decode::Header;

const MEBIBYTE: u64 = 1024 * 1024;
/// What making a master takes of any picture: its sheet at 600 DPI, 31 million bytes, and what the picture is measured
/// with. Like the next two, found by measuring the worst, which are dithered pictures.
const MASTER: u64 = 64 * MEBIBYTE;
/// A picture scaled half way and its runs of ink grow with its pixels, up to those that the sheet can tell apart.
const MASTER_PER_PIXEL: u64 = 4;
const TOLD_APART: u64 = 12_000_000;

/// Bytes that [`crate::prepare_import`] takes of any picture.
pub const LEAST_IMPORT_MEMORY: u64 = MASTER;

/// Bytes that [`crate::prepare_import`] takes at most, beside the file itself, for the picture in `file`.
///
/// Only the header is read. Refuses what is no picture, and one with too many pixels, before any of them is decoded.
pub fn import_memory(file: impl BufRead + Seek) -> Result<u64, ArtworkError> {
    let header = Header::read(file)?;
    let pixels = header.pixels();
    // Decoding comes first, then the master is made from the gray picture: the larger of the two counts.
    let making = pixels + MASTER + MASTER_PER_PIXEL * pixels.min(TOLD_APART);
    Ok(header.memory().max(making))
}

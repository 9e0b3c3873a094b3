//! WebP.
use std::io::{self, BufRead, Cursor, Read as _, Seek, SeekFrom};

use image::codecs::webp::WebPDecoder;
use image::metadata::Orientation;
use image::{ColorType, ImageDecoder as _};
use linepress_raster::Gray;

use super::{orientation, tones};
use crate::ArtworkError;

/// The contents of the chunks of a WebP file.
#[derive(Debug)]
pub(super) struct Outline {
    pub(super) width: u32,
    pub(super) height: u32,
    animated: bool,
    /// True when the transparency is in a separate chunk, as in lossy pictures.
    alpha_chunk: bool,
    exif: Option<std::ops::Range<usize>>,
}

impl Outline {
    /// The number of bytes that the decoder needs for each pixel. Both values were measured.
    pub(super) fn bytes_per_pixel(&self) -> u64 {
        if self.alpha_chunk {
            // Ten and a half bytes: the decoder's output has four channels, the colors take one and a half bytes, and
            // the transparency has a lossless decoder with four channels, one of which is copied.
            11
        } else {
            // Lossless without transparency: the decoder's four channels, and the three of its output.
            7
        }
    }

    /// Reads the chunks. Returns `None` when they are invalid.
    ///
    /// The canvas of the extended format must be as large as the picture in it. The decoder would notice a difference
    /// only after it had decoded a picture of any size.
    pub(super) fn read(mut file: impl BufRead + Seek) -> io::Result<Option<Self>> {
        let end = file.seek(SeekFrom::End(0))?;
        file.seek(SeekFrom::Start(12))?;
        let mut next = 12;
        let (mut canvas, mut picture) = (None, None);
        let (mut animated, mut alpha_chunk, mut exif) = (false, false, None);
        while next + 8 <= end {
            let mut head = [0; 8];
            file.read_exact(&mut head)?;
            let [name @ .., a, b, c, d] = head;
            let length = u64::from(u32::from_le_bytes([a, b, c, d]));
            let mut content = Vec::new();
            let read = (&mut file).take(length.min(10)).read_to_end(&mut content)?;
            match &name {
                b"VP8X" => {
                    canvas = canvas.or(canvas_size(&content));
                    animated |= content.first().is_some_and(|flags| flags & 0b10 != 0);
                }
                b"VP8 " => picture = picture.or(lossy_size(&content)),
                b"VP8L" => picture = picture.or(lossless_size(&content)),
                b"ANIM" | b"ANMF" => animated = true,
                b"ALPH" => alpha_chunk = true,
                b"EXIF" if next + 8 + length <= end => {
                    let range = next + 8..next + 8 + length;
                    exif = usize::try_from(range.start).ok().zip(usize::try_from(range.end).ok());
                }
                _ => {}
            }
            // Chunks are padded to an even length. A relative seek keeps the buffered data.
            let padded = length + length % 2;
            file.seek_relative(padded as i64 - read as i64)?;
            next += 8 + padded;
        }
        let size = match (canvas, picture) {
            (Some(canvas), None) if animated => canvas,
            (Some(canvas), Some(picture)) if canvas == picture => picture,
            (None, Some(picture)) => picture,
            _ => return Ok(None),
        };
        Ok(Some(Self {
            width: size.0,
            height: size.1,
            animated,
            alpha_chunk,
            exif: exif.map(|(start, end)| start..end),
        }))
    }
}

/// Each side minus one, in 24 bits.
fn canvas_size(content: &[u8]) -> Option<(u32, u32)> {
    let [_, _, _, _, a, b, c, d, e, f] = *content else {
        return None;
    };
    let side = |low, middle, high| u32::from_le_bytes([low, middle, high, 0]) + 1;
    Some((side(a, b, c), side(d, e, f)))
}

/// Each side in 14 bits, after a tag and a start code of 3 bytes each (RFC 6386, section 9.1).
fn lossy_size(content: &[u8]) -> Option<(u32, u32)> {
    let [_, _, _, 0x9d, 0x01, 0x2a, a, b, c, d] = *content else {
        return None;
    };
    let side = |low, high| u32::from(u16::from_le_bytes([low, high]) & 0x3FFF);
    Some((side(a, b), side(c, d)))
}

/// Each side minus one, in 14 bits, after a signature.
fn lossless_size(content: &[u8]) -> Option<(u32, u32)> {
    let [0x2f, a, b, c, d, ..] = *content else {
        return None;
    };
    let bits = u32::from_le_bytes([a, b, c, d]);
    Some(((bits & 0x3FFF) + 1, ((bits >> 14) & 0x3FFF) + 1))
}

pub(super) fn decode(bytes: &[u8], outline: &Outline) -> Result<(Gray, Orientation), ArtworkError> {
    if outline.animated {
        return Err(ArtworkError::Animated);
    }
    let refused = |_| ArtworkError::NotAnImage;
    let decoder = WebPDecoder::new(Cursor::new(bytes)).map_err(refused)?;
    if decoder.dimensions() != (outline.width, outline.height) {
        return Err(ArtworkError::NotAnImage);
    }
    let color = decoder.color_type();
    let size = usize::try_from(decoder.total_bytes()).map_err(ArtworkError::processing)?;
    let mut pixels = vec![0; size];
    decoder.read_image(&mut pixels).map_err(refused)?;
    let pixels = match color {
        ColorType::Rgba8 => tones::in_place(pixels, tones::of_color_over_white),
        _ => tones::in_place(pixels, tones::of_color),
    };
    let exif = outline.exif.clone().and_then(|range| bytes.get(range));
    Ok((
        Gray::new(outline.width, outline.height, pixels),
        exif.map_or(Orientation::NoTransforms, orientation::of_exif),
    ))
}

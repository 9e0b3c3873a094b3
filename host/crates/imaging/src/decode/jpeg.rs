//! JPEG, straight to its luma where it has one: that is all a gray picture needs, and most of what a file holds.
use std::io::{self, BufRead, Seek};

use image::metadata::Orientation;
use linepress_raster::Gray;
use zune_core::bytestream::ZCursor;
use zune_core::colorspace::ColorSpace;
use zune_core::options::DecoderOptions;
use zune_jpeg::JpegDecoder;

use super::{LONGEST_SIDE, orientation, tones};
use crate::ArtworkError;

/// Every scan of a progressive picture goes over all of its pixels; programs write about ten.
const MOST_SCANS: usize = 40;
/// Metadata comes in segments of 64 kB at most. The decoder sorts some of them again with each that it meets, so what
/// looks harmless in tens would take hours in hundreds of thousands.
const MOST_SEGMENTS: usize = 2_000;

/// What the markers of a JPEG say.
#[derive(Debug)]
pub(super) struct Outline {
    pub(super) width: u32,
    pub(super) height: u32,
    /// How many samples each component has in a block of pixels: across and down.
    sampling: Vec<(u8, u8)>,
    /// All coefficients are kept until the last scan was read.
    buffered: bool,
    scans: usize,
}

impl Outline {
    /// Walks over the markers up to the end of the picture; nothing when they make no sense, an error of an unexpected
    /// end when the file ends before the picture does. What follows the picture is of no interest.
    pub(super) fn read(mut file: impl BufRead + Seek) -> io::Result<Option<Self>> {
        const START: u8 = 0xD8;
        const END: u8 = 0xD9;
        const SCAN: u8 = 0xDA;
        let mut outline: Option<Self> = None;
        let (mut scans, mut segments) = (0, 0);
        loop {
            let marker = next_marker(&mut file)?;
            match marker {
                START if segments == 0 => continue,
                START => return Ok(None),
                END => break,
                _ => segments += 1,
            }
            if segments > MOST_SEGMENTS {
                return Ok(None);
            }
            let mut length = [0; 2];
            file.read_exact(&mut length)?;
            let Some(length) = u16::from_be_bytes(length).checked_sub(2) else {
                return Ok(None);
            };
            match marker {
                // All frames but DHT, JPG and DAC, which have numbers between them.
                0xC0..=0xCF if !matches!(marker, 0xC4 | 0xC8 | 0xCC) => {
                    let mut frame = vec![0; length.into()];
                    file.read_exact(&mut frame)?;
                    let Some(read) = Self::of_frame(&frame, marker).filter(|_| outline.is_none()) else {
                        return Ok(None);
                    };
                    outline = Some(read);
                }
                SCAN => {
                    let mut scan = vec![0; length.into()];
                    file.read_exact(&mut scan)?;
                    scans += 1;
                    let components = scan.first().copied().unwrap_or(0);
                    if let Some(outline) = &mut outline {
                        outline.buffered |= usize::from(components) < outline.sampling.len();
                    }
                }
                _ => file.seek_relative(length.into())?,
            }
        }
        Ok(outline.filter(|_| scans > 0).map(|outline| Self { scans, ..outline }))
    }

    fn of_frame(frame: &[u8], marker: u8) -> Option<Self> {
        let [_precision, h1, h0, w1, w0, count, components @ ..] = frame else {
            return None;
        };
        let sampling: Vec<(u8, u8)> = components
            .chunks_exact(3)
            .map(|component| (component[1] >> 4, component[1] & 0xF))
            .collect();
        let known = matches!(sampling.len(), 1 | 3 | 4) && sampling.len() == usize::from(*count);
        let sane = sampling
            .iter()
            .all(|&(across, down)| (1..=4).contains(&across) && (1..=4).contains(&down));
        (known && sane).then(|| Self {
            width: u16::from_be_bytes([*w1, *w0]).into(),
            height: u16::from_be_bytes([*h1, *h0]).into(),
            sampling,
            buffered: matches!(marker, 0xC2 | 0xC6 | 0xCA | 0xCE),
            scans: 0,
        })
    }

    /// How many bytes the decoder takes for each pixel.
    pub(super) fn bytes_per_pixel(&self) -> u64 {
        let (across, down) = self.finest();
        let samples: u64 = self.sampling.iter().map(|&(across, down)| product(across, down)).sum();
        // A coefficient has 16 bits; samples are rounded up to whole ones for each pixel.
        let kept = if self.buffered {
            (2 * samples).div_ceil(product(across, down))
        } else {
            0
        };
        let given_out = match self.sampling.len() {
            1 => 1,
            3 if self.luma_is_finest() => 1,
            _ => 3,
        };
        kept + given_out
    }

    fn finest(&self) -> (u8, u8) {
        let across = self.sampling.iter().map(|&(across, _)| across).max();
        let down = self.sampling.iter().map(|&(_, down)| down).max();
        (across.unwrap_or(1), down.unwrap_or(1))
    }

    /// Whether the first of three components has a sample for every pixel, as all programs write it.
    fn luma_is_finest(&self) -> bool {
        self.sampling.len() == 3 && self.sampling[0] == self.finest()
    }
}

fn product(across: u8, down: u8) -> u64 {
    u64::from(across) * u64::from(down)
}

/// Skips compressed pixels and whatever else stands before the next marker.
fn next_marker(file: &mut impl BufRead) -> io::Result<u8> {
    const FILL: u8 = 0xFF;
    loop {
        file.skip_until(FILL)?;
        let mut byte = [FILL];
        while byte == [FILL] {
            file.read_exact(&mut byte)?;
        }
        // A pixel's 0xFF is followed by zero; restart markers and TEM have no length and change nothing here.
        if !matches!(byte, [0x00 | 0x01 | 0xD0..=0xD7]) {
            return Ok(byte[0]);
        }
    }
}

pub(super) fn decode(bytes: &[u8], outline: &Outline) -> Result<(Gray, Orientation), ArtworkError> {
    if outline.scans > MOST_SCANS {
        return Err(ArtworkError::TooManyScans { limit: MOST_SCANS });
    }
    let refused = |_| ArtworkError::NotAnImage;
    // Strict: otherwise what is missing from a damaged file is painted gray.
    let options = DecoderOptions::new_fast()
        .set_strict_mode(true)
        .jpeg_set_max_scans(MOST_SCANS)
        .set_max_width(LONGEST_SIDE as usize)
        .set_max_height(LONGEST_SIDE as usize);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().map_err(refused)?;
    let wanted = match (outline.sampling.len(), decoder.input_colorspace()) {
        (1, _) => ColorSpace::Luma,
        (3, Some(ColorSpace::YCbCr)) if outline.luma_is_finest() => ColorSpace::Luma,
        // Four inks are taken to be inverted, with and without Adobe's marker, as browsers and Pillow do.
        _ => ColorSpace::RGB,
    };
    decoder.set_options(options.jpeg_set_out_colorspace(wanted));
    let pixels = decoder.decode().map_err(refused)?;
    let orientation = decoder.exif().map(|exif| orientation::of_exif(exif));
    let pixels = match wanted {
        ColorSpace::Luma => pixels,
        _ => tones::in_place(pixels, tones::of_color),
    };
    Ok((
        Gray::new(outline.width, outline.height, pixels),
        orientation.unwrap_or(Orientation::NoTransforms),
    ))
}

//! JPEG. Where it has luma, only that is decoded: a gray picture needs nothing else.
use std::io::{self, BufRead, Seek};

use image::metadata::Orientation;
use linepress_raster::Gray;
use zune_core::bytestream::ZCursor;
use zune_core::colorspace::ColorSpace;
use zune_core::options::DecoderOptions;
use zune_jpeg::JpegDecoder;

use super::{MAX_SIDE_PIXELS, orientation, tones};
use crate::ArtworkError;

/// The maximum number of scans of a progressive picture. Each goes over all of its pixels; programs write about ten.
const MAX_SCANS: usize = 40;
/// The maximum number of segments. Metadata comes in segments of up to 64 kB. The decoder sorts some of them again for
/// each new one, so hundreds of thousands would take hours.
const MAX_SEGMENTS: usize = 2_000;

/// The contents of the markers of a JPEG.
#[derive(Debug)]
pub(super) struct Outline {
    pub(super) width: u32,
    pub(super) height: u32,
    /// The number of samples of each component in a block of pixels: across and down.
    sampling: Vec<(u8, u8)>,
    /// True when the decoder keeps all coefficients until it has read the last scan.
    buffered: bool,
    scans: usize,
}

impl Outline {
    /// Reads the markers up to the end of the picture, and ignores the bytes after it. Returns `None` when the markers
    /// are invalid, and an `UnexpectedEof` error when the file ends before the picture does.
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
            if segments > MAX_SEGMENTS {
                return Ok(None);
            }
            let mut length = [0; 2];
            file.read_exact(&mut length)?;
            let Some(length) = u16::from_be_bytes(length).checked_sub(2) else {
                return Ok(None);
            };
            match marker {
                // The markers of all frame types. DHT, JPG and DAC have numbers in the same range.
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

    /// The number of bytes that the decoder needs for each pixel.
    pub(super) fn bytes_per_pixel(&self) -> u64 {
        let (across, down) = self.finest();
        let samples: u64 = self.sampling.iter().map(|&(across, down)| product(across, down)).sum();
        // A coefficient has 16 bits. Samples are rounded up to whole ones for each pixel.
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

    pub(super) fn has_colors(&self) -> bool {
        self.sampling.len() > 1
    }

    fn finest(&self) -> (u8, u8) {
        let across = self.sampling.iter().map(|&(across, _)| across).max();
        let down = self.sampling.iter().map(|&(_, down)| down).max();
        (across.unwrap_or(1), down.unwrap_or(1))
    }

    /// Returns true when the first of three components has a sample for every pixel. Every known program writes it like
    /// that.
    fn luma_is_finest(&self) -> bool {
        self.sampling.len() == 3 && self.sampling[0] == self.finest()
    }
}

fn product(across: u8, down: u8) -> u64 {
    u64::from(across) * u64::from(down)
}

/// Skips compressed pixels and anything else up to the next marker, and returns that.
fn next_marker(file: &mut impl BufRead) -> io::Result<u8> {
    const FILL: u8 = 0xFF;
    loop {
        file.skip_until(FILL)?;
        let mut byte = [FILL];
        while byte == [FILL] {
            file.read_exact(&mut byte)?;
        }
        // In pixel data, 0xFF is followed by zero. Restart markers and TEM have no length, and change nothing here.
        if !matches!(byte, [0x00 | 0x01 | 0xD0..=0xD7]) {
            return Ok(byte[0]);
        }
    }
}

pub(super) fn decode(bytes: &[u8], outline: &Outline) -> Result<(Gray, Orientation), ArtworkError> {
    if outline.scans > MAX_SCANS {
        return Err(ArtworkError::TooManyScans { limit: MAX_SCANS });
    }
    let refused = |_| ArtworkError::NotAnImage;
    // Strict, because otherwise the missing part of a damaged file is painted gray.
    let options = DecoderOptions::new_fast()
        .set_strict_mode(true)
        .jpeg_set_max_scans(MAX_SCANS)
        .set_max_width(MAX_SIDE_PIXELS as usize)
        .set_max_height(MAX_SIDE_PIXELS as usize);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().map_err(refused)?;
    let wanted = match (outline.sampling.len(), decoder.input_colorspace()) {
        (1, _) => ColorSpace::Luma,
        (3, Some(ColorSpace::YCbCr)) if outline.luma_is_finest() => ColorSpace::Luma,
        // CMYK values are assumed to be inverted, with and without Adobe's marker, as in browsers and Pillow.
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

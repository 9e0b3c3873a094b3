//! PNG, decoded row by row. Whatever its depth and colors, only the gray picture is in memory.
use std::io::Cursor;

use ::png::{ColorType, Decoder, InterlaceInfo, Limits, Transformations};
use image::metadata::Orientation;
use linepress_raster::Gray;

use super::header::Header;
use super::{orientation, tones};
use crate::ArtworkError;

/// The memory limit of the decoder, in bytes: rows of the widest picture, and metadata. The pixels do not count.
const MAX_DECODER_BYTES: usize = 8 * 1024 * 1024;

pub(super) fn decode(bytes: &[u8], header: &Header) -> Result<(Gray, Orientation), ArtworkError> {
    let mut decoder = Decoder::new_with_limits(
        Cursor::new(bytes),
        Limits {
            bytes: MAX_DECODER_BYTES,
        },
    );
    decoder.set_ignore_text_chunk(true);
    decoder.set_ignore_iccp_chunk(true);
    decoder.set_transformations(Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(refused)?;
    let frames = reader.info().animation_control.map(|control| control.num_frames);
    if frames.is_some_and(|frames| frames > 1) {
        return Err(ArtworkError::Animated);
    }
    let (color, _) = reader.output_color_type();
    let width = header.width as usize;
    let mut pixels = vec![0; width * header.height as usize];
    let mut lines = 0;
    while let Some(row) = reader.next_interlaced_row().map_err(refused)? {
        match *row.interlace() {
            InterlaceInfo::Null(_) => {
                to_tones(color, row.data(), &mut pixels[lines * width..][..width]);
                lines += 1;
            }
            InterlaceInfo::Adam7(pass) => {
                let mut tones = vec![0; row.data().len() / color.samples()];
                to_tones(color, row.data(), &mut tones);
                png::expand_interlaced_row(&mut pixels, width, &tones, &pass, 8);
            }
        }
    }
    // EXIF may follow the pixels. All pixels are decoded at this point, so missing or broken data after them is
    // ignored.
    reader.finish().ok();
    let orientation = reader.info().exif_metadata.as_deref().map(orientation::of_exif);
    Ok((
        Gray::new(header.width, header.height, pixels),
        orientation.unwrap_or(Orientation::NoTransforms),
    ))
}

fn to_tones(color: ColorType, row: &[u8], tones: &mut [u8]) {
    fn each<const SIZE: usize>(row: &[u8], tones: &mut [u8], tone: impl Fn([u8; SIZE]) -> u8) {
        for (pixel, target) in row.as_chunks().0.iter().zip(tones) {
            *target = tone(*pixel);
        }
    }
    match color {
        ColorType::Grayscale | ColorType::Indexed => each(row, tones, |[tone]| tone),
        ColorType::GrayscaleAlpha => each(row, tones, tones::over_white),
        ColorType::Rgb => each(row, tones, tones::of_color),
        ColorType::Rgba => each(row, tones, tones::of_color_over_white),
    }
}

fn refused(_: png::DecodingError) -> ArtworkError {
    ArtworkError::NotAnImage
}

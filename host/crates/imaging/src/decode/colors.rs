//! Decoding to colors, for covers: any of the formats, upright, with transparency laid onto white.
//!
//! Colors are taken as sRGB. An embedded profile is ignored: generated pictures have none or that of sRGB, and in
//! another one the colors of a cover shift only a little.
use std::io::Cursor;

use image::codecs::jpeg::JpegDecoder;
use image::codecs::png::PngDecoder;
use image::codecs::webp::WebPDecoder;
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, Limits};
use linepress_raster::Colors;

use super::header::Format;
use super::{Header, MAX_FILE_BYTES, MAX_SIDE_PIXELS};
use crate::ArtworkError;

/// The memory limit of the decoder, in bytes: the largest picture with 16 bits for each of four channels.
const MAX_DECODER_BYTES: u64 = 400_000_000;

/// The peak memory for each pixel, in bytes: the decoder's output with transparency, its colors, and a scaled copy.
pub(crate) const COLOR_BYTES_PER_PIXEL: u64 = 12;

/// Returns true for a picture that our own encoders wrote in color: a PNG without a palette, or a JPEG with three
/// components.
pub(crate) fn is_in_color(bytes: &[u8]) -> bool {
    match Header::read(Cursor::new(bytes)).map(|header| header.format) {
        // The tenth byte of the header is the color type, 2 for RGB.
        Ok(Format::Png) => bytes.get(25) == Some(&2),
        Ok(Format::Jpeg(outline)) => outline.has_colors(),
        _ => false,
    }
}

/// Decodes a picture in color.
pub(crate) fn decode_colors(bytes: &[u8]) -> Result<Colors, ArtworkError> {
    if bytes.len() > MAX_FILE_BYTES {
        return Err(ArtworkError::TooLarge { limit: MAX_FILE_BYTES });
    }
    let header = Header::read(Cursor::new(bytes))?;
    let file = Cursor::new(bytes);
    match &header.format {
        Format::Png => decoded(PngDecoder::new(file).map_err(refused)?),
        Format::Jpeg(_) => decoded(JpegDecoder::new(file).map_err(refused)?),
        Format::WebP(_) => decoded(WebPDecoder::new(file).map_err(refused)?),
    }
}

fn decoded(mut decoder: impl ImageDecoder) -> Result<Colors, ArtworkError> {
    let mut limits = Limits::default();
    limits.max_image_width = Some(MAX_SIDE_PIXELS);
    limits.max_image_height = Some(MAX_SIDE_PIXELS);
    limits.max_alloc = Some(MAX_DECODER_BYTES);
    decoder.set_limits(limits).map_err(refused)?;
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let mut image = DynamicImage::from_decoder(decoder).map_err(refused)?;
    image.apply_orientation(orientation);
    let image = if image.color().has_alpha() {
        let pixels = image.into_rgba8();
        let (width, height) = pixels.dimensions();
        let over_white = |[red, green, blue, alpha]: [u8; 4]| {
            [red, green, blue].map(|value| super::tones::over_white([value, alpha]))
        };
        Colors::new(
            width,
            height,
            pixels.pixels().map(|pixel| over_white(pixel.0)).collect(),
        )
    } else {
        let pixels = image.into_rgb8();
        let (width, height) = pixels.dimensions();
        Colors::new(width, height, pixels.pixels().map(|pixel| pixel.0).collect())
    };
    Ok(image)
}

fn refused(_: image::ImageError) -> ArtworkError {
    ArtworkError::NotAnImage
}

//! From a file to the picture that clients get: gray, upright, of the recommended pixels.
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder as _};
use linepress_model::Aspect;
use linepress_raster::Gray;

use crate::ArtworkError;
use crate::decode::decode;
use crate::fit::fit;

/// A picture as it came and as it is shown.
pub(crate) struct Normalised {
    pub(crate) original: Gray,
    /// Of the aspect's recommended pixels, padded with white.
    pub(crate) image: Gray,
    pub(crate) aspect: Aspect,
}

/// Decodes a picture and fits it to its aspect; without one, the nearest is taken.
pub(crate) fn normalised(bytes: &[u8], aspect: Option<Aspect>) -> Result<Normalised, ArtworkError> {
    let original = decode(bytes)?;
    let aspect = aspect.unwrap_or_else(|| Aspect::nearest(original.width, original.height));
    let (width, height) = aspect.recommended_pixels();
    let image = fit(&original, aspect, width, height)?;
    Ok(Normalised {
        original,
        image,
        aspect,
    })
}

/// The 8-bit gray PNG of the recommended pixels that clients get for a picture.
pub fn normalise(bytes: &[u8], aspect: Option<Aspect>) -> Result<Vec<u8>, ArtworkError> {
    png(&normalised(bytes, aspect)?.image)
}

pub(crate) fn png(gray: &Gray) -> Result<Vec<u8>, ArtworkError> {
    let mut png = Vec::new();
    // A photograph comes out as small as by zlib's level 6 with the same filters, in a tenth of the time.
    PngEncoder::new_with_quality(&mut png, CompressionType::Fast, FilterType::Adaptive)
        .write_image(&gray.pixels, gray.width, gray.height, ExtendedColorType::L8)
        .map_err(ArtworkError::processing)?;
    Ok(png)
}

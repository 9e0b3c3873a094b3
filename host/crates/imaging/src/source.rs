//! A customer's picture, such as a photograph, in the form that image providers get.
use image::ExtendedColorType;
use image::codecs::jpeg::JpegEncoder;
use linepress_model::Aspect;

use crate::ArtworkError;
use crate::decode::decode;
use crate::thumbnail::scaled;

/// The longest side in pixels. More pixels would not give a page more lines.
const MAX_SIDE_PIXELS: u32 = 2048;
/// The smallest length of the shorter side in pixels. In a smaller picture nothing is recognizable.
const MIN_SIDE_PIXELS: u32 = 64;
/// The JPEG quality.
const JPEG_QUALITY: u8 = 90;

/// Returns the picture as a gray JPEG, upright and with at most 2,048 pixels on a side. It contains no metadata, such
/// as the place or the camera.
pub fn prepare_source(bytes: &[u8]) -> Result<Vec<u8>, ArtworkError> {
    let picture = decode(bytes)?;
    let (width, height) = (picture.width, picture.height);
    if width.min(height) < MIN_SIDE_PIXELS {
        let (recommended_width, recommended_height) = Aspect::nearest(width, height).recommended_pixels();
        return Err(ArtworkError::TooSmall {
            width,
            height,
            shortest: MIN_SIDE_PIXELS,
            recommended_width,
            recommended_height,
        });
    }
    let picture = match width.max(height) {
        ..=MAX_SIDE_PIXELS => picture,
        _ => scaled(&picture, MAX_SIDE_PIXELS)?,
    };
    let mut jpeg = Vec::new();
    JpegEncoder::new_with_quality(&mut jpeg, JPEG_QUALITY)
        .encode(&picture.pixels, picture.width, picture.height, ExtendedColorType::L8)
        .map_err(ArtworkError::processing)?;
    Ok(jpeg)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn photograph(width: u32, height: u32) -> Vec<u8> {
        let picture = image::RgbImage::from_fn(width, height, |x, y| {
            image::Rgb([(x * 255 / width) as u8, (y * 255 / height) as u8, 90])
        });
        let mut jpeg = std::io::Cursor::new(Vec::new());
        picture.write_to(&mut jpeg, image::ImageFormat::Jpeg).unwrap();
        jpeg.into_inner()
    }

    #[test]
    fn a_source_is_gray_and_reduced_to_the_limit() {
        for ((width, height), expected) in [((3000, 1500), (2048, 1024)), ((400, 300), (400, 300))] {
            let source = image::load_from_memory(&prepare_source(&photograph(width, height)).unwrap()).unwrap();
            assert_eq!(source.color(), image::ColorType::L8);
            assert_eq!((source.width(), source.height()), expected);
        }
    }

    #[test]
    fn a_file_that_is_not_a_picture_or_a_tiny_one_is_refused() {
        assert!(matches!(prepare_source(b"<svg/>"), Err(ArtworkError::NotAnImage)));
        let tiny = prepare_source(&photograph(300, 63));
        assert!(matches!(tiny, Err(ArtworkError::TooSmall { .. })), "{tiny:?}");
    }
}

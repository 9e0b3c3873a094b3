//! A customer's picture, such as a photograph, as image providers get it.
use image::ExtendedColorType;
use image::codecs::jpeg::JpegEncoder;
use linepress_model::Aspect;

use crate::ArtworkError;
use crate::decode::decode;
use crate::thumbnail::scaled;

/// More pixels show no more lines on a page.
const LONGEST_SIDE: u32 = 2048;
/// With fewer there is nothing to see.
const SHORTEST_SIDE: u32 = 64;
const QUALITY: u8 = 90;

/// The picture as a gray JPEG, upright and of at most 2,048 pixels a side: nothing of where and with what it was taken is
/// left in it.
pub fn prepare_source(bytes: &[u8]) -> Result<Vec<u8>, ArtworkError> {
    let picture = decode(bytes)?;
    let (width, height) = (picture.width, picture.height);
    if width.min(height) < SHORTEST_SIDE {
        let (recommended_width, recommended_height) = Aspect::nearest(width, height).recommended_pixels();
        return Err(ArtworkError::TooSmall {
            width,
            height,
            shortest: SHORTEST_SIDE,
            recommended_width,
            recommended_height,
        });
    }
    let picture = match width.max(height) {
        ..=LONGEST_SIDE => picture,
        _ => scaled(&picture, LONGEST_SIDE)?,
    };
    let mut jpeg = Vec::new();
    JpegEncoder::new_with_quality(&mut jpeg, QUALITY)
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
    fn a_source_is_gray_and_no_larger_than_it_need_be() {
        for ((width, height), expected) in [((3000, 1500), (2048, 1024)), ((400, 300), (400, 300))] {
            let source = image::load_from_memory(&prepare_source(&photograph(width, height)).unwrap()).unwrap();
            assert_eq!(source.color(), image::ColorType::L8);
            assert_eq!((source.width(), source.height()), expected);
        }
    }

    #[test]
    fn what_is_no_picture_or_a_tiny_one_is_refused() {
        assert!(matches!(prepare_source(b"<svg/>"), Err(ArtworkError::NotAnImage)));
        let tiny = prepare_source(&photograph(300, 63));
        assert!(matches!(tiny, Err(ArtworkError::TooSmall { .. })), "{tiny:?}");
    }
}

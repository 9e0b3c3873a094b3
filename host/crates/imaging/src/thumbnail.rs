//! Reduced pictures, for lists and for agents that want to see a picture.
use linepress_raster::{Gray, Placement};

use crate::ArtworkError;
use crate::color::color_png;
use crate::decode::{decode, decode_colors, is_in_color};

/// The length of the longer side in pixels at which reducing stops. In a smaller picture nothing is recognizable.
const MIN_SIDE_PIXELS: u32 = 64;

/// Returns the picture as a gray PNG whose longer side has at most `longest_side` pixels. It is reduced until it has at
/// most `most_bytes` bytes or its longer side has 64 pixels. A smaller picture is not enlarged.
///
/// A picture in color, as only covers have one, gives a picture in color.
pub fn thumbnail(bytes: &[u8], longest_side: u32, most_bytes: usize) -> Result<Vec<u8>, ArtworkError> {
    if is_in_color(bytes) {
        return color_thumbnail(bytes, longest_side, most_bytes);
    }
    let picture = decode(bytes)?;
    let mut side = longest_side.min(picture.width.max(picture.height));
    loop {
        let png = encode(&scaled(&picture, side)?)?;
        if png.len() <= most_bytes || side <= MIN_SIDE_PIXELS {
            return Ok(png);
        }
        side = (side * 4 / 5).max(MIN_SIDE_PIXELS);
    }
}

fn color_thumbnail(bytes: &[u8], longest_side: u32, most_bytes: usize) -> Result<Vec<u8>, ArtworkError> {
    let picture = decode_colors(bytes)?;
    let longest = picture.width.max(picture.height);
    let mut side = longest_side.min(longest);
    loop {
        let scale = f64::from(side) / f64::from(longest);
        // The cast is of a rounded, positive number that is at most the longest side.
        let length = |pixels: u32| ((f64::from(pixels) * scale).round() as u32).max(1);
        let scaled = picture.scaled(length(picture.width), length(picture.height));
        let png = color_png(&scaled.map_err(ArtworkError::processing)?)?;
        if png.len() <= most_bytes || side <= MIN_SIDE_PIXELS {
            return Ok(png);
        }
        side = (side * 4 / 5).max(MIN_SIDE_PIXELS);
    }
}

pub(crate) fn scaled(picture: &Gray, longest_side: u32) -> Result<Gray, ArtworkError> {
    let scale = f64::from(longest_side) / f64::from(picture.width.max(picture.height));
    // The cast is of a rounded, positive number that is at most the longest side.
    let length = |pixels: u32| ((f64::from(pixels) * scale).round() as u32).max(1);
    let (width, height) = (length(picture.width), length(picture.height));
    let placement = Placement {
        left: 0,
        top: 0,
        width,
        height,
    };
    picture
        .onto_sheet(width, height, placement)
        .map_err(ArtworkError::processing)
}

/// Encodes a PNG with 16 tones, which are enough for lines and take half the bytes.
pub(crate) fn encode(gray: &Gray) -> Result<Vec<u8>, ArtworkError> {
    let tone = |pixel: u8| (u16::from(pixel) * 15 / 255) as u8;
    let rows = gray.pixels.chunks(gray.width as usize);
    let packed: Vec<u8> = rows
        .flat_map(|row| {
            row.chunks(2)
                .map(|pair| tone(pair[0]) << 4 | pair.get(1).map_or(0, |pixel| tone(*pixel)))
        })
        .collect();
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, gray.width, gray.height);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Four);
    encoder.set_compression(png::Compression::High);
    let mut writer = encoder.write_header().map_err(ArtworkError::processing)?;
    writer.write_image_data(&packed).map_err(ArtworkError::processing)?;
    writer.finish().map_err(ArtworkError::processing)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A picture that compresses poorly.
    fn busy(width: u32, height: u32) -> Vec<u8> {
        let pixels = (0..width * height)
            .map(|at| (at.wrapping_mul(at) % 251) as u8)
            .collect();
        encode(&Gray::new(width, height, pixels)).unwrap()
    }

    #[test]
    fn a_thumbnail_fits_its_side_and_its_bytes() {
        let whole = thumbnail(&busy(300, 401), 200, usize::MAX).unwrap();
        let small = decode(&whole).unwrap();
        assert_eq!((small.width, small.height), (150, 200));
        let most = whole.len() / 2;
        let tight = thumbnail(&busy(300, 401), 200, most).unwrap();
        assert!(tight.len() <= most, "{}", tight.len());
        assert!(decode(&tight).unwrap().height < 200);
    }

    #[test]
    fn a_small_picture_is_not_resized() {
        let pixels = [0, 17, 85, 255, 254, 128];
        let picture = encode(&Gray::new(3, 2, pixels.to_vec())).unwrap();
        let same = decode(&thumbnail(&picture, 500, usize::MAX).unwrap()).unwrap();
        assert_eq!((same.width, same.height), (3, 2));
        assert_eq!(same.pixels, [0, 17, 85, 255, 238, 119]);
    }
}

//! A picture made small, for lists and for agents that want to see it.
use linepress_raster::{Gray, Placement};

use crate::ArtworkError;
use crate::decode::decode;

/// Below this nothing can be made out.
const SHORTEST: u32 = 64;

/// The picture as a gray PNG whose longer side has at most so many pixels and which has at most so many bytes: it is made
/// smaller until it fits. A smaller picture is not enlarged.
pub fn thumbnail(bytes: &[u8], longest_side: u32, most_bytes: usize) -> Result<Vec<u8>, ArtworkError> {
    let picture = decode(bytes)?;
    let mut side = longest_side.min(picture.width.max(picture.height));
    loop {
        let png = encode(&scaled(&picture, side)?)?;
        if png.len() <= most_bytes || side <= SHORTEST {
            return Ok(png);
        }
        side = (side * 4 / 5).max(SHORTEST);
    }
}

pub(crate) fn scaled(picture: &Gray, longest_side: u32) -> Result<Gray, ArtworkError> {
    let scale = f64::from(longest_side) / f64::from(picture.width.max(picture.height));
    // A cast of a rounded, positive number below the longest side.
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

/// Sixteen tones are enough for lines, and take half the bytes.
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

    /// Nothing that compresses well.
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
    fn a_small_picture_keeps_its_size_and_its_tones() {
        let pixels = [0, 17, 85, 255, 254, 128];
        let picture = encode(&Gray::new(3, 2, pixels.to_vec())).unwrap();
        let same = decode(&thumbnail(&picture, 500, usize::MAX).unwrap()).unwrap();
        assert_eq!((same.width, same.height), (3, 2));
        assert_eq!(same.pixels, [0, 17, 85, 255, 238, 119]);
    }
}

//! From bytes to gray pixels, under limits: what comes from outside may be a bomb.
use std::io::Cursor;

use image::{DynamicImage, ImageError, ImageFormat, ImageReader, Limits};
use linepress_raster::Gray;

use super::ArtworkError;

/// Providers send up to 20 MB; a finished page at 600 DPI as PNG stays below this too.
const LARGEST_FILE: usize = 64_000_000;
/// A letter page at 600 DPI has 34 million pixels.
const MOST_PIXELS: u64 = 40_000_000;
const LONGEST_SIDE: u32 = 12_000;
/// Sixteen bits of four channels for every pixel we accept, and what the decoder needs beside.
const MOST_MEMORY: u64 = MOST_PIXELS * 8 + 64 * 1024 * 1024;

/// Decodes a PNG, JPEG or WebP, told by its content, lays it onto white and takes the color out.
pub(super) fn decode(bytes: &[u8]) -> Result<Gray, ArtworkError> {
    if bytes.len() > LARGEST_FILE {
        return Err(ArtworkError::TooLarge { limit: LARGEST_FILE });
    }
    let (width, height) = reader(bytes)?.into_dimensions().map_err(refusal)?;
    if u64::from(width) * u64::from(height) > MOST_PIXELS {
        return Err(too_many_pixels());
    }
    Ok(gray(reader(bytes)?.decode().map_err(refusal)?))
}

fn reader(bytes: &[u8]) -> Result<ImageReader<Cursor<&[u8]>>, ArtworkError> {
    let mut reader = ImageReader::new(Cursor::new(bytes))
        .with_guessed_format()
        .map_err(|_| ArtworkError::NotAnImage)?;
    if !matches!(
        reader.format(),
        Some(ImageFormat::Png | ImageFormat::Jpeg | ImageFormat::WebP)
    ) {
        return Err(ArtworkError::NotAnImage);
    }
    let mut limits = Limits::default();
    limits.max_image_width = Some(LONGEST_SIDE);
    limits.max_image_height = Some(LONGEST_SIDE);
    limits.max_alloc = Some(MOST_MEMORY);
    reader.limits(limits);
    Ok(reader)
}

fn gray(image: DynamicImage) -> Gray {
    let (width, height) = (image.width(), image.height());
    if image.color().has_alpha() {
        Gray::flatten(width, height, &image.into_luma_alpha8())
    } else {
        Gray::new(width, height, image.into_luma8().into_raw())
    }
}

fn refusal(error: ImageError) -> ArtworkError {
    match error {
        ImageError::Limits(_) => too_many_pixels(),
        _ => ArtworkError::NotAnImage,
    }
}

fn too_many_pixels() -> ArtworkError {
    ArtworkError::TooManyPixels {
        limit: MOST_PIXELS,
        longest: LONGEST_SIDE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The header of a PNG that claims a size; what follows is missing.
    fn png_header(width: u32, height: u32) -> Vec<u8> {
        let mut png = b"\x89PNG\r\n\x1a\n\0\0\0\x0d".to_vec();
        let mut chunk = b"IHDR".to_vec();
        chunk.extend(width.to_be_bytes());
        chunk.extend(height.to_be_bytes());
        chunk.extend([8, 0, 0, 0, 0]);
        let checksum = checksum(&chunk);
        png.extend(chunk);
        png.extend(checksum.to_be_bytes());
        png.extend(b"\0\0\0\0IDAT");
        png
    }

    fn checksum(bytes: &[u8]) -> u32 {
        !bytes.iter().fold(u32::MAX, |sum, &byte| {
            (0..8).fold(sum ^ u32::from(byte), |sum, _| {
                (sum >> 1) ^ (0xEDB8_8320 & (sum & 1).wrapping_neg())
            })
        })
    }

    #[test]
    fn a_png_that_claims_too_many_pixels_is_refused_before_it_is_decoded() {
        for (width, height) in [(60_000, 60_000), (11_000, 11_000), (12_001, 10)] {
            let refusal = decode(&png_header(width, height)).unwrap_err();
            assert!(
                matches!(refusal, ArtworkError::TooManyPixels { .. }),
                "{width}: {refusal}"
            );
        }
    }

    #[test]
    fn what_is_no_image_is_refused() {
        for bytes in [
            &b""[..],
            b"GIF89a\x01\0\x01\0",
            b"<svg xmlns='http://www.w3.org/2000/svg'/>",
            &png_header(9, 9),
        ] {
            assert!(matches!(decode(bytes).unwrap_err(), ArtworkError::NotAnImage));
        }
    }

    #[test]
    fn transparency_becomes_white_paper() {
        let mut png = Cursor::new(Vec::new());
        let image = image::RgbaImage::from_fn(4, 4, |x, _| image::Rgba([0, 0, 0, if x < 2 { 255 } else { 0 }]));
        image.write_to(&mut png, ImageFormat::Png).unwrap();
        assert_eq!(decode(png.get_ref()).unwrap().pixels[..4], [0, 0, 255, 255]);
    }
}

//! The picture of a print master for a screen.
use linepress_raster::decode_group4;
use lopdf::{Document, Object, Stream};

use crate::ArtworkError;
use crate::thumbnail::{encode, thumbnail};

/// The longest side of a master in pixels. A larger image is not one of our masters.
const MAX_SIDE_PIXELS: u32 = 20_000;

/// Returns the picture of a print master as a gray PNG whose longer side has at most `longest_side` pixels.
pub fn master_picture(master: &[u8], longest_side: u32) -> Result<Vec<u8>, ArtworkError> {
    let document = Document::load_mem(master).map_err(|_| ArtworkError::NotAnImage)?;
    let image = document
        .objects
        .values()
        .find_map(image_of)
        .ok_or(ArtworkError::NotAnImage)?;
    match filter_of(image) {
        Some(b"CCITTFaxDecode") => {
            let (width, height) = (length(image, b"Width")?, length(image, b"Height")?);
            let bitmap = decode_group4(&image.content, width, height).ok_or(ArtworkError::NotAnImage)?;
            let longest = u64::from(width.max(height));
            let side = u64::from(longest_side).min(longest);
            // The result is at most the length itself, which is a u32.
            let scaled = |pixels: u32| ((u64::from(pixels) * side / longest) as u32).max(1);
            encode(&bitmap.shrunk(scaled(width), scaled(height)))
        }
        Some(b"DCTDecode") => thumbnail(&image.content, longest_side, usize::MAX),
        _ => Err(ArtworkError::NotAnImage),
    }
}

fn image_of(object: &Object) -> Option<&Stream> {
    let stream = object.as_stream().ok()?;
    let kind = stream.dict.get(b"Subtype").and_then(Object::as_name).ok()?;
    (kind == b"Image").then_some(stream)
}

fn filter_of(image: &Stream) -> Option<&[u8]> {
    image.dict.get(b"Filter").and_then(Object::as_name).ok()
}

fn length(image: &Stream, name: &[u8]) -> Result<u32, ArtworkError> {
    let length = image.dict.get(name).and_then(Object::as_i64).ok();
    length
        .and_then(|length| u32::try_from(length).ok())
        .filter(|length| (1..=MAX_SIDE_PIXELS).contains(length))
        .ok_or(ArtworkError::NotAnImage)
}

#[cfg(test)]
mod tests {
    use linepress_model::Aspect;
    use linepress_raster::{Bitmap, Gray};

    use super::*;
    use crate::master::{line_master, tone_master};

    #[test]
    fn a_master_looks_as_it_prints() {
        // The left half is ink.
        let pixels = (0..4800 * 6400).map(|index| if index % 4800 < 2400 { 0 } else { 255 });
        let gray = Gray::new(4800, 6400, pixels.collect());
        let line = line_master(&Bitmap::threshold(&gray, 128), Aspect::Portrait).unwrap();
        let tone = tone_master(&gray, Aspect::Portrait).unwrap();
        for master in [line, tone] {
            let picture = image::load_from_memory(&master_picture(&master, 320).unwrap()).unwrap();
            let picture = picture.to_luma8();
            assert_eq!(picture.dimensions(), (240, 320));
            assert!(picture.get_pixel(60, 160).0[0] < 10);
            assert!(picture.get_pixel(180, 160).0[0] > 240);
        }
    }

    #[test]
    fn a_file_that_is_not_a_master_has_no_picture() {
        for bytes in [b"".as_slice(), b"%PDF-1.4\n%%EOF", b"GIF89a"] {
            assert!(matches!(master_picture(bytes, 320), Err(ArtworkError::NotAnImage)));
        }
    }
}

//! The picture of a print master at full resolution, for customers who want to inspect it or to work on it.
use anyhow::{Context as _, anyhow};
use linepress_raster::group4_rows;
use lopdf::{Document, Object, Stream};

use crate::ArtworkError;
use crate::color::color_png;
use crate::decode::{decode, decode_colors, is_in_color};
use crate::master::DOTS_PER_INCH;
use crate::normalise::png;

/// Returns the picture of a print master as a PNG: with 1 bit per pixel where it is black and white, otherwise gray.
///
/// A black and white picture is converted row by row, so that its 31 million pixels are never in memory at the same
/// time.
pub fn print_picture(master: &[u8]) -> Result<Vec<u8>, ArtworkError> {
    let document = Document::load_mem(master).map_err(ArtworkError::processing)?;
    let image = image_of(&document).map_err(ArtworkError::processing)?;
    match image.dict.get(b"Filter").and_then(Object::as_name) {
        Ok(b"CCITTFaxDecode") => bilevel(image).map_err(ArtworkError::processing),
        Ok(b"DCTDecode") if is_in_color(&image.content) => color_png(&decode_colors(&image.content)?),
        Ok(b"DCTDecode") => png(&decode(&image.content)?),
        _ => Err(ArtworkError::processing(anyhow!(
            "the image of a print master has an unknown format"
        ))),
    }
}

fn image_of(document: &Document) -> anyhow::Result<&Stream> {
    let streams = document.objects.values().filter_map(|object| object.as_stream().ok());
    let is_image = |stream: &&Stream| matches!(stream.dict.get(b"Subtype").and_then(Object::as_name), Ok(b"Image"));
    let mut images = streams.filter(is_image);
    images.next().context("a print master without an image")
}

fn bilevel(image: &Stream) -> anyhow::Result<Vec<u8>> {
    let side = |name: &[u8]| -> anyhow::Result<u32> { Ok(u32::try_from(image.dict.get(name)?.as_i64()?)?) };
    let (width, height) = (side(b"Width")?, side(b"Height")?);
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::One);
    encoder.set_compression(png::Compression::Fast);
    // Most rows resemble the row above.
    encoder.set_filter(png::Filter::Up);
    encoder.set_pixel_dims(Some(png::PixelDimensions {
        xppu: pixels_per_meter(),
        yppu: pixels_per_meter(),
        unit: png::Unit::Meter,
    }));
    let mut whole = encoder.write_header()?;
    let mut writer = whole.stream_writer()?;
    let mut written = Ok(());
    let mut line = vec![0; width.div_ceil(8) as usize];
    group4_rows(&image.content, width, height, |changes| {
        line.fill(u8::MAX);
        for ink in changes.chunks(2) {
            blacken(&mut line, ink[0], ink.get(1).copied().unwrap_or(width));
        }
        if written.is_ok() {
            written = std::io::Write::write_all(&mut writer, &line);
        }
    })
    .context("the image in a print master is damaged")?;
    written?;
    writer.finish()?;
    whole.finish()?;
    Ok(bytes)
}

fn pixels_per_meter() -> u32 {
    // A meter has 39.37 inches. The cast is of a rounded, positive number.
    (f64::from(DOTS_PER_INCH) / 0.0254).round() as u32
}

/// Clears the bits from `start` up to but not including `end`. The first bit of a byte is its highest.
fn blacken(line: &mut [u8], start: u32, end: u32) {
    let (first, last) = ((start / 8) as usize, (end / 8) as usize);
    let before = !(u8::MAX >> (start % 8));
    let after = u8::MAX >> (end % 8);
    if first == last {
        line[first] &= before | after;
        return;
    }
    line[first] &= before;
    line[first + 1..last].fill(0);
    if let Some(byte) = line.get_mut(last) {
        *byte &= after;
    }
}

#[cfg(test)]
mod tests {
    use linepress_model::Aspect;
    use linepress_raster::{Bitmap, Gray};

    use super::*;
    use crate::master::{line_master, tone_master};

    #[test]
    fn every_run_of_ink_is_at_its_place() {
        let (width, height) = (83, 60);
        let ink = |x: u32, y: u32| x < y / 8 || x + 1 == width && y.is_multiple_of(2) || (y..y + y % 19).contains(&x);
        let pixels = (0..width * height)
            .map(|index| if ink(index % width, index / width) { 0 } else { 255 })
            .collect();
        let gray = Gray::new(width, height, pixels);
        let master = line_master(&Bitmap::threshold(&gray, 128), Aspect::Square).unwrap();
        let printed = print_picture(&master).unwrap();
        let reader = png::Decoder::new(std::io::Cursor::new(&printed)).read_info().unwrap();
        assert_eq!(reader.info().bit_depth, png::BitDepth::One);
        assert_eq!(reader.info().pixel_dims.map(|dims| dims.xppu), Some(23_622));
        assert_eq!(decode(&printed).unwrap(), gray);
    }

    #[test]
    fn tones_are_preserved() {
        let gray = Gray::new(64, 64, (0..64 * 64).map(|index| (index % 64 * 4) as u8).collect());
        let printed = decode(&print_picture(&tone_master(&gray, Aspect::Square).unwrap()).unwrap()).unwrap();
        assert_eq!((printed.width, printed.height), (64, 64));
        assert!(
            printed
                .pixels
                .iter()
                .zip(&gray.pixels)
                .all(|(a, b)| a.abs_diff(*b) <= 3)
        );
    }

    #[test]
    fn a_file_that_is_not_a_master_is_an_error() {
        assert!(matches!(print_picture(b"%PDF-1.4"), Err(ArtworkError::Processing(_))));
    }
}

//! Finished artwork from outside. It belongs to the customer, so it is measured but never judged, cleaned or repaired.
use linepress_model::Aspect;
use linepress_raster::{Bitmap, Measures};

use crate::ArtworkError;
use crate::fit::{IMPORT_TOLERANCE_PERCENT, fit, fit_lines};
use crate::master::{line_master, master_pixels, tone_master, tone_pixels};
use crate::normalise::{Normalised, normalised, png};
use crate::prepare::{INK_THRESHOLD, Prepared, measures_of};

/// The share of even tones below which a picture is line art. Outlines stay below a tenth of that even in a poor JPEG,
/// because soft edges do not count. A single shaded cheek or shadow takes a few hundredths of a page.
const MAX_LINE_ART_SHADED_SHARE: f64 = 0.02;

/// Decodes finished artwork under limits, fits it to `aspect`, or to the nearest aspect when that is `None`, makes its
/// print master and measures it.
pub fn prepare_import(bytes: &[u8], aspect: Option<Aspect>) -> Result<(Prepared, Aspect), ArtworkError> {
    let normalised = normalised(bytes, aspect)?;
    let (aspect, image) = (normalised.aspect, &normalised.image);
    let shaded = normalised.original.shaded_share();
    let prepared = Prepared {
        image: png(image)?,
        width: image.width,
        height: image.height,
        media_type: "image/png",
        measures: Measures {
            shaded,
            ..measures_of(&Bitmap::threshold(image, INK_THRESHOLD))
        },
        master: master(normalised, shaded < MAX_LINE_ART_SHADED_SHARE)?,
        is_color: false,
    };
    Ok((prepared, aspect))
}

fn master(normalised: Normalised, line_art: bool) -> Result<Vec<u8>, ArtworkError> {
    let Normalised { original, aspect, .. } = normalised;
    if line_art {
        let bitmap = fit_lines(
            &original,
            aspect,
            master_pixels(aspect),
            INK_THRESHOLD,
            IMPORT_TOLERANCE_PERCENT,
        )?;
        drop(original);
        return line_master(&bitmap, aspect);
    }
    let (width, height) = tone_pixels((original.width, original.height), aspect);
    let sheet = fit(&original, aspect, width, height)?;
    drop(original);
    tone_master(&sheet, aspect)
}

#[cfg(test)]
mod tests {
    use linepress_raster::Gray;
    use lopdf::{Dictionary, Document, Object};

    use super::*;

    fn picture(width: u32, height: u32, tone: impl Fn(u32, u32) -> u8) -> Vec<u8> {
        let pixels = (0..width * height)
            .map(|index| tone(index % width, index / width))
            .collect();
        png(&Gray::new(width, height, pixels)).unwrap()
    }

    /// Outlines of squares, 4 pixels thick, with specks that the cleanup of a drawing would remove.
    fn line_art(width: u32, height: u32) -> Vec<u8> {
        picture(width, height, |x, y| {
            let outline = x % 100 < 4 || y % 100 < 4;
            let speck = x % 100 == 50 && y % 100 == 50;
            if outline || speck { 0 } else { 255 }
        })
    }

    /// A gradient from black on the left to white on the right.
    fn photograph(width: u32, height: u32) -> Vec<u8> {
        picture(width, height, |x, _| (x * 255 / (width - 1)).try_into().unwrap())
    }

    fn import(bytes: &[u8], aspect: Option<Aspect>) -> Result<(Prepared, Aspect), String> {
        prepare_import(bytes, aspect).map_err(|error| error.to_string())
    }

    /// The image of a print master, its content, and the corners of its page in points.
    fn master_of(prepared: &Prepared) -> (Dictionary, Vec<u8>, Vec<f32>) {
        let master = Document::load_mem(&prepared.master).unwrap();
        let image = master
            .objects
            .values()
            .filter_map(|object| object.as_stream().ok())
            .find(|stream| stream.dict.has(b"ColorSpace"))
            .unwrap();
        let page = master.page_iter().next().unwrap();
        let media = master.get_dictionary(page).unwrap().get(b"MediaBox").unwrap();
        let corners = media.as_array().unwrap().iter().map(|value| value.as_float().unwrap());
        (image.dict.clone(), image.content.clone(), corners.collect())
    }

    fn numbers<const COUNT: usize>(dictionary: &Dictionary, names: [&str; COUNT]) -> [i64; COUNT] {
        names.map(|name| dictionary.get(name.as_bytes()).and_then(Object::as_i64).unwrap())
    }

    #[test]
    fn line_art_is_printed_in_black_and_white_with_its_specks() {
        let (prepared, aspect) = import(&line_art(1200, 1600), None).unwrap();
        assert_eq!(aspect, Aspect::Portrait);
        let (image, _, media) = master_of(&prepared);
        assert_eq!(
            numbers(&image, ["Width", "Height", "BitsPerComponent"]),
            [4800, 6400, 1]
        );
        assert_eq!(image.get(b"Filter").unwrap().as_name().unwrap(), b"CCITTFaxDecode");
        assert_eq!(media, [0.0, 0.0, 576.0, 768.0]);
        assert_eq!(prepared.measures.shaded, 0.0);
        assert_eq!(prepared.measures.gaps_closed, 0);
        // A speck of one pixel covers 16 pixels of the master. 12 of them are ink, and they stay.
        let with_specks = prepared.master.len();
        let clean = picture(1200, 1600, |x, y| if x % 100 < 4 || y % 100 < 4 { 0 } else { 255 });
        assert!(import(&clean, None).unwrap().0.master.len() < with_specks);
    }

    #[test]
    fn a_photograph_is_printed_with_its_tones() {
        let (prepared, aspect) = import(&photograph(3200, 2400), None).unwrap();
        assert_eq!(aspect, Aspect::Landscape);
        assert!(prepared.measures.shaded > 0.7, "{}", prepared.measures.shaded);
        let (image, jpeg, media) = master_of(&prepared);
        assert_eq!(
            numbers(&image, ["Width", "Height", "BitsPerComponent"]),
            [3200, 2400, 8]
        );
        assert_eq!(image.get(b"Filter").unwrap().as_name().unwrap(), b"DCTDecode");
        assert_eq!(image.get(b"ColorSpace").unwrap().as_name().unwrap(), b"DeviceGray");
        assert_eq!(media, [0.0, 0.0, 768.0, 576.0]);
        let printed = image::load_from_memory(&jpeg).unwrap();
        assert_eq!(printed.color(), image::ColorType::L8);
        let tones = printed.into_luma8();
        for x in [0, 800, 1600, 2400, 3199] {
            let expected = u8::try_from(x * 255 / 3199).unwrap();
            assert!(tones.get_pixel(x, 1200).0[0].abs_diff(expected) <= 2, "{x}");
        }
    }

    #[test]
    fn tones_are_printed_at_300_dpi_or_the_resolution_of_the_picture() {
        let sizes = [
            ((1200, 1600), [1200, 1600]),
            ((3000, 4000), [2400, 3200]),
            ((1000, 1400), [1050, 1400]),
        ];
        for ((width, height), expected) in sizes {
            let (prepared, _) = import(&photograph(width, height), Some(Aspect::Portrait)).unwrap();
            let (image, _, media) = master_of(&prepared);
            assert_eq!(numbers(&image, ["Width", "Height"]), expected);
            assert_eq!(media, [0.0, 0.0, 576.0, 768.0]);
        }
    }

    #[test]
    fn a_picture_close_to_the_aspect_is_padded_with_white() {
        let gray = picture(1000, 1090, |_, _| 60);
        let (prepared, aspect) = import(&gray, None).unwrap();
        assert_eq!((aspect, prepared.width, prepared.height), (Aspect::Square, 1024, 1024));
        let shown = image::load_from_memory(&prepared.image).unwrap().into_luma8();
        // 1024 / 1090 * 1000 = 939 columns, with 42 and 43 white columns at the sides.
        let row: Vec<u8> = (0..1024).map(|x| shown.get_pixel(x, 512).0[0]).collect();
        assert_eq!(row.iter().take_while(|&&tone| tone == 255).count(), 42);
        assert_eq!(row.iter().rev().take_while(|&&tone| tone == 255).count(), 43);
        assert!(row[42..981].iter().all(|&tone| tone == 60));
        assert_eq!((shown.get_pixel(512, 0).0, shown.get_pixel(512, 1023).0), ([60], [60]));
    }

    #[test]
    fn a_picture_of_another_shape_is_refused_with_the_recommended_size() {
        let wide = line_art(1600, 1000);
        let message = import(&wide, None).unwrap_err();
        assert!(message.contains("1536 x 1152"), "{message}");
        let message = import(&wide, Some(Aspect::Portrait)).unwrap_err();
        assert!(message.contains("1152 x 1536"), "{message}");
    }

    #[test]
    fn a_single_pixel_is_too_small() {
        let refusal = prepare_import(&picture(1, 1, |_, _| 0), None).unwrap_err();
        assert!(matches!(refusal, ArtworkError::TooSmall { .. }), "{refusal}");
    }

    #[test]
    fn a_page_that_a_provider_may_not_draw_may_be_imported() {
        for tone in [0, 255] {
            let (prepared, _) = import(&picture(400, 400, |_, _| tone), None).unwrap();
            assert_eq!(prepared.measures.ink, f64::from(u8::from(tone == 0)));
        }
    }

    #[test]
    fn outlines_saved_as_a_jpeg_are_still_line_art() {
        let lines = image::load_from_memory(&line_art(1200, 1600)).unwrap();
        for quality in [95, 75, 50] {
            let mut jpeg = Vec::new();
            let encoder = image::codecs::jpeg::JpegEncoder::new_with_quality(&mut jpeg, quality);
            lines.write_with_encoder(encoder).unwrap();
            let (prepared, _) = import(&jpeg, None).unwrap();
            assert!(
                prepared.measures.shaded < MAX_LINE_ART_SHADED_SHARE / 10.0,
                "{}",
                prepared.measures.shaded
            );
        }
    }
}

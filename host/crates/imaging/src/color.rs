//! Covers in color: the displayed picture, its print master, and the color of the cover around it.
//!
//! A print master in color is a PDF with two pages: the picture in sRGB, as Amazon KDP and Lulu ask of covers, and the
//! same picture in gray, which an interior prints with black ink alone. Both are JPEG at 300 pixels per inch; a smaller
//! picture is enlarged with a Lanczos filter. A picture that was drawn for the cover fills its front under the title; a
//! customer's own picture, which may contain a title, is printed whole.
use image::codecs::png::{CompressionType, FilterType, PngEncoder};
use image::{ExtendedColorType, ImageEncoder as _};
use linepress_model::Aspect;
use linepress_raster::{Colors, Gray, Measures};

use crate::ArtworkError;
use crate::decode::{decode_colors, tone_of_color};
use crate::fit::{DRAWING_TOLERANCE_PERCENT, IMPORT_TOLERANCE_PERCENT, check_shape, place};
use crate::ground::ground_of;
use crate::master::{Front, color_master, color_pixels};
use crate::prepare::{Prepared, measures_of};

/// Decodes a provider's cover in color under limits and makes its print master. A picture of a slightly different shape
/// fills the cover and loses some of its longer side.
pub fn prepare_color_drawing(bytes: &[u8], aspect: Aspect) -> Result<Prepared, ArtworkError> {
    let picture = decode_colors(bytes)?;
    check_shape((picture.width, picture.height), aspect, DRAWING_TOLERANCE_PERCENT)?;
    let (width, height) = aspect.recommended_pixels();
    // The largest part of the picture that has the shape of the cover. The casts are of rounded, positive numbers.
    let scale = (f64::from(picture.width) / f64::from(width)).min(f64::from(picture.height) / f64::from(height));
    let across = ((f64::from(width) * scale).round() as u32).clamp(1, picture.width);
    let down = ((f64::from(height) * scale).round() as u32).clamp(1, picture.height);
    let (left, top) = ((picture.width - across) / 2, (picture.height - down) / 2);
    let picture = if (across, down) == (picture.width, picture.height) {
        picture
    } else {
        picture.cropped(left, top, across, down)
    };
    prepared(&picture, aspect, Front::Filled)
}

/// Decodes a finished cover in color under limits, fits it to `aspect` or to the nearest aspect, and makes its print
/// master. A picture of a slightly different shape is padded with the color of its edge, never cropped.
pub fn prepare_color_import(bytes: &[u8], aspect: Option<Aspect>) -> Result<(Prepared, Aspect), ArtworkError> {
    let picture = decode_colors(bytes)?;
    let aspect = aspect.unwrap_or_else(|| Aspect::nearest(picture.width, picture.height));
    check_shape((picture.width, picture.height), aspect, IMPORT_TOLERANCE_PERCENT)?;
    Ok((prepared(&picture, aspect, Front::Framed)?, aspect))
}

fn prepared(picture: &Colors, aspect: Aspect, front: Front) -> Result<Prepared, ArtworkError> {
    let edge = edge_of(picture);
    let fitted = |(width, height): (u32, u32)| {
        let placement = place((picture.width, picture.height), (width, height));
        picture
            .onto_sheet(width, height, placement, edge)
            .map_err(ArtworkError::processing)
    };
    let shown = fitted(aspect.recommended_pixels())?;
    let printed = fitted(color_pixels(aspect, front))?;
    Ok(Prepared {
        image: color_png(&shown)?,
        width: shown.width,
        height: shown.height,
        media_type: "image/png",
        master: color_master(&printed, &in_gray(&printed), ground_of(&shown), aspect, front)?,
        measures: Measures {
            shaded: 1.0,
            ..measures_of(&linepress_raster::Bitmap::blank(shown.width, shown.height))
        },
        is_color: true,
    })
}

pub(crate) fn color_png(picture: &Colors) -> Result<Vec<u8>, ArtworkError> {
    let mut png = Vec::new();
    PngEncoder::new_with_quality(&mut png, CompressionType::Fast, FilterType::Adaptive)
        .write_image(picture.bytes(), picture.width, picture.height, ExtendedColorType::Rgb8)
        .map_err(ArtworkError::processing)?;
    Ok(png)
}

fn in_gray(picture: &Colors) -> Gray {
    let pixels = picture.pixels.iter().map(|pixel| tone_of_color(*pixel)).collect();
    Gray::new(picture.width, picture.height, pixels)
}

/// The mean color along the left and the right edge.
fn edge_of(picture: &Colors) -> [u8; 3] {
    let rows = picture.pixels.chunks_exact(picture.width as usize);
    let ends = rows.filter_map(|row| Some([*row.first()?, *row.last()?]));
    mean(ends.flatten())
}

fn mean(pixels: impl Iterator<Item = [u8; 3]>) -> [u8; 3] {
    let mut count = 0_u64;
    let mut sums = [0_u64; 3];
    for pixel in pixels {
        count += 1;
        for (sum, value) in sums.iter_mut().zip(pixel) {
            *sum += u64::from(value);
        }
    }
    // A mean of bytes is a byte.
    sums.map(|sum| (sum / count.max(1)) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(width: u32, height: u32, color: impl Fn(u32, u32) -> [u8; 3]) -> Vec<u8> {
        let pixels = (0..width * height).map(|index| color(index % width, index / width));
        color_png(&Colors::new(width, height, pixels.collect())).unwrap()
    }

    #[test]
    fn a_drawing_of_another_shape_fills_the_cover_and_an_import_is_padded() {
        // Green at the left and right edge, blue above and below.
        let wide = |x: u32, y: u32| match (x, y) {
            (0..20 | 780.., _) => [30, 160, 60],
            (_, 0..20 | 980..) => [20, 60, 200],
            _ => [200, 40, 40],
        };
        let bytes = picture(800, 1000, wide);
        let drawn = prepare_color_drawing(&bytes, Aspect::Portrait).unwrap();
        let imported = prepare_color_import(&bytes, Some(Aspect::Portrait)).unwrap().0;
        for (prepared, corner) in [(&drawn, [20, 60, 200]), (&imported, [30, 160, 60])] {
            let shown = image::load_from_memory(&prepared.image).unwrap().into_rgb8();
            assert_eq!(shown.dimensions(), (1152, 1536));
            assert_eq!((prepared.width, prepared.height, prepared.is_color), (1152, 1536, true));
            let found = shown.get_pixel(4, 4).0;
            assert!(found.iter().zip(corner).all(|(a, b)| a.abs_diff(b) < 12), "{found:?}");
        }
        let narrow = picture(500, 1000, wide);
        assert!(matches!(
            prepare_color_drawing(&narrow, Aspect::Portrait),
            Err(ArtworkError::WrongShape { .. })
        ));
    }

    #[test]
    fn a_thumbnail_and_the_print_picture_of_a_cover_are_in_color() {
        let bytes = picture(576, 768, |x, _| if x < 288 { [220, 30, 40] } else { [30, 60, 200] });
        let prepared = prepare_color_drawing(&bytes, Aspect::Portrait).unwrap();
        let small = crate::thumbnail(&prepared.image, 200, usize::MAX).unwrap();
        let printed = crate::print_picture(&prepared.master).unwrap();
        let shown = crate::master_picture(&prepared.master, 200).unwrap();
        for (png, size) in [(small, (150, 200)), (printed, (2700, 3600)), (shown, (150, 200))] {
            let picture = image::load_from_memory(&png).unwrap().into_rgb8();
            assert_eq!(picture.dimensions(), size);
            let [red, _, blue] = picture.get_pixel(size.0 / 4, size.1 / 2).0;
            assert!(red > 200 && blue < 60, "{red} {blue}");
        }
    }
}

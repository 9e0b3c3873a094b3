//! The preparation of a generated drawing for storage: the picture, its print master and its measures.
use linepress_model::{Aspect, Audience};
use linepress_raster::{Bitmap, Measures, find_gaps, line_weight, measure};

use crate::ArtworkError;
use crate::decode::decode;
use crate::fit::{DRAWING_TOLERANCE_PERCENT, fit_lines};
use crate::master::{line_master, master_pixels};
use crate::normalise::png;

/// A picture that is ready to be stored.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The picture that clients get: an 8-bit gray PNG with the aspect's recommended pixels; a cover in color is an
    /// 8-bit sRGB PNG.
    pub image: Vec<u8>,
    pub width: u32,
    pub height: u32,
    pub media_type: &'static str,
    /// The print master that books are made of: a one-image PDF. It is bilevel and has at least 600 DPI in print, or
    /// gray when an imported picture has tones; for a cover in color, see [`crate::prepare_color_drawing`].
    pub master: Vec<u8>,
    pub measures: Measures,
    /// True for a cover in color, whose measures as a coloring page mean nothing.
    pub is_color: bool,
}

/// The tone below which a pixel is ink.
pub(crate) const INK_THRESHOLD: u8 = 128;
/// The area below which a shape is too small to color, in pixels at the recommended size.
const MIN_SHAPE_PIXELS: u64 = 150;
/// The area of ink below which it is dirt, in pixels at the recommended size.
const MAX_SPECK_PIXELS: f64 = 9.0;
/// The area of paper below which it is a pinhole, in pixels at the recommended size.
const MAX_PINHOLE_PIXELS: f64 = 4.0;
/// The shorter side of a printed drawing, which determines the number of pixels in a millimeter.
const PRINTED_WIDTH_MM: f64 = 187.0;
/// The width of the tip of a crayon.
const CRAYON_MM: f64 = 3.0;

/// The widest gap between two strokes that is treated as a drawing error and closed, in millimeters on paper.
fn gap_mm(audience: Audience) -> f64 {
    match audience {
        Audience::Toddler => 1.5,
        Audience::Child => 1.2,
        Audience::Teen => 0.8,
        Audience::Adult => 0.5,
    }
}

/// Decodes a provider's image under limits, cleans it into line art, makes its print master and measures it.
pub fn prepare_drawing(bytes: &[u8], aspect: Aspect, audience: Audience) -> Result<Prepared, ArtworkError> {
    let decoded = decode(bytes)?;
    let (width, height) = aspect.recommended_pixels();
    let (master_width, master_height) = master_pixels(aspect);
    let shaded = decoded.shaded_share();
    let scale = f64::from(master_width) / f64::from(width);
    // The casts are of small positive numbers.
    let area = |pixels: f64| (pixels * scale * scale).ceil() as u64;
    let lines = fit_lines(
        &decoded,
        aspect,
        (master_width, master_height),
        INK_THRESHOLD,
        DRAWING_TOLERANCE_PERCENT,
    )?;
    drop(decoded);
    let mut bitmap = lines.despeckled(area(MAX_SPECK_PIXELS), area(MAX_PINHOLE_PIXELS));

    // The rest is done at the size that is displayed: the print has seventeen times as many pixels.
    let mut image = bitmap.shrunk(width, height);
    let mut shown = Bitmap::threshold(&image, INK_THRESHOLD);
    let gap = (gap_mm(audience) * per_millimeter(&shown)) as f32;
    let bridges = find_gaps(&shown, gap, MIN_SHAPE_PIXELS);
    if bridges.gaps > 0 {
        bitmap.stamp(&bridges.pixels, scale, (line_weight(&shown) / 2.0).max(1.0));
        image = bitmap.shrunk(width, height);
        shown = Bitmap::threshold(&image, INK_THRESHOLD);
    }
    let measures = Measures {
        shaded,
        gaps_closed: bridges.gaps,
        ..measures_of(&shown)
    };
    Ok(Prepared {
        image: png(&image)?,
        width,
        height,
        media_type: "image/png",
        master: line_master(&bitmap, aspect)?,
        measures,
        is_color: false,
    })
}

/// Makes the print master of a page without a drawing.
pub fn blank_master(aspect: Aspect) -> Result<Vec<u8>, ArtworkError> {
    let (width, height) = master_pixels(aspect);
    line_master(&Bitmap::blank(width, height), aspect)
}

/// Measures a black and white picture with the recommended pixels.
pub(crate) fn measures_of(shown: &Bitmap) -> Measures {
    measure(shown, MIN_SHAPE_PIXELS, CRAYON_MM * per_millimeter(shown))
}

fn per_millimeter(shown: &Bitmap) -> f64 {
    f64::from(shown.width().min(shown.height())) / PRINTED_WIDTH_MM
}

#[cfg(test)]
mod tests {
    use linepress_raster::Gray;

    use super::*;
    use crate::{Fault, faults};

    /// A PNG of a page. `ink` returns the tone of each pixel.
    fn drawing(width: u32, height: u32, ink: impl Fn(f64, f64) -> u8) -> Vec<u8> {
        let pixels = (0..width * height)
            .map(|index| ink(f64::from(index % width) + 0.5, f64::from(index / width) + 0.5))
            .collect();
        png(&Gray::new(width, height, pixels)).unwrap()
    }

    /// A ring, 6 pixels thick, with a hole of `gap` pixels on its right.
    fn ring(gap: f64) -> Vec<u8> {
        drawing(1152, 1536, |x, y| {
            let (x, y) = (x - 576.0, y - 768.0);
            let on_ring = (x.hypot(y) - 300.0).abs() < 3.0;
            let hole = x > 0.0 && y.abs() < gap / 2.0;
            if on_ring && !hole { 0 } else { 255 }
        })
    }

    #[test]
    fn a_drawing_becomes_a_picture_a_master_and_measures() {
        let prepared = prepare_drawing(&ring(0.0), Aspect::Portrait, Audience::Child).unwrap();
        assert_eq!(
            (prepared.width, prepared.height, prepared.media_type),
            (1152, 1536, "image/png")
        );
        let image = image::load_from_memory(&prepared.image).unwrap();
        assert_eq!(image.color(), image::ColorType::L8);
        let master = lopdf::Document::load_mem(&prepared.master).unwrap();
        assert_eq!(master.get_pages().len(), 1);
        assert!(prepared.master.len() < 60_000, "{}", prepared.master.len());
        assert_eq!((prepared.measures.shapes, prepared.measures.gaps_closed), (1, 0));
        assert!(
            (prepared.measures.line_weight - 6.0).abs() < 1.5,
            "{}",
            prepared.measures.line_weight
        );
        assert_eq!(faults(&prepared.measures, Audience::Child), []);
    }

    #[test]
    fn the_same_bytes_give_the_same_result() {
        let once = prepare_drawing(&ring(4.0), Aspect::Portrait, Audience::Child).unwrap();
        let again = prepare_drawing(&ring(4.0), Aspect::Portrait, Audience::Child).unwrap();
        assert_eq!((once.image, once.master), (again.image, again.master));
    }

    #[test]
    fn a_narrow_gap_is_closed_and_a_wide_opening_is_not() {
        let slip = prepare_drawing(&ring(5.0), Aspect::Portrait, Audience::Child).unwrap();
        assert_eq!((slip.measures.shapes, slip.measures.gaps_closed), (1, 1));
        let open = prepare_drawing(&ring(40.0), Aspect::Portrait, Audience::Child).unwrap();
        assert_eq!((open.measures.shapes, open.measures.gaps_closed), (0, 0));
    }

    #[test]
    fn dirt_is_removed() {
        let dirty = drawing(1024, 1024, |x, y| {
            let line = (x - 512.0).abs() < 4.0 && y > 100.0;
            let speck = x < 500.0 && x % 40.0 < 2.0 && y % 40.0 < 2.0;
            if line || speck { 0 } else { 255 }
        });
        let prepared = prepare_drawing(&dirty, Aspect::Square, Audience::Child).unwrap();
        let share = prepared.measures.ink * 1024.0 * 1024.0;
        assert!((share - 8.0 * 924.0).abs() < 40.0, "{share}");
    }

    #[test]
    fn a_blank_master_equals_the_master_of_an_empty_picture() {
        let empty = prepare_drawing(&drawing(1024, 1024, |_, _| 255), Aspect::Square, Audience::Child).unwrap();
        assert_eq!(blank_master(Aspect::Square).unwrap(), empty.master);
    }

    #[test]
    fn tones_and_fills_are_faults() {
        let shaded = drawing(1024, 1024, |x, y| match (x as u32 / 256 + y as u32 / 256) % 2 {
            0 => 160,
            _ => 255,
        });
        let prepared = prepare_drawing(&shaded, Aspect::Square, Audience::Adult).unwrap();
        assert!(prepared.measures.shaded > 0.4, "{}", prepared.measures.shaded);
        let filled = drawing(
            1024,
            1024,
            |x, y| {
                if (x - 512.0).hypot(y - 512.0) < 150.0 { 0 } else { 255 }
            },
        );
        let prepared = prepare_drawing(&filled, Aspect::Square, Audience::Adult).unwrap();
        assert_eq!(faults(&prepared.measures, Audience::Adult), [Fault::Filled]);
    }
}

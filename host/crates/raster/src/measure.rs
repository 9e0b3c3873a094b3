//! The measures of a drawing.
use crate::bitmap::Bitmap;
use crate::bits::Bits;
use crate::distance::Depths;
use crate::labels::Labels;

/// The measures of a drawing. Lengths and areas are in pixels of the measured picture.
#[derive(serde::Deserialize, serde::Serialize, Clone, Copy, Debug, Default, PartialEq)]
#[serde(default)]
pub struct Measures {
    /// The share of the page that is ink, 0 to 1.
    pub ink: f64,
    /// The share of the page that was an even gray before it was thresholded, 0 to 1.
    pub shaded: f64,
    /// The thickness of the ink at its thickest place. It is large where an area is filled instead of outlined.
    pub thickest: f64,
    /// The thickness of the median stroke.
    pub line_weight: f64,
    /// The number of shapes to color, without the background.
    pub shapes: u32,
    /// The share of the page that the largest shape takes, 0 to 1. It is large where colors can leak.
    pub largest_shape: f64,
    /// The number of shapes that are too small to color.
    pub specks: u32,
    /// The number of the other shapes that are narrower than the tip of a crayon.
    pub slivers: u32,
    /// The number of gaps between strokes that were closed.
    pub gaps_closed: u32,
}

/// Measures a bilevel drawing. A shape below `smallest` pixels is a speck, and a shape that is nowhere wider than `tip`
/// is a sliver.
///
/// `shaded` and `gaps_closed` are known only to earlier steps, and stay zero here.
pub fn measure(bitmap: &Bitmap, smallest: u64, tip: f64) -> Measures {
    let page = f64::from(bitmap.width()) * f64::from(bitmap.height());
    let (thickest, line_weight) = strokes(bitmap);
    let mut measures = Measures {
        ink: bitmap.ink() as f64 / page,
        thickest,
        line_weight,
        ..Measures::default()
    };
    for shape in shapes(bitmap, tip).iter().filter(|shape| !shape.touches_edge) {
        measures.shapes += 1;
        measures.largest_shape = measures.largest_shape.max(shape.area as f64 / page);
        if shape.area < smallest {
            measures.specks += 1;
        } else if !shape.is_wide {
            measures.slivers += 1;
        }
    }
    measures
}

/// The thickness of the median stroke, in pixels, or 0 for a page without ink.
pub fn line_weight(bitmap: &Bitmap) -> f64 {
    strokes(bitmap).1
}

/// The thickness of the thickest stroke and of the median one.
fn strokes(bitmap: &Bitmap) -> (f64, f64) {
    let mut depths = Depths::of(bitmap).of_middle_lines();
    if depths.is_empty() {
        return (0.0, 0.0);
    }
    let middle = depths.len() / 2;
    let (_, &mut median, rest) = depths.select_nth_unstable_by(middle, f32::total_cmp);
    let thickest = rest.iter().copied().fold(median, f32::max);
    // The middle of a stroke of w pixels is (w + 1) / 2 from the nearest pixel of paper.
    let thickness = |depth: f32| f64::from(depth) * 2.0 - 1.0;
    (thickness(thickest), thickness(median))
}

struct Shape {
    area: u64,
    /// True when a circle as wide as the tip of a crayon fits inside.
    is_wide: bool,
    touches_edge: bool,
}

fn shapes(bitmap: &Bitmap, tip: f64) -> Vec<Shape> {
    let paper = bitmap.inverted();
    let labels = Labels::of(&paper, false);
    let mut shapes: Vec<Shape> = labels
        .areas()
        .iter()
        .map(|&area| Shape {
            area,
            is_wide: false,
            touches_edge: false,
        })
        .collect();
    // The centers of all circles that fit inside. As with strokes, the middle of w pixels is (w + 1) / 2 pixels from
    // the ink.
    let centers = Bits::clear_of_ink(bitmap, ((tip + 1.0) / 2.0) as f32).to_bitmap();
    let (last_row, mut index) = (bitmap.height() as usize - 1, 0);
    for (y, (row, centers)) in paper.rows().zip(centers.rows()).enumerate() {
        let mut centers = centers.iter().peekable();
        for run in row {
            let shape = &mut shapes[labels.of_run(index) as usize];
            index += 1;
            shape.touches_edge |= y == 0 || y == last_row || run.start == 0 || run.end == bitmap.width();
            while centers.next_if(|center| center.start < run.end).is_some() {
                shape.is_wide = true;
            }
        }
    }
    shapes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gray::Gray;

    fn picture(ink: impl Fn(u32, u32) -> bool) -> Bitmap {
        let pixels = (0..200_u32 * 200)
            .map(|index| if ink(index % 200, index / 200) { 0 } else { 255 })
            .collect();
        Bitmap::threshold(&Gray::new(200, 200, pixels), 128)
    }

    /// Returns true for a pixel on the outline, 4 pixels thick, of a square between `low` and `high`.
    fn outline(x: u32, y: u32, low: u32, high: u32) -> bool {
        let within = |margin: u32| {
            let range = low + margin..high - margin;
            range.contains(&x) && range.contains(&y)
        };
        within(0) && !within(4)
    }

    #[test]
    fn an_outline_encloses_one_shape_and_the_background_does_not_count() {
        let measures = measure(&picture(|x, y| outline(x, y, 50, 150)), 150, 17.0);
        assert_eq!((measures.shapes, measures.specks, measures.slivers), (1, 0, 0));
        assert!((measures.largest_shape - 92.0 * 92.0 / 40_000.0).abs() < 1e-9);
        assert!((measures.line_weight - 4.0).abs() < 1.1, "{}", measures.line_weight);
        assert!(measures.thickest < 7.0, "{}", measures.thickest);
    }

    #[test]
    fn a_filled_shape_is_thick_however_thin_the_lines_around_it() {
        let measures = measure(
            &picture(|x, y| outline(x, y, 10, 190) || (80..120).contains(&x.max(y).min(x))),
            150,
            17.0,
        );
        assert!((measures.thickest - 40.0).abs() < 3.0, "{}", measures.thickest);
    }

    #[test]
    fn specks_and_slivers_are_counted_separately() {
        let ink = |x: u32, y: u32| {
            let block = (20..180).contains(&x) && (20..180).contains(&y);
            let speck = (40..50).contains(&x) && (40..50).contains(&y);
            let sliver = (100..108).contains(&x) && (40..160).contains(&y);
            block && !speck && !sliver
        };
        let measures = measure(&picture(ink), 150, 17.0);
        assert_eq!((measures.shapes, measures.specks, measures.slivers), (2, 1, 1));
    }

    #[test]
    fn the_measures_of_an_empty_page_are_zero() {
        assert_eq!(measure(&picture(|_, _| false), 150, 17.0), Measures::default());
    }
}

//! Draws the boxes and the faults of a page over its picture.
use linepress_print::{Finding, PageBoxes, Rectangle};

/// Points per inch, the unit of `typst-svg`'s pictures, and millimeters per inch.
const POINTS_PER_INCH: f64 = 72.0;
const MILLIMETERS_PER_INCH: f64 = 25.4;

pub(super) fn with_findings<'a>(
    svg: &str,
    boxes: Option<&PageBoxes>,
    findings: impl Iterator<Item = &'a Finding>,
) -> String {
    let mut marks = String::new();
    let bleed = boxes.map_or(0.0, |boxes| boxes.bleed);
    let mut mark = |rectangle: &Rectangle, color: &str, filled: &str| {
        let points = |millimeters: f64| millimeters * POINTS_PER_INCH / MILLIMETERS_PER_INCH;
        let (x, y) = (points(rectangle.x + bleed), points(rectangle.y + bleed));
        let (width, height) = (points(rectangle.width), points(rectangle.height));
        marks += &format!(
            r#"<rect x="{x:.2}" y="{y:.2}" width="{width:.2}" height="{height:.2}" fill="{filled}" fill-opacity="0.15" stroke="{color}" stroke-width="1"/>"#
        );
    };
    if let Some(boxes) = boxes {
        let trim = Rectangle {
            x: 0.0,
            y: 0.0,
            width: boxes.width,
            height: boxes.height,
        };
        mark(&trim, "#0077bb", "none");
        boxes.live.iter().for_each(|live| mark(live, "#cc7a00", "none"));
        boxes.safe.iter().for_each(|safe| mark(safe, "#2e8b45", "none"));
        boxes.free.iter().for_each(|free| mark(free, "#8a3ffc", "none"));
    }
    for area in findings.filter_map(|finding| finding.area) {
        mark(&area, "#d1242f", "#d1242f");
    }
    match svg.rfind("</svg>") {
        Some(end) => format!("{}{marks}{}", &svg[..end], &svg[end..]),
        None => svg.to_owned(),
    }
}

//! The colors of an element, checked for print with black ink alone: only black and white are allowed.
use typst::text::TextItem;
use typst::visualize::{Color, Image, ImageKind, Paint, ProcessColor, Shape};

/// The ink that an element leaves on paper.
pub(super) struct Ink {
    /// False for an element that is only white or fully transparent, and therefore invisible on paper.
    pub(super) is_seen: bool,
    /// The forbidden colors of the element, each worded to follow "is".
    pub(super) problems: Vec<String>,
}

impl Ink {
    pub(super) fn of_text(text: &TextItem) -> Self {
        Self::of([Some(&text.fill), text.stroke.as_ref().map(|stroke| &stroke.paint)])
    }

    pub(super) fn of_shape(shape: &Shape) -> Self {
        Self::of([shape.fill.as_ref(), shape.stroke.as_ref().map(|stroke| &stroke.paint)])
    }

    fn of(paints: [Option<&Paint>; 2]) -> Self {
        let paints = || paints.into_iter().flatten();
        Self {
            is_seen: paints().any(|paint| !is_white(paint)),
            problems: paints().filter_map(paint_problem).collect(),
        }
    }

    /// The problem with the colors of a picture, worded to follow the picture's name.
    pub(super) fn problem_of(image: &Image) -> Option<String> {
        match image.kind() {
            // Print masters are bilevel or gray, and `ornament` and `vector` check a designer's own pictures.
            ImageKind::Pdf(_) | ImageKind::Svg(_) => None,
            ImageKind::Raster(raster) => {
                let color = raster.dynamic().color();
                if color.has_color() {
                    Some("has color: save it in grayscale".into())
                } else if color.has_alpha() {
                    Some("is transparent: give it a white background".into())
                } else {
                    None
                }
            }
        }
    }
}

/// The problem with a color, worded to follow "is".
pub(super) fn paint_problem(paint: &Paint) -> Option<String> {
    let color = match paint {
        Paint::Gradient(_) => return Some("a gradient".into()),
        // A tiling consists of shapes, which print as they are.
        Paint::Tiling(_) => return None,
        Paint::Solid(color) => color,
    };
    if color.alpha().is_some_and(|alpha| alpha < 1.0) {
        return Some(format!("transparent ({})", color.to_hex()));
    }
    match color {
        Color::Process(ProcessColor::Luma(gray)) if gray.luma == 0.0 || gray.luma == 1.0 => None,
        Color::Process(ProcessColor::Luma(_)) => Some(format!("gray ({})", color.to_hex())),
        _ if is_white(paint) => None,
        _ if color.to_hex() == "#000000" => Some("a black of several inks: write black".into()),
        _ => Some(format!("colored ({})", color.to_hex())),
    }
}

pub(super) fn is_white(paint: &Paint) -> bool {
    match paint {
        Paint::Solid(color) => {
            color.alpha() == Some(0.0)
                || (color.to_hex() == "#ffffff" && color.alpha().is_none_or(|alpha| alpha == 1.0))
        }
        Paint::Gradient(_) | Paint::Tiling(_) => false,
    }
}

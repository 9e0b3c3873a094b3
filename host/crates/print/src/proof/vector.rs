//! The checks of a designer's SVG pictures.
//!
//! Typst writes their neutral colors as gray, so black and white print with black ink alone. Everything else is
//! reported: colors, and what a PDF can express only with transparency or pixels.
use std::collections::BTreeSet;

use typst::visualize::SvgImage;
use usvg::{BlendMode, Color, Group, Node, Paint, Path};

/// The maximum number of problems of a picture that are named. A picture may have any number of colors.
const MAX_NAMED_PROBLEMS: usize = 8;

/// The properties of an SVG that matter for print.
pub(super) struct Vector {
    /// The forbidden colors, each worded to follow the picture's name.
    pub(super) colors: BTreeSet<String>,
    /// The forbidden elements, each worded to follow the picture's name.
    pub(super) elements: BTreeSet<&'static str>,
    /// The width of the thinnest line that is not white, as a share of the picture's width.
    pub(super) thinnest: Option<f64>,
}

impl Vector {
    pub(super) fn of(svg: &SvgImage) -> Self {
        let mut vector = Self {
            colors: BTreeSet::new(),
            elements: BTreeSet::new(),
            thinnest: None,
        };
        vector.group(svg.tree().root(), svg.width());
        vector
    }

    /// Adds a group. `width` is that of the whole picture, in its own unit.
    fn group(&mut self, group: &Group, width: f64) {
        if group.opacity().get() < 1.0 {
            self.colors.insert("is partly transparent".to_owned());
        }
        if !group.filters().is_empty() {
            self.elements.insert("has a filter");
        }
        if group.mask().is_some() {
            self.elements.insert("has a mask");
        }
        if group.blend_mode() != BlendMode::Normal || group.isolate() {
            self.elements.insert("has a blend mode");
        }
        for child in group.children() {
            match child {
                Node::Group(inner) => self.group(inner, width),
                Node::Path(path) => self.path(path, width),
                Node::Image(_) => {
                    self.elements.insert("contains a picture");
                }
                Node::Text(_) => {
                    self.elements.insert("has text");
                }
            }
        }
    }

    fn path(&mut self, path: &Path, width: f64) {
        if !path.is_visible() {
            return;
        }
        if let Some(fill) = path.fill() {
            self.paint(fill.paint(), fill.opacity().get());
        }
        if let Some(stroke) = path.stroke() {
            self.paint(stroke.paint(), stroke.opacity().get());
            // A white line has no ink that could break.
            if !is_white(stroke.paint()) {
                let transform = path.abs_transform();
                let scale = f64::from(transform.sx).hypot(f64::from(transform.ky));
                let line = f64::from(stroke.width().get()) * scale / width;
                self.thinnest = Some(self.thinnest.map_or(line, |thinnest| thinnest.min(line)));
            }
        }
    }

    fn paint(&mut self, paint: &Paint, opacity: f32) {
        if opacity < 1.0 {
            self.colors.insert("is partly transparent".to_owned());
        }
        match paint {
            Paint::Color(Color { red, green, blue }) if red == green && green == blue => {
                if !matches!(red, 0 | 255) {
                    self.colors
                        .insert(format!("has gray (#{red:02x}{green:02x}{blue:02x})"));
                }
            }
            Paint::Color(Color { red, green, blue }) => {
                self.colors
                    .insert(format!("has color (#{red:02x}{green:02x}{blue:02x})"));
            }
            Paint::LinearGradient(_) | Paint::RadialGradient(_) => {
                self.colors.insert("has a gradient".to_owned());
            }
            Paint::Pattern(pattern) => self.pattern(pattern.root()),
        }
    }

    /// Adds the colors and elements of a pattern. Its lines are scaled in their own way and not measured.
    fn pattern(&mut self, root: &Group) {
        let thinnest = self.thinnest;
        self.group(root, 1.0);
        self.thinnest = thinnest;
    }
}

/// Joins problems, up to the maximum number of those that are named.
pub(super) fn joined(problems: &[&str]) -> String {
    let named = &problems[..problems.len().min(MAX_NAMED_PROBLEMS)];
    let more = match problems.len() - named.len() {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    format!("{}{more}", named.join(", "))
}

fn is_white(paint: &Paint) -> bool {
    matches!(
        paint,
        Paint::Color(Color {
            red: 255,
            green: 255,
            blue: 255
        })
    )
}

#[cfg(test)]
mod tests {
    use typst::foundations::Bytes;

    use super::*;

    fn vector(content: &str) -> Vector {
        let svg = format!(r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 100 50">{content}</svg>"#);
        Vector::of(&SvgImage::new(Bytes::from_string(svg)).unwrap())
    }

    #[test]
    fn black_and_white_shapes_pass_and_their_thinnest_line_is_measured() {
        let content = r#"<path d="M0 0h50v50z"/>
            <circle cx="9" cy="9" r="8" fill="white" stroke="black" stroke-width="2"/>
            <g transform="scale(3)"><path d="M1 1h9" stroke="black" stroke-width=".5"/></g>
            <path d="M1 1h9" stroke="white" stroke-width=".1"/>
            <clipPath id="c"><rect width="9" height="9"/></clipPath>
            <rect width="20" height="20" clip-path="url(#c)"/>"#;
        let found = vector(content);
        assert_eq!((found.colors.len(), found.elements.len()), (0, 0));
        assert!((found.thinnest.unwrap() - 0.015).abs() < 1e-6, "{:?}", found.thinnest);
        for content in [
            r#"<path d="M0 0h50v50z"/>"#,
            r#"<path d="M1 1h9" stroke="white" stroke-width=".1"/>"#,
        ] {
            assert_eq!(vector(content).thinnest, None, "{content}");
        }
    }

    #[test]
    fn a_picture_of_many_colors_is_described_in_one_line() {
        assert_eq!(joined(&["has a mask", "has text"]), "has a mask, has text");
        assert_eq!(
            joined(&["has text"; 9]),
            format!("{}, and 1 more", ["has text"; 8].join(", "))
        );
    }

    #[test]
    fn everything_else_is_named() {
        let rect = |attributes: &str| vector(&format!(r#"<rect width="9" height="9" {attributes}/>"#));
        let gradient = r#"<linearGradient id="g"><stop stop-color="red"/><stop offset="1"/></linearGradient>
            <rect width="9" height="9" fill="url(#g)"/>"#;
        for (found, told) in [
            (rect(r#"fill="red""#), "has color (#ff0000)"),
            (rect(r#"stroke="gray""#), "has gray (#808080)"),
            (rect(r#"fill-opacity=".5""#), "is partly transparent"),
            (rect(r#"opacity=".5""#), "is partly transparent"),
            (vector(gradient), "has a gradient"),
        ] {
            assert!(found.colors.contains(told), "{told}: {:?}", found.colors);
        }
        let blurred = r#"<filter id="f"><feGaussianBlur stdDeviation="2"/></filter>
            <rect width="9" height="9" filter="url(#f)"/>"#;
        assert!(vector(blurred).elements.contains("has a filter"));
        let masked = r#"<mask id="m"><rect width="5" height="5" fill="white"/></mask>
            <rect width="9" height="9" mask="url(#m)"/>"#;
        assert!(vector(masked).elements.contains("has a mask"));
        let blended = vector(r#"<g style="mix-blend-mode:multiply"><rect width="9" height="9"/></g>"#);
        assert!(blended.elements.contains("has a blend mode"), "{:?}", blended.elements);
    }
}

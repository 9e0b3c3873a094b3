//! The checks of laid-out pages. They read Typst's frames, where positions, colors and glyphs are exact, so nothing has
//! to be estimated from pixels.
mod allowed_area;
mod position;
mod sources;

use std::collections::BTreeMap;

use typst::layout::{Abs, Frame, FrameItem, GroupItem, Point, Rect, Size, Transform};
use typst::syntax::Span;
use typst::text::TextItem;
use typst::visualize::{Geometry, Image, ImageKind, Shape};
use typst_layout::{Page, PagedDocument};

use self::position::{Position, grown, pieces, placed, text_bounds};
pub(super) use self::sources::Sources;
use super::boxes::PageBoxes;
use super::finding::{Finding, Rule};
use super::ink::{Ink, is_white, paint_problem};
use super::ornament::Ornaments;
use super::picture::Artwork;
use super::vector::{Vector, joined};
use crate::diagnostic::Place;
use crate::glyphs::missing_in_text;
use crate::measures::Rectangle;
use crate::world::TemplateWorld;

/// The tolerance of lengths: a smaller difference is a rounding error and invisible in print.
const TOLERANCE_MM: f64 = 0.1;
/// The same for text, whose bounds include the side bearings of letters.
const TEXT_TOLERANCE_MM: f64 = 0.35;
/// How far letters may extend past their container, in units of the type size.
const OVERHANG_EM: f64 = 0.25;
/// The maximum length of a quoted text.
const MAX_QUOTED_CHARS: usize = 40;
/// The maximum number of findings in a proof. A template may break every rule on every page.
const MAX_FINDINGS: usize = 200;

/// The smallest readable type size, in points. It is below the documented 7 pt because emoji are set a little smaller.
const MIN_TYPE_PT: f64 = 6.0;
/// The thinnest line that prints, in points.
const MIN_LINE_PT: f64 = 0.73;
/// How far the proportions of a placed picture may differ from its own, as a share.
const MAX_STRETCH: f64 = 0.02;
/// The lowest resolution of a picture: 300 ppi, with a tolerance for rounding.
const MIN_PPI: f64 = 299.0;

/// Returns the problems on the pages, compared with the boxes that the pages should have.
pub(super) fn findings(
    world: &TemplateWorld,
    document: &PagedDocument,
    boxes: &[PageBoxes],
    artwork: &Artwork,
) -> Vec<Finding> {
    let pages = document.pages();
    let mut found: Vec<Finding> = world.unusable_fonts().iter().map(|file| unusable_font(file)).collect();
    let mut ornaments = Ornaments::default();
    if pages.len() != boxes.len() {
        found.push(Finding {
            leaf: pages.len().min(boxes.len()).max(1),
            rule: Rule::Pages,
            what: format!("{} leaves became {} pages", boxes.len(), pages.len()),
            place: None,
            area: None,
            times: 1,
        });
        // With too many pages, it is unknown which page belongs to which leaf.
        if pages.len() > boxes.len() {
            return found;
        }
    }
    for (index, (page, boxes)) in pages.iter().zip(boxes).enumerate() {
        let mut walk = Walk {
            world,
            leaf: index + 1,
            boxes,
            artwork,
            ornaments: &mut ornaments,
            marks: Marks::default(),
            found: BTreeMap::new(),
        };
        walk.page(page);
        found.extend(walk.found.into_values());
        found.truncate(MAX_FINDINGS);
    }
    found
}

fn unusable_font(file: &str) -> Finding {
    Finding {
        leaf: 1,
        rule: Rule::Font,
        what: format!("{file} cannot be read as a font"),
        place: Some(file.to_owned()),
        area: None,
        times: 1,
    }
}

/// The elements of a page that later checks need.
#[derive(Default)]
struct Marks {
    drawings: Vec<Rectangle>,
    /// The visible texts: a quotation of each, its area and its source.
    texts: Vec<(String, Rectangle, Option<Span>)>,
    /// The areas on which white is visible: filled shapes, and letters with an outline.
    dark: Vec<Rectangle>,
}

/// A walk over all elements of one page.
struct Walk<'a> {
    world: &'a TemplateWorld,
    leaf: usize,
    boxes: &'a PageBoxes,
    artwork: &'a Artwork,
    ornaments: &'a mut Ornaments,
    marks: Marks,
    found: BTreeMap<(Rule, String), Finding>,
}

impl Walk<'_> {
    fn page(&mut self, page: &Page) {
        let (width, height) = (page.frame.width().to_mm(), page.frame.height().to_mm());
        let bleed = page.bleed.left.to_mm();
        let is = |found: f64, wanted: f64| (found - wanted).abs() < TOLERANCE_MM;
        if !is(width, self.boxes.width) || !is(height, self.boxes.height) || !is(bleed, self.boxes.bleed) {
            let PageBoxes {
                width: wide,
                height: high,
                bleed: wanted,
                ..
            } = self.boxes;
            let what = format!(
                "the page has {width:.1} x {height:.1} mm and a bleed of {bleed:.1}, but should have \
                 {wide:.1} x {high:.1} and {wanted:.1}"
            );
            self.report(Rule::Size, what, None, None);
        }
        if let Some(problem) = page.fill_or_transparent().as_ref().and_then(paint_problem) {
            self.report(Rule::Ink, format!("the page is filled with {problem}"), None, None);
        }
        self.frame(&page.frame, &Position::of_page());
        self.check_drawing();
    }

    /// Checks that the leaf's drawing is on its page and that no text is printed across it.
    fn check_drawing(&mut self) {
        let Marks { drawings, texts, .. } = std::mem::take(&mut self.marks);
        if drawings.is_empty() && self.boxes.kind == "drawing" && self.boxes.drawing.is_some() {
            self.report(
                Rule::Drawing,
                "the drawing of this leaf is not on its page".into(),
                None,
                None,
            );
        }
        for (text, area, span) in texts {
            let covers = |drawing: &&Rectangle| {
                let common = drawing.intersection(&area);
                common.is_some_and(|common| common.width > 1.0 && common.height > 1.0)
            };
            if drawings.iter().any(|drawing| covers(&drawing)) {
                self.report(
                    Rule::Covered,
                    format!("{text} is printed across a drawing"),
                    span,
                    Some(area),
                );
            }
        }
    }

    fn frame(&mut self, frame: &Frame, position: &Position) {
        for (point, item) in frame.items() {
            let here = position.moved(Transform::translate(point.x, point.y));
            match item {
                FrameItem::Group(group) => self.group(group, &here),
                FrameItem::Text(text) => self.text(text, &here),
                FrameItem::Shape(shape, span) => self.shape(shape, *span, &here),
                FrameItem::Image(image, size, span) => self.image(image, *size, *span, &here),
                FrameItem::Link(_, size) => {
                    let area = here.visible(Rect::from_pos_size(Point::zero(), *size));
                    self.report(Rule::Link, "a link".into(), None, area);
                }
                FrameItem::Tag(_) => {}
            }
        }
    }

    fn group(&mut self, group: &GroupItem, outside: &Position) {
        let mut inside = outside.within(group);
        let size = group.frame.size();
        // Content in a box without a width or height is meant to extend past it.
        if group.frame.kind().is_hard() && size.x > Abs::pt(1.0) && size.y > Abs::pt(1.0) && inside.clip.is_none() {
            inside.containers.push((Transform::identity(), size));
        }
        self.frame(&group.frame, &inside);
    }

    fn text(&mut self, text: &TextItem, position: &Position) {
        let span = text.glyphs.first().map(|glyph| glyph.span.0);
        let missing: Vec<char> = missing_in_text(text).collect();
        let stroke = text
            .stroke
            .as_ref()
            .map_or(Abs::zero(), |stroke| stroke.thickness / 2.0);
        let bounds = grown(text_bounds(text), stroke);
        if !missing.is_empty() {
            let mut letters: Vec<String> = missing
                .into_iter()
                .map(|letter| format!("{letter} (U+{:04X})", u32::from(letter)))
                .collect();
            letters.sort();
            letters.dedup();
            let what = format!("no font has {}", letters.join(", "));
            self.report(Rule::Glyphs, what, span, position.visible(bounds));
        }
        let ink = Ink::of_text(text);
        for problem in ink.problems {
            let what = format!("{} is {problem}", quoted(text));
            self.report(Rule::Ink, what, span, position.visible(bounds));
        }
        let area = position.visible(bounds);
        let is_empty = text.text.trim().is_empty();
        if !ink.is_seen {
            let is_on_dark = |area: &Rectangle| {
                let (x, y) = (area.x + area.width / 2.0, area.y + area.height / 2.0);
                let has =
                    |dark: &Rectangle| (dark.x..=dark.right()).contains(&x) && (dark.y..=dark.bottom()).contains(&y);
                self.marks.dark.iter().any(has)
            };
            if let Some(area) = area.filter(|area| !is_empty && !is_on_dark(area)) {
                self.report(
                    Rule::White,
                    format!("{} is white on white", quoted(text)),
                    span,
                    Some(area),
                );
            }
            return;
        }
        if let Some(area) = area {
            if text.stroke.is_some() {
                self.marks.dark.push(area);
            }
            if !is_empty {
                self.marks.texts.push((quoted(text), area, span));
            }
        }
        let size = text.size.to_pt() * position.scale();
        if size < MIN_TYPE_PT && !is_empty {
            self.report(
                Rule::Small,
                format!("{} is set at {size:.1} pt", quoted(text)),
                span,
                area,
            );
        }
        if let Some(area) = area {
            self.check_safe_box(&quoted(text), area, TEXT_TOLERANCE_MM, span);
        }
        self.check_overflow(text, position, span);
    }

    /// Checks that a line of text lies inside each box around it.
    fn check_overflow(&mut self, text: &TextItem, position: &Position, span: Option<Span>) {
        let overhang = (text.size * OVERHANG_EM).to_mm();
        for (way, size) in position.containers.iter().rev() {
            // Only the baseline is checked: the height of a line is the designer's choice.
            let line = Rect::new(Point::zero(), Point::with_x(text.width()));
            let Some(line) = placed(line, *way) else { continue };
            let container = Rectangle {
                x: 0.0,
                y: 0.0,
                width: size.x.to_mm(),
                height: size.y.to_mm(),
            };
            let most = container.excess(&line).into_iter().fold(0.0, f64::max);
            if most > overhang {
                let what = format!("{} extends {most:.1} mm out of a box", quoted(text));
                let area = position.visible(Rect::new(Point::with_y(-text.size), Point::with_x(text.width())));
                self.report(Rule::Overflow, what, span, area);
                return;
            }
        }
    }

    fn shape(&mut self, shape: &Shape, span: Span, position: &Position) {
        let area = position.visible(shape.bbox(true));
        let name = match &shape.geometry {
            Geometry::Line(_) => "a line",
            Geometry::Rect(_) => "a rectangle",
            Geometry::Curve(_) => "a shape",
        };
        let ink = Ink::of_shape(shape);
        for problem in ink.problems {
            self.report(Rule::Ink, format!("{name} is {problem}"), Some(span), area);
        }
        let Some(area) = area.filter(|_| ink.is_seen) else {
            return;
        };
        if shape.fill.as_ref().is_some_and(|fill| !is_white(fill)) {
            self.marks.dark.push(area);
        }
        if let Some(stroke) = shape.stroke.as_ref().filter(|stroke| !is_white(&stroke.paint)) {
            let width = stroke.thickness.to_pt() * position.scale();
            if width < MIN_LINE_PT {
                self.report(
                    Rule::Thin,
                    format!("{name} is drawn {width:.2} pt thick"),
                    Some(span),
                    Some(area),
                );
            }
        }
        self.check_live_box(name, area, Some(span));
        // An outline covers only its strokes, not the area that it surrounds.
        match (&shape.geometry, &shape.fill, &shape.stroke) {
            (Geometry::Curve(curve), None, Some(stroke)) => {
                let by = stroke.thickness / 2.0;
                for piece in pieces(curve) {
                    if let Some(area) = position.visible(grown(piece, by)) {
                        self.check_barcode_box(name, &area, Some(span));
                    }
                }
            }
            _ => self.check_barcode_box(name, &area, Some(span)),
        }
    }

    fn image(&mut self, image: &Image, size: Size, span: Span, position: &Position) {
        let Some(area) = position.visible(Rect::from_pos_size(Point::zero(), size)) else {
            return;
        };
        let (name, is_drawing) = match image.kind() {
            ImageKind::Pdf(_) => ("a drawing", true),
            ImageKind::Raster(_) | ImageKind::Svg(_) => ("a picture", false),
        };
        if let Some(problem) = Ink::problem_of(image) {
            self.report(Rule::Ink, format!("{name} {problem}"), Some(span), Some(area));
        }
        if is_drawing && self.artwork.has(image) {
            self.marks.drawings.push(area);
        } else {
            for problem in self.ornaments.problems_of(image) {
                self.report(Rule::Ornament, problem, Some(span), Some(area));
            }
        }
        if let ImageKind::Svg(svg) = image.kind() {
            let width = size.x.to_pt() * position.scale();
            self.check_vector(&Vector::of(svg), width, span, area);
        }
        let (natural, placed) = (image.width() / image.height(), size.x.to_pt() / size.y.to_pt());
        if (placed / natural - 1.0).abs() > MAX_STRETCH {
            let what = format!("{name} is stretched from {natural:.2} to {placed:.2} times as wide as high");
            self.report(Rule::Stretched, what, Some(span), Some(area));
        }
        if let ImageKind::Raster(_) = image.kind() {
            let ppi = image.width() * 72.0 / (size.x.to_pt() * position.scale());
            if ppi < MIN_PPI {
                self.report(
                    Rule::Coarse,
                    format!("{name} is printed at {ppi:.0} ppi"),
                    Some(span),
                    Some(area),
                );
            }
        }
        if is_drawing {
            self.check_safe_box(name, area, TOLERANCE_MM, Some(span));
        } else {
            self.check_live_box(name, area, Some(span));
            self.check_barcode_box(name, &area, Some(span));
        }
    }

    /// Checks an SVG that is placed with this width in points.
    fn check_vector(&mut self, vector: &Vector, width: f64, span: Span, area: Rectangle) {
        let colors: Vec<&str> = vector.colors.iter().map(String::as_str).collect();
        let elements: Vec<&str> = vector.elements.iter().copied().collect();
        // All problems have the same place, so that several findings of a rule would become one.
        for (rule, problems) in [(Rule::Ink, colors), (Rule::Vector, elements)] {
            if !problems.is_empty() {
                let what = format!("a picture {}", joined(&problems));
                self.report(rule, what, Some(span), Some(area));
            }
        }
        if let Some(line) = vector
            .thinnest
            .map(|share| share * width)
            .filter(|line| *line < MIN_LINE_PT)
        {
            let what = format!("a line of a picture is drawn {line:.2} pt thick");
            self.report(Rule::Thin, what, Some(span), Some(area));
        }
    }

    /// Records a finding. A second one from the same place only increases the count of the first.
    fn report(&mut self, rule: Rule, what: String, span: Option<Span>, area: Option<Rectangle>) {
        let place = span
            .and_then(|span| Place::of(self.world, span))
            .map(|place| place.to_string());
        let key = (rule, place.clone().unwrap_or_else(|| what.clone()));
        let finding = self.found.entry(key).or_insert(Finding {
            leaf: self.leaf,
            rule,
            what,
            place,
            area,
            times: 0,
        });
        finding.times += 1;
    }
}

fn quoted(text: &TextItem) -> String {
    let mut letters = text.text.trim().chars();
    let start: String = letters.by_ref().take(MAX_QUOTED_CHARS).collect();
    let more = if letters.next().is_some() { "…" } else { "" };
    format!("the text “{start}{more}”")
}

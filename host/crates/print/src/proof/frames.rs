//! What is wrong with laid-out pages, read from Typst's frames: positions, colors and glyphs are exact there, and nothing has
//! to be guessed from pixels.
use std::collections::BTreeMap;

use typst::layout::{Abs, Frame, FrameItem, GroupItem, Point, Rect, Size, Transform};
use typst::syntax::Span;
use typst::text::TextItem;
use typst::utils::Numeric as _;
use typst::visualize::{Curve, CurveItem, Geometry, Image, ImageKind, Shape};
use typst_layout::{Page, PagedDocument};

use super::boxes::PageBoxes;
use super::finding::{Finding, Rule};
use super::ink::{Ink, is_white, paint_problem};
use super::ornament::Ornaments;
use super::picture::Artwork;
use crate::diagnostic::Place;
use crate::glyphs::missing_in_text;
use crate::measures::Rectangle;
use crate::world::TemplateWorld;

/// What is not seen in print: rounding, and the side bearings of letters.
const TOLERANCE_MM: f64 = 0.1;
const TEXT_TOLERANCE_MM: f64 = 0.35;
/// Of the type size: letters may reach that far past the box they stand in.
const OVERHANG_EM: f64 = 0.25;
/// How much of a text is repeated.
const QUOTED: usize = 40;
/// More than anybody reads, of a template that does everything wrong.
const MOST_FINDINGS: usize = 200;

/// Smaller type is not read, and thinner lines are not printed: in points. Emoji in small type are a little smaller.
const LEAST_TYPE: f64 = 6.0;
const LEAST_LINE: f64 = 0.73;
/// Of a side of a picture, by how much the other may be too long or too short.
const STRETCH: f64 = 0.02;
const LEAST_PPI: f64 = 299.0;

/// What is wrong with the pages, which should be as `boxes` say.
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
        // Which page is which leaf is not known any more.
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
        found.truncate(MOST_FINDINGS);
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

/// What is on a page, as far as it matters for what else is there.
#[derive(Default)]
struct Marks {
    drawings: Vec<Rectangle>,
    /// Texts that are seen.
    texts: Vec<(String, Rectangle, Option<Span>)>,
    /// Where white is seen: black shapes, and letters with an outline.
    dark: Vec<Rectangle>,
}

/// A walk over all that is on one page.
struct Walk<'a> {
    world: &'a TemplateWorld,
    leaf: usize,
    boxes: &'a PageBoxes,
    artwork: &'a Artwork,
    ornaments: &'a mut Ornaments,
    marks: Marks,
    found: BTreeMap<(Rule, String), Finding>,
}

/// Where a frame stands.
#[derive(Clone)]
struct Position {
    /// From the frame to the trimmed page.
    to_page: Transform,
    /// What can be seen of it.
    clip: Option<Rectangle>,
    /// The boxes of a given size around it, from the outside in, each with the way from the frame into it.
    containers: Vec<(Transform, Size)>,
}

impl Position {
    fn moved(&self, by: Transform) -> Self {
        let containers = self.containers.iter();
        Self {
            to_page: self.to_page.pre_concat(by),
            clip: self.clip,
            containers: containers.map(|(way, size)| (way.pre_concat(by), *size)).collect(),
        }
    }

    /// By how much a length grows on its way to the page.
    fn scale(&self) -> f64 {
        let Transform { sx, ky, .. } = self.to_page;
        sx.get().hypot(ky.get())
    }

    fn visible(&self, rect: Rect) -> Option<Rectangle> {
        let rectangle = placed(rect, self.to_page)?;
        match &self.clip {
            Some(clip) => clip.intersection(&rectangle),
            None => Some(rectangle),
        }
    }
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
                "the page has {width:.1} x {height:.1} mm and a bleed of {bleed:.1}, and should have {wide:.1} x {high:.1} \
                 and {wanted:.1}"
            );
            self.report(Rule::Size, what, None, None);
        }
        if let Some(problem) = page.fill_or_transparent().as_ref().and_then(paint_problem) {
            self.report(Rule::Ink, format!("the page is filled with {problem}"), None, None);
        }
        let position = Position {
            to_page: Transform::identity(),
            clip: None,
            containers: Vec::new(),
        };
        self.frame(&page.frame, &position);
        self.drawing_is_seen();
    }

    /// Whether the drawing of a leaf is on its page, with nothing written across it.
    fn drawing_is_seen(&mut self) {
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
                FrameItem::Group(group) => self.group(group, here),
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

    fn group(&mut self, group: &GroupItem, outside: Position) {
        let mut inside = outside.moved(group.transform);
        if let Some(clip) = &group.clip
            && let Some(clip) = placed(clip.bbox(None), inside.to_page)
        {
            inside.clip = Some(match &inside.clip {
                // What nothing is left of is seen nowhere.
                Some(around) => around.intersection(&clip).unwrap_or(Rectangle {
                    width: 0.0,
                    height: 0.0,
                    ..clip
                }),
                None => clip,
            });
        }
        let size = group.frame.size();
        // What hangs on a box without a width is meant to stand beside it.
        if group.frame.kind().is_hard() && size.x > Abs::pt(1.0) && size.y > Abs::pt(1.0) && inside.clip.is_none() {
            inside.containers.push((Transform::identity(), size));
        }
        self.frame(&group.frame, &inside);
    }

    fn text(&mut self, text: &TextItem, position: &Position) {
        let span = text.glyphs.first().map(|glyph| glyph.span.0);
        let missing: Vec<char> = missing_in_text(text).collect();
        let bounds = text.bbox();
        let bounds = Rect::new(
            Point::new(bounds.min.x, bounds.max.y),
            Point::new(bounds.max.x, bounds.min.y),
        );
        let stroke = text
            .stroke
            .as_ref()
            .map_or(Abs::zero(), |stroke| stroke.thickness / 2.0);
        let bounds = grown(bounds, stroke);
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
        if size < LEAST_TYPE && !is_empty {
            self.report(
                Rule::Small,
                format!("{} is set at {size:.1} pt", quoted(text)),
                span,
                area,
            );
        }
        if let Some(area) = area {
            self.matters(&quoted(text), area, TEXT_TOLERANCE_MM, span);
        }
        self.overflow(text, position, span);
    }

    /// Whether a line of text stands in each box around it.
    fn overflow(&mut self, text: &TextItem, position: &Position, span: Option<Span>) {
        let overhang = (text.size * OVERHANG_EM).to_mm();
        for (way, size) in position.containers.iter().rev() {
            // The baseline alone: how high a line counts is for the designer.
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
                let what = format!("{} runs {most:.1} mm out of a box", quoted(text));
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
            if width < LEAST_LINE {
                self.report(
                    Rule::Thin,
                    format!("{name} is drawn {width:.2} pt thick"),
                    Some(span),
                    Some(area),
                );
            }
        }
        self.on_paper(name, area, Some(span));
        // What is only an outline leaves what it surrounds free.
        match (&shape.geometry, &shape.fill, &shape.stroke) {
            (Geometry::Curve(curve), None, Some(stroke)) => {
                let by = stroke.thickness / 2.0;
                for piece in pieces(curve) {
                    if let Some(area) = position.visible(grown(piece, by)) {
                        self.keeps_barcode_free(name, &area, Some(span));
                    }
                }
            }
            _ => self.keeps_barcode_free(name, &area, Some(span)),
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
        let (natural, placed) = (image.width() / image.height(), size.x.to_pt() / size.y.to_pt());
        if (placed / natural - 1.0).abs() > STRETCH {
            let what = format!("{name} is stretched from {natural:.2} to {placed:.2} times as wide as high");
            self.report(Rule::Stretched, what, Some(span), Some(area));
        }
        if let ImageKind::Raster(_) = image.kind() {
            let ppi = image.width() * 72.0 / (size.x.to_pt() * position.scale());
            if ppi < LEAST_PPI {
                self.report(
                    Rule::Coarse,
                    format!("{name} is printed at {ppi:.0} ppi"),
                    Some(span),
                    Some(area),
                );
            }
        }
        if is_drawing {
            self.matters(name, area, TOLERANCE_MM, Some(span));
        } else {
            self.on_paper(name, area, Some(span));
            self.keeps_barcode_free(name, &area, Some(span));
        }
    }

    /// Of what must not be lost: where it is not in the safe box.
    fn matters(&mut self, name: &str, area: Rectangle, tolerance: f64, span: Option<Span>) {
        let excess = |safe: &Rectangle| safe.excess(&area).into_iter().fold(f64::MIN, f64::max);
        let least = self.boxes.safe.iter().map(excess).fold(f64::MAX, f64::min);
        self.keeps_barcode_free(name, &area, span);
        if self.on_paper(name, area, span) && least > tolerance && !self.bleeds(&area) {
            let what = format!("{name} reaches {least:.1} mm past the safe box");
            self.report(Rule::Safe, what, span, Some(area));
        }
    }

    /// Of everything that leaves ink: whether the printer's barcode has its place to itself. A ground that bleeds may lie
    /// below what keeps that place white.
    fn keeps_barcode_free(&mut self, name: &str, area: &Rectangle, span: Option<Span>) {
        if let Some(free) = &self.boxes.free
            && free.intersection(area).is_some()
            && !self.bleeds(area)
        {
            let what = format!("{name} covers the barcode's box");
            self.report(Rule::Barcode, what, span, Some(*area));
        }
    }

    /// Of everything that leaves ink: whether it is where ink may be.
    fn on_paper(&mut self, name: &str, area: Rectangle, span: Option<Span>) -> bool {
        let past = self.boxes.sheet().excess(&area).into_iter().fold(0.0, f64::max);
        // Where there is bleed, reaching past the sheet is how one bleeds.
        if past > TOLERANCE_MM && self.boxes.bleed == 0.0 {
            self.report(
                Rule::Trim,
                format!("{name} reaches {past:.1} mm past the page"),
                span,
                Some(area),
            );
            return false;
        }
        let Some(live) = self.boxes.live else { return true };
        let most = live.excess(&area).into_iter().fold(0.0, f64::max);
        if most > TOLERANCE_MM && !self.bleeds(&area) {
            self.report(
                Rule::Live,
                format!("{name} reaches {most:.1} mm past the live box"),
                span,
                Some(area),
            );
            return false;
        }
        true
    }

    /// Whether it reaches past the live box only on sides where it goes on to the very edge of the sheet.
    fn bleeds(&self, area: &Rectangle) -> bool {
        let live = self.boxes.live.unwrap_or_else(|| self.boxes.trim());
        let sheet = self.boxes.sheet();
        let mut sides = live.excess(area).into_iter().zip(sheet.excess(area));
        self.boxes.bleed > 0.0
            && live.excess(area).into_iter().any(|past| past > TOLERANCE_MM)
            && sides.all(|(past_live, past_sheet)| past_live <= TOLERANCE_MM || past_sheet >= -TOLERANCE_MM)
    }

    /// Notes a finding; what comes from the same place again is only counted.
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
    let start: String = letters.by_ref().take(QUOTED).collect();
    let more = if letters.next().is_some() { "…" } else { "" };
    format!("the text “{start}{more}”")
}

/// What surrounds each piece of a curve.
fn pieces(curve: &Curve) -> Vec<Rect> {
    let mut pieces = Vec::new();
    let (mut start, mut from) = (Point::zero(), Point::zero());
    for item in &curve.0 {
        let (to, between) = match *item {
            CurveItem::Move(to) => {
                (start, from) = (to, to);
                continue;
            }
            CurveItem::Line(to) => (to, None),
            // It stays between its ends and what it is drawn towards.
            CurveItem::Cubic(one, other, to) => (to, Some((one, other))),
            CurveItem::Close => (start, None),
        };
        let (mut min, mut max) = (from.min(to), from.max(to));
        if let Some((one, other)) = between {
            min = min.min(one).min(other);
            max = max.max(one).max(other);
        }
        pieces.push(Rect::new(min, max));
        from = to;
    }
    pieces
}

fn grown(rect: Rect, by: Abs) -> Rect {
    Rect::new(rect.min - Point::splat(by), rect.max + Point::splat(by))
}

/// Where a rectangle is after a transformation; nothing for one that nobody sees.
fn placed(rect: Rect, transform: Transform) -> Option<Rectangle> {
    let corners = [
        rect.min,
        Point::new(rect.max.x, rect.min.y),
        Point::new(rect.min.x, rect.max.y),
        rect.max,
    ];
    if !corners
        .iter()
        .all(|corner| corner.x.is_finite() && corner.y.is_finite())
    {
        return None;
    }
    let corners = corners.map(|corner| corner.transform(transform));
    let min = corners.into_iter().reduce(Point::min)?;
    let max = corners.into_iter().reduce(Point::max)?;
    Some(Rectangle {
        x: min.x.to_mm(),
        y: min.y.to_mm(),
        width: (max.x - min.x).to_mm(),
        height: (max.y - min.y).to_mm(),
    })
}

//! The lines of a page: the borders of areas in a photograph, or the lines of a drawing.

use crate::areas::{Area, Areas, Border, difference};
use crate::crop::Part;
use crate::flow::flow;
use crate::outlines::{OUTSIDE, borders, even};
use crate::plane::Plane;
use crate::smooth::{smooth, with_even_contrast};
use crate::source::Picture;
use crate::spots::{Outline, replace_fragments};
use crate::strokes::{Measures, Stroke, strokes};
use crate::style::Style;
use crate::thin::thin;
use crate::{edges, subject};

/// Number of areas from which the subject is found.
const SUBJECT_AREAS: usize = 220;
/// Structures smaller than this number of pixels are removed as texture before areas are found.
const TEXTURE: f32 = 1.4;
/// Difference of color that counts as an edge when texture is removed.
const CONTRAST: f32 = 0.04;
/// Minimum length of a ring, as a fraction of the longer side.
const MIN_RING: f32 = 0.03;
/// Width of areas below which they are merged early, as a fraction of the longer side.
const MIN_THICKNESS: f32 = 0.024;
/// Range of the share of the photograph that a subject covers.
const SUBJECT_SHARES: std::ops::Range<f32> = 0.02..0.9;
/// Width that is added on each side of a subject, as a fraction of the longer side.
const SUBJECT_MARGIN: f32 = 0.03;

/// Lines in pixels of the picture's tones.
pub(crate) struct Lines {
    pub(crate) strokes: Vec<Stroke>,
    pub(crate) outlines: Vec<Outline>,
    /// The part of the picture that must not be cut off.
    pub(crate) subject: Part,
}

/// Returns the lines of a picture, or only those of its subject.
pub(crate) fn lines(picture: &Picture, style: &Style, is_character: bool) -> Lines {
    if is_drawing(&picture.luma) {
        let mut strokes = drawn(&picture.luma, style);
        return Lines {
            outlines: replace_fragments(&picture.luma, &mut strokes),
            strokes,
            subject: Part::whole(&picture.luma),
        };
    }
    let scale = picture.luma.width as f32 / picture.color[0].width as f32;
    let mut found = Found::new(&picture.color, style);
    if !is_character {
        found.is_shown.fill(true);
    }
    let mut strokes = found.strokes(scale);
    let mut outlines = replace_fragments(&picture.luma, &mut strokes);
    outlines.retain(|outline| {
        let (x, y) = outline.stroke.points[0];
        found.is_shown[found.area_at((x / scale, y / scale))]
    });
    Lines {
        strokes,
        outlines,
        subject: found.subject.scaled(scale),
    }
}

/// True for dark lines on light paper, whose areas are not bordered by lines but are lines.
fn is_drawing(luma: &Plane) -> bool {
    /// Minimum tone of paper.
    const MIN_PAPER: f32 = 0.7;
    /// Difference of tones that ink has from paper.
    const MIN_INK: f32 = 0.12;
    /// Minimum share of paper.
    const MIN_SHARE: f32 = 0.6;
    /// Maximum width of lines, as a fraction of the longer side.
    const MAX_WIDTH: f32 = 0.012;
    let mut tones: Vec<f32> = luma.values.clone();
    let middle = tones.len() / 2;
    let paper = *tones.select_nth_unstable_by(middle, f32::total_cmp).1;
    let is_ink = |value: &f32| *value < paper - MIN_INK;
    let ink = luma.values.iter().filter(|value| is_ink(value)).count();
    let is_change = |pair: &&[f32]| is_ink(&pair[0]) != is_ink(&pair[1]);
    let changes = luma.values.windows(2).filter(is_change).count();
    let longer = luma.width.max(luma.height) as f32;
    // Most lines are crossed by a row twice.
    let width = 2.0 * ink as f32 / changes.max(1) as f32;
    let share = 1.0 - ink as f32 / luma.values.len() as f32;
    paper > MIN_PAPER && share > MIN_SHARE && width < MAX_WIDTH * longer
}

/// The lines of a drawing.
fn drawn(luma: &Plane, style: &Style) -> Vec<Stroke> {
    let smooth = with_even_contrast(&smooth(luma, style.texture, style.contrast));
    let flow = flow(&smooth, 2.5);
    let response = edges::response(&smooth, &flow, style.sigma);
    let mut line = edges::lines(&response, style.strong, style.weak);
    thin(&mut line, luma.width);
    let longer = luma.width.max(luma.height) as f32;
    let measures = Measures {
        min_length: style.min_length * longer,
        max_gap: style.max_gap * longer,
    };
    strokes(line, luma.width, measures)
}

/// The areas of a photograph.
struct Found {
    width: usize,
    label: Vec<u32>,
    /// For each area, true if its border is drawn.
    is_shown: Vec<bool>,
    subject: Part,
}

impl Found {
    fn new(color: &[Plane; 3], style: &Style) -> Self {
        let smooth = color.each_ref().map(|plane| smooth(plane, TEXTURE, CONTRAST));
        let (width, height) = (color[0].width, color[0].height);
        let longer = width.max(height) as f32;
        let cost = |one: &Area, other: &Area, border: &Border| cost(one, other, border, longer);
        let mut areas = Areas::new(&smooth);
        areas.merge(cost, |left, _| left <= SUBJECT_AREAS);
        subject::mark(&mut areas);
        areas.merge(cost, |left, cost| {
            left <= style.max_areas && cost > style.min_difference
        });
        let is_subject: Vec<bool> = areas.areas.iter().map(|area| area.subject_share() > 0.5).collect();
        even(&mut areas.label, width);
        let mut found = Self {
            width,
            label: areas.label,
            is_shown: is_subject,
            subject: Part::center(width as f32, height as f32),
        };
        let pixels = found
            .label
            .iter()
            .filter(|area| found.is_shown[**area as usize])
            .count();
        if SUBJECT_SHARES.contains(&(pixels as f32 / found.label.len() as f32)) {
            found.subject = found.bounds(SUBJECT_MARGIN * longer);
        } else {
            // Everything is the subject of a portrait that fills the picture.
            found.is_shown.fill(true);
        }
        found
    }

    fn bounds(&self, margin: f32) -> Part {
        let height = self.label.len() / self.width;
        let shown = (0..self.label.len()).filter(|index| self.is_shown[self.label[*index] as usize]);
        let (mut left, mut top, mut right, mut bottom) = (self.width, height, 0, 0);
        for index in shown {
            let (x, y) = (index % self.width, index / self.width);
            (left, right) = (left.min(x), right.max(x + 1));
            (top, bottom) = (top.min(y), bottom.max(y + 1));
        }
        let (left, top) = ((left as f32 - margin).max(0.0), (top as f32 - margin).max(0.0));
        Part {
            left,
            top,
            width: (right as f32 + margin).min(self.width as f32) - left,
            height: (bottom as f32 + margin).min(height as f32) - top,
        }
    }

    fn area_at(&self, (x, y): (f32, f32)) -> usize {
        let last = self.label.len() / self.width - 1;
        let (x, y) = (
            (x.max(0.0) as usize).min(self.width - 1),
            (y.max(0.0) as usize).min(last),
        );
        self.label[y * self.width + x] as usize
    }

    /// The borders of the areas that are shown, enlarged by `scale`.
    fn strokes(&self, scale: f32) -> Vec<Stroke> {
        // The edge of the photograph is a line only where it cuts off a subject that is drawn alone.
        let is_alone = self.is_shown.contains(&false);
        let is_shown = |area: u32| self.is_shown.get(area as usize).is_some_and(|shown| *shown);
        let is_drawn = |one: u32, other: u32| {
            (is_shown(one) || is_shown(other)) && (is_alone || (one != OUTSIDE && other != OUTSIDE))
        };
        let longer = self.width.max(self.label.len() / self.width) as f32;
        let mut strokes = borders(&self.label, self.width, &is_drawn);
        strokes.retain(|stroke| !stroke.is_ring() || stroke.length() > MIN_RING * longer);
        for point in strokes.iter_mut().flat_map(|stroke| &mut stroke.points) {
            // The center of a pixel has whole coordinates.
            *point = ((point.0 + 0.5) * scale - 0.5, (point.1 + 0.5) * scale - 0.5);
        }
        strokes
    }
}

/// How visible the border between two areas is. Thin areas along a soft border are merged before small ones, areas of
/// the background before those of the subject, and the subject remains separate from the background longest.
fn cost(one: &Area, other: &Area, border: &Border, longer: f32) -> f32 {
    // Both are large at a clear border. The difference is small between parts of a gradient, and the contrast between
    // parts of a texture.
    let visible = (difference(one.color(), other.color()) * border.contrast()).sqrt();
    let thickness = one.thickness().min(other.thickness()) / longer;
    let side = one.pixels.min(other.pixels).sqrt() / longer;
    let room = thickness.powf(0.6) * side.powf(0.4) * (thickness / MIN_THICKNESS).min(1.0).powf(1.5);
    let (share, other_share) = (one.subject_share(), other.subject_share());
    let importance = (0.4 + 0.6 * share.max(other_share)) * (1.0 + 3.0 * (share - other_share).abs());
    visible * room * importance
}

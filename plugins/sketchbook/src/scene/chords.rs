//! The outline of a figure as straight chords, each with a limit for its distance from the edge of a painted mask.
//!
//! A mask without anti-aliasing contains the cells whose middles are inside a polygon, by which `Mask::fill_path` replaces
//! the curves.

use tiny_skia::{Path, PathSegment, Point};

/// The maximum distance in cells between the edge of a mask and its polygon: coordinates and positions at the middles of
/// rows are rounded to 1/64 each.
const ROUNDING: f32 = 0.1;

/// The maximum distance in cells between a curve and a chord, and between a chord and the points that it passes.
const FLATNESS: f32 = 1.0 / 24.0;

/// The maximum distance in cells between a curve and its polygon, which has more sides the longer the curve is, and at
/// least two.
const MAX_POLYGON_ERROR: f32 = 0.75;

/// The maximum number of chords of a curve.
const MAX_CHORDS: f32 = 64.0;

/// The maximum number of points that a chord passes.
const MAX_PASSED: usize = 8;

#[derive(Clone, Copy, Debug)]
pub(super) struct Chord {
    pub(super) from: Point,
    pub(super) to: Point,
    /// The maximum distance in cells from the edge of a mask, across and down each.
    pub(super) error: f32,
}

/// Returns the chords of a path, all contours of which are closed, in units of a cell.
pub(super) fn chords(path: &Path) -> Vec<Chord> {
    let mut outline = Outline::default();
    let (mut start, mut here) = (Point::zero(), Point::zero());
    for segment in path.segments().chain([PathSegment::Close]) {
        let to = match segment {
            PathSegment::MoveTo(_) | PathSegment::Close => start,
            PathSegment::LineTo(to) | PathSegment::QuadTo(_, to) | PathSegment::CubicTo(_, _, to) => to,
        };
        match segment {
            PathSegment::QuadTo(over, to) => {
                let (first, second) = (mixed(here, over, 2.0 / 3.0), mixed(to, over, 2.0 / 3.0));
                outline.curve([here, first, second, to]);
            }
            PathSegment::CubicTo(first, second, to) => outline.curve([here, first, second, to]),
            _ if here == to => {}
            _ => outline.add(here, to, ROUNDING),
        }
        here = to;
        if let PathSegment::MoveTo(to) = segment {
            outline.end_chord();
            (start, here) = (to, to);
        }
    }
    outline.end_chord();
    outline.chords
}

#[derive(Default)]
struct Outline {
    chords: Vec<Chord>,
    /// The chord that may become longer.
    last: Option<Chord>,
    /// The points between its ends.
    passed: Vec<Point>,
}

impl Outline {
    fn curve(&mut self, curve: [Point; 4]) {
        let [a, b, c, d] = curve;
        // A chord of one of n equal parts is at most 3/4 of the bend / n² from a cubic curve.
        let bend = bend(a, b, c).max(bend(b, c, d)) * 0.75;
        let parts = (bend / FLATNESS).sqrt().ceil().clamp(1.0, MAX_CHORDS);
        let error = ROUNDING + (bend / 4.0).min(MAX_POLYGON_ERROR) + bend / (parts * parts);
        let mut from = a;
        // The cast is of a small whole number.
        for part in 1..=parts as usize {
            let share = part as f32 / parts;
            let to = if share < 1.0 { at(curve, share) } else { d };
            self.add(from, to, error);
            from = to;
        }
    }

    /// Adds a chord, or makes the last one longer if its points are near the longer one.
    fn add(&mut self, from: Point, to: Point, error: f32) {
        let longer = self.last.map(|last| Chord {
            to,
            error: last.error.max(error),
            ..last
        });
        let is_near = |longer: &Chord| longer.is_near(self.passed.iter().chain([&from]));
        if self.passed.len() < MAX_PASSED && longer.as_ref().is_some_and(is_near) {
            self.passed.push(from);
            self.last = longer;
        } else {
            self.end_chord();
            self.last = Some(Chord { from, to, error });
        }
    }

    fn end_chord(&mut self) {
        if let Some(mut chord) = self.last.take() {
            if !self.passed.is_empty() {
                chord.error += FLATNESS;
            }
            self.passed.clear();
            self.chords.push(chord);
        }
    }
}

impl Chord {
    /// Returns true if all of these points are near the chord.
    fn is_near<'a>(&self, mut points: impl Iterator<Item = &'a Point>) -> bool {
        let (dx, dy) = (self.to.x - self.from.x, self.to.y - self.from.y);
        let length = dx * dx + dy * dy;
        points.all(|point| {
            let (x, y) = (point.x - self.from.x, point.y - self.from.y);
            // The end of a contour may be its start.
            let share = if length > 0.0 { (x * dx + y * dy) / length } else { 0.0 };
            let share = share.clamp(0.0, 1.0);
            (x - dx * share).abs().max((y - dy * share).abs()) <= FLATNESS
        })
    }
}

/// Returns the second difference of three points, across or down.
fn bend(a: Point, b: Point, c: Point) -> f32 {
    let across = a.x - 2.0 * b.x + c.x;
    let down = a.y - 2.0 * b.y + c.y;
    across.abs().max(down.abs())
}

fn at([a, b, c, d]: [Point; 4], share: f32) -> Point {
    let (ab, bc, cd) = (mixed(a, b, share), mixed(b, c, share), mixed(c, d, share));
    mixed(mixed(ab, bc, share), mixed(bc, cd, share), share)
}

fn mixed(from: Point, to: Point, share: f32) -> Point {
    Point::from_xy(from.x + (to.x - from.x) * share, from.y + (to.y - from.y) * share)
}

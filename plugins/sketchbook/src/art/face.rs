//! The eyes and the mouth of a drawing, where a cover in color draws larger ones.

use std::f32::consts::PI;

use super::{Drawing, Region};

type Point = (f32, f32);

/// An eye of a drawing, in pixels.
#[derive(Clone, Copy, Debug)]
pub struct Eye {
    pub at: Point,
    pub radius: f32,
    /// The distance to the edge of the drawing.
    pub room: f32,
}

/// The features of a face, in pixels from the center of the drawing.
#[derive(Clone, Debug, Default)]
pub struct Face {
    pub eyes: Vec<Eye>,
    /// The middle of the mouth, and its width.
    pub mouth: Option<(Point, f32)>,
}

/// The maximum area of an eye, compared with its largest inscribed circle.
const MAX_EYE_ELONGATION: f32 = 1.9;
/// The minimum and the maximum radius of an eye, in units of the grid.
const EYE_RADIUS: std::ops::Range<f32> = 45.0..330.0;
/// The maximum number of dark round spots: with more, they are a coat pattern.
const MAX_SPOTS: usize = 4;

/// Finds the face of a drawing that is traced at `scale`.
pub fn face(drawing: &Drawing, scale: f32) -> Face {
    let center = (
        (drawing.bounds.left() + drawing.bounds.right()) / 2.0,
        (drawing.bounds.top() + drawing.bounds.bottom()) / 2.0,
    );
    let place = |(x, y): Point| ((x - center.0) * scale, (y - center.1) * scale);
    let eyes = eyes(drawing);
    let mouth = match eyes.as_slice() {
        [left, right] => mouth(drawing, left, right).map(|(at, width)| (place(at), width * scale)),
        _ => None,
    };
    let eyes = eyes.iter().map(|eye| Eye {
        at: place(eye.pole),
        radius: eye.radius * scale,
        room: room(drawing, eye.pole) * scale,
    });
    Face {
        eyes: eyes.collect(),
        mouth,
    }
}

fn elongation(region: &Region) -> f32 {
    region.area / (PI * region.radius * region.radius).max(1.0)
}

fn is_dark(region: &Region) -> bool {
    region.solid || region.color.luminance() < 0.42
}

/// Returns the eyes: two level dark spots of about the same size, or the highest such spot of a head seen from the side.
fn eyes(drawing: &Drawing) -> Vec<&Region> {
    let low = drawing.bounds.top() + drawing.bounds.height() * 0.72;
    let is_spot = |region: &&Region| {
        let is_black = region.solid || region.color.luminance() < 0.2;
        is_black && elongation(region) < MAX_EYE_ELONGATION && EYE_RADIUS.contains(&region.radius)
    };
    let spots: Vec<&Region> = drawing.regions.iter().skip(1).filter(is_spot).collect();
    let pairs = spots.iter().enumerate().flat_map(|(index, one)| {
        let later = spots[index + 1..].iter();
        later.map(move |other| {
            if one.pole.0 < other.pole.0 {
                (*one, *other)
            } else {
                (*other, *one)
            }
        })
    });
    let mut pairs: Vec<(&Region, &Region)> = pairs
        .filter(|(left, right)| {
            let apart = right.pole.0 - left.pole.0;
            let alike = left.radius / right.radius;
            left.pole.1 < low
                && (left.pole.1 - right.pole.1).abs() < apart * 0.2
                && (0.7..1.43).contains(&alike)
                && apart > (left.radius + right.radius) * 1.5
        })
        .collect();
    // Nostrils are below the eyes, and the dark tips of ears are not round.
    let is_ear = |spot: &Region| !spot.solid && elongation(spot) > 1.4;
    pairs.sort_by(|a, b| is_ear(a.0).cmp(&is_ear(b.0)).then(a.0.pole.1.total_cmp(&b.0.pole.1)));
    if let Some((left, right)) = pairs.first() {
        return vec![left, right];
    }
    if spots.len() > MAX_SPOTS {
        return Vec::new();
    }
    let first = spots.into_iter().filter(|spot| spot.solid && spot.pole.1 < low);
    first.min_by(|a, b| a.pole.1.total_cmp(&b.pole.1)).into_iter().collect()
}

/// The maximum width of a mouth that the drawing itself does not have, in units of the grid.
const MAX_MOUTH_WIDTH: f32 = 1100.0;

/// Returns the middle and the width of the mouth: that of the drawing, or the space below its nose or its nostrils.
fn mouth(drawing: &Drawing, left: &Region, right: &Region) -> Option<(Point, f32)> {
    let apart = right.pole.0 - left.pole.0;
    let middle = (left.pole.0 + right.pole.0) / 2.0;
    let level = (left.pole.1 + right.pole.1) / 2.0;
    let below = |(index, region): (usize, &Region)| {
        if !is_dark(region) || region.pole.1 < level + apart * 0.25 {
            return None;
        }
        let (left, top, right, bottom) = extent(drawing, index)?;
        let across = ((left + right) / 2.0 - middle).abs();
        (across < apart * 0.7 && right - left < apart * 1.4).then_some(Feature {
            across,
            width: right - left,
            top,
            bottom,
            is_long: elongation(region) > 2.4,
        })
    };
    let features: Vec<Feature> = drawing.regions.iter().enumerate().skip(1).filter_map(below).collect();
    let width = apart * 0.62;
    let central = features.iter().filter(|feature| feature.across < apart * 0.18);
    if let Some(lowest) = central.max_by(|a, b| a.bottom.total_cmp(&b.bottom)) {
        if lowest.is_long {
            let width = width.max(lowest.width * 1.04);
            return Some(((middle, (lowest.top + lowest.bottom) / 2.0 - width * 0.1), width));
        }
        return Some(((middle, lowest.bottom + width * 0.04), width));
    }
    let nostrils = features.iter().max_by(|a, b| a.bottom.total_cmp(&b.bottom));
    let y = nostrils.map_or(level + apart * 0.22, |nostrils| nostrils.bottom + width * 0.2);
    Some(((middle, y), width.min(MAX_MOUTH_WIDTH)))
}

/// A dark region below the eyes.
struct Feature {
    /// The distance to the middle of the face.
    across: f32,
    width: f32,
    top: f32,
    bottom: f32,
    is_long: bool,
}

/// Returns the left, top, right and bottom limit of a region.
fn extent(drawing: &Drawing, region: usize) -> Option<(f32, f32, f32, f32)> {
    let arcs = drawing
        .arcs
        .iter()
        .filter(|arc| arc.left == region || arc.right == region);
    let points = arcs
        .flat_map(|arc| &arc.points)
        .map(|point| (point.0, point.1, point.0, point.1));
    points.reduce(|a, b| (a.0.min(b.0), a.1.min(b.1), a.2.max(b.2), a.3.max(b.3)))
}

/// Returns the distance of a point to the edge of the drawing.
fn room(drawing: &Drawing, from: Point) -> f32 {
    let edge = drawing.arcs.iter().filter(|arc| arc.left == 0 || arc.right == 0);
    let ways = edge
        .flat_map(|arc| &arc.points)
        .map(|point| (point.0 - from.0).hypot(point.1 - from.1));
    ways.fold(f32::MAX, f32::min)
}

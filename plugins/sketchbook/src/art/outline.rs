//! From a planar map to pen strokes at a given size: small regions melted away, every border drawn once.

use std::collections::HashMap;

use tiny_skia::{Path, PathBuilder};

use super::ribbon::middle_line;
use super::{Arc, Drawing, Region};
use crate::figure::shapes::curve_into;
use crate::figure::{Anchors, Figure, Layer};

/// What can be told apart, and how large a black spot may be, in pixels of the page.
#[derive(Clone, Copy, Debug)]
pub struct Detail {
    /// Regions in which no larger circle fits melt into a neighbour.
    pub smallest_radius: f32,
    /// Black spots with a larger radius become rings.
    pub largest_blot: f32,
    /// Half the thickness of a black stroke; thicker ones are drawn again with the pen.
    pub thickest_stroke: f32,
}

type Point = (f32, f32);

/// A piece of an arc: two control points and the end.
type Cubic = (Point, Point, Point);

/// The drawing at `scale` pixels a unit, its center at the origin.
pub fn trace(drawing: &Drawing, scale: f32, detail: &Detail) -> Figure {
    let merged = melt(drawing, scale, detail);
    let center = (
        (drawing.bounds.left() + drawing.bounds.right()) / 2.0,
        (drawing.bounds.top() + drawing.bounds.bottom()) / 2.0,
    );
    let place = |(x, y): Point| ((x - center.0) * scale, (y - center.1) * scale);
    let pieces: Vec<(Point, Vec<Cubic>)> = drawing
        .arcs
        .iter()
        .map(|arc| {
            let points: Vec<Point> = arc.points.iter().map(|p| place(*p)).collect();
            (points[0], smooth(&points))
        })
        .collect();
    let spots = Spots::choose(drawing, &pieces, scale, detail, &merged);

    let mut lines = PathBuilder::new();
    for (_, stroke, _) in &spots.strokes {
        curve_into(&mut lines, stroke, false);
    }
    for (arc, (start, cubics)) in drawing.arcs.iter().zip(&pieces) {
        let (left, right) = (merged[arc.left], merged[arc.right]);
        if left != right && !spots.hide(left, right) {
            lines.move_to(start.0, start.1);
            for (a, b, end) in cubics {
                lines.cubic_to(a.0, a.1, b.0, b.1, end.0, end.1);
            }
            if arc.points.first() == arc.points.last() {
                lines.close();
            }
        }
    }
    let mut solid = PathBuilder::new();
    for region in &spots.black {
        rings(&drawing.arcs, &pieces, |index| merged[index] == *region, &mut solid);
    }
    for (region, radius) in &spots.pupils {
        let (x, y) = place(drawing.regions[*region].pole);
        solid.push_circle(x, y, *radius);
    }
    let mut silhouette = PathBuilder::new();
    rings(&drawing.arcs, &pieces, |index| index != 0, &mut silhouette);

    let eyes = eyes(drawing).into_iter().map(place).collect();
    Figure::new(
        vec![Layer {
            fill: silhouette.finish(),
            line: lines.finish(),
            solid: solid.finish(),
        }],
        Anchors { eyes, landmarks: None },
    )
}

/// For every region, the one it belongs to at this size.
fn melt(drawing: &Drawing, scale: f32, detail: &Detail) -> Vec<usize> {
    let mut parent: Vec<usize> = (0..drawing.regions.len()).collect();
    for melting in &drawing.meltings {
        if melting.radius * scale < detail.smallest_radius {
            parent[melting.region] = melting.into;
        }
    }
    // Specks of black that would print as dirt melt too.
    for (index, region) in drawing.regions.iter().enumerate().skip(1) {
        if region.solid && region.area * scale * scale < 34.0 {
            let beside = drawing.arcs.iter().find_map(|arc| match (arc.left, arc.right) {
                (left, right) if left == index && right != 0 => Some(right),
                (left, right) if right == index && left != 0 => Some(left),
                _ => None,
            });
            if let Some(into) = beside.filter(|into| !drawing.regions[*into].solid) {
                parent[index] = into;
            }
        }
    }
    let find = |mut index: usize| {
        while parent[index] != index {
            index = parent[index];
        }
        index
    };
    (0..parent.len()).map(find).collect()
}

/// Which solid regions stay black, which become a ring with a pupil, and which a stroke of the pen.
struct Spots {
    black: Vec<usize>,
    pupils: Vec<(usize, f32)>,
    /// The region, its middle line, and whether it stands free, as whiskers do.
    strokes: Vec<(usize, Vec<Point>, bool)>,
}

impl Spots {
    fn choose(
        drawing: &Drawing,
        pieces: &[(Point, Vec<Cubic>)],
        scale: f32,
        detail: &Detail,
        merged: &[usize],
    ) -> Self {
        let mut spots = Self {
            black: Vec::new(),
            pupils: Vec::new(),
            strokes: Vec::new(),
        };
        let kept: Vec<(usize, &Region)> = drawing
            .regions
            .iter()
            .enumerate()
            .skip(1)
            .filter(|(index, region)| region.solid && merged[*index] == *index)
            .collect();
        // Many round spots are a coat or seeds, and what does not live has no eyes.
        let seeing = matches!(drawing.group, 0 | 1 | 3)
            && kept.iter().filter(|(_, region)| roundness(region) < ROUND).count() <= MOST_EYES;
        for (index, region) in &kept {
            let round = roundness(region) < ROUND;
            let long = roundness(region) > LONG;
            let limit = match (long, round) {
                (true, _) => detail.thickest_stroke,
                (_, true) => detail.largest_blot,
                // An oval as wide as a pupil is far blacker.
                _ => detail.largest_blot * 0.7,
            };
            // Two eyebrows are drawn alike, even if only one of them is just too thick.
            let like = kept.iter().map(|(_, other)| *other).filter(|other| {
                (roundness(other) < ROUND) == round && (other.radius / region.radius - 1.0).abs() < 0.35
            });
            let thickest = like.map(|other| other.radius * scale).fold(0.0, f32::max);
            if thickest <= limit {
                spots.black.push(*index);
            } else if round {
                if seeing {
                    let pupil = (region.radius * scale * 0.62).min(detail.largest_blot);
                    spots.pupils.push((*index, pupil));
                }
            } else if long
                && let Some(edge) = edge_of(drawing, pieces, merged, *index)
                && let Some(stroke) = middle_line(&edge, region.radius * scale)
            {
                let free = drawing.arcs.iter().all(|arc| {
                    let (left, right) = (merged[arc.left], merged[arc.right]);
                    (left != *index || right == 0) && (right != *index || left == 0)
                });
                spots.strokes.push((*index, stroke, free));
            }
        }
        spots
    }

    /// Whether the border between two regions is part of a black spot, or drawn as a stroke.
    fn hide(&self, left: usize, right: usize) -> bool {
        let black = self.black.contains(&left) || self.black.contains(&right);
        // A stripe that reaches the edge of an animal must not open its silhouette.
        let stroke = self.strokes.iter().any(|(region, _, free)| {
            (*region == left && (right != 0 || *free)) || (*region == right && (left != 0 || *free))
        });
        black || stroke
    }
}

/// An animal with more round black spots than this wears them in its coat.
const MOST_EYES: usize = 5;

fn edge_of(drawing: &Drawing, pieces: &[(Point, Vec<Cubic>)], merged: &[usize], region: usize) -> Option<Path> {
    let mut edge = PathBuilder::new();
    rings(&drawing.arcs, pieces, |index| merged[index] == region, &mut edge);
    edge.finish()
}

/// Eyes are below this, eyebrows and mouths above.
const ROUND: f32 = 2.2;
/// Above this a region is a stroke of a brush.
const LONG: f32 = 3.6;

/// The area of a region against that of the largest circle in it.
fn roundness(region: &Region) -> f32 {
    region.area / (std::f32::consts::PI * region.radius * region.radius).max(1.0)
}

/// Round black spots high up in a drawing are its eyes.
fn eyes(drawing: &Drawing) -> Vec<Point> {
    let round = |region: &&Region| region.solid && roundness(region) < ROUND && region.radius > 30.0;
    let mut found: Vec<&Region> = drawing.regions.iter().skip(1).filter(round).collect();
    found.sort_by(|a, b| a.pole.1.total_cmp(&b.pole.1));
    let Some(first) = found.first() else {
        return Vec::new();
    };
    let level = first.pole.1;
    let middle = drawing.bounds.top() + drawing.bounds.height() * 0.7;
    found
        .iter()
        .filter(|eye| eye.pole.1 < middle && eye.pole.1 - level < 160.0)
        .take(2)
        .map(|eye| eye.pole)
        .collect()
}

/// Appends the closed rings around the regions that are `inside`.
fn rings(arcs: &[Arc], pieces: &[(Point, Vec<Cubic>)], inside: impl Fn(usize) -> bool, path: &mut PathBuilder) {
    let key = |point: &(f32, f32)| (point.0 as i32, point.1 as i32);
    let mut starts: HashMap<(i32, i32), Vec<(usize, bool)>> = HashMap::new();
    for (index, arc) in arcs.iter().enumerate() {
        let (left, right) = (inside(arc.left), inside(arc.right));
        if left == right {
            continue;
        }
        let from = if left { arc.points.first() } else { arc.points.last() };
        starts
            .entry(key(from.expect("an arc has points")))
            .or_default()
            .push((index, left));
    }
    let mut openings: Vec<(i32, i32)> = starts.keys().copied().collect();
    openings.sort_unstable();
    for opening in openings {
        while let Some(mut step) = starts.get_mut(&opening).and_then(Vec::pop) {
            let first = if step.1 { pieces[step.0].0 } else { end(&pieces[step.0]) };
            path.move_to(first.0, first.1);
            loop {
                let (index, forward) = step;
                append(path, &pieces[index], forward);
                let arc = &arcs[index];
                let last = if forward { arc.points.last() } else { arc.points.first() };
                match starts
                    .get_mut(&key(last.expect("an arc has points")))
                    .and_then(Vec::pop)
                {
                    Some(next) => step = next,
                    None => break,
                }
            }
            path.close();
        }
    }
}

fn end(piece: &(Point, Vec<Cubic>)) -> Point {
    piece.1.last().map_or(piece.0, |cubic| cubic.2)
}

fn append(path: &mut PathBuilder, piece: &(Point, Vec<Cubic>), forward: bool) {
    if forward {
        for (a, b, end) in &piece.1 {
            path.cubic_to(a.0, a.1, b.0, b.1, end.0, end.1);
        }
        return;
    }
    for index in (0..piece.1.len()).rev() {
        let (a, b, _) = piece.1[index];
        let to = if index == 0 { piece.0 } else { piece.1[index - 1].2 };
        path.cubic_to(b.0, b.1, a.0, a.1, to.0, to.1);
    }
}

/// A smooth curve through the points that keeps corners, and straight lines that run into curves.
fn smooth(points: &[Point]) -> Vec<Cubic> {
    let count = points.len();
    let closed = points[0] == points[count - 1];
    let direction = |a: Point, b: Point| {
        let (dx, dy) = (b.0 - a.0, b.1 - a.1);
        let length = dx.hypot(dy).max(1e-6);
        ((dx / length, dy / length), length)
    };
    let tangent = |index: usize, own: Point| {
        let (before, after) = match index {
            0 if closed => (points[count - 2], points[1]),
            last if last == count - 1 && closed => (points[count - 2], points[1]),
            0 => return own,
            last if last == count - 1 => return own,
            _ => (points[index - 1], points[index + 1]),
        };
        let ((ax, ay), a_length) = direction(before, points[index]);
        let ((bx, by), b_length) = direction(points[index], after);
        if ax * bx + ay * by < 0.6 {
            return own;
        }
        if a_length > 3.0 * b_length {
            return (ax, ay);
        }
        if b_length > 3.0 * a_length {
            return (bx, by);
        }
        let (x, y) = (ax * b_length + bx * a_length, ay * b_length + by * a_length);
        let length = x.hypot(y).max(1e-6);
        (x / length, y / length)
    };
    (0..count - 1)
        .map(|index| {
            let (a, b) = (points[index], points[index + 1]);
            let (own, length) = direction(a, b);
            let (from, to) = (tangent(index, own), tangent(index + 1, own));
            let reach = length / 3.0;
            (
                (a.0 + from.0 * reach, a.1 + from.1 * reach),
                (b.0 - to.0 * reach, b.1 - to.1 * reach),
                b,
            )
        })
        .collect()
}

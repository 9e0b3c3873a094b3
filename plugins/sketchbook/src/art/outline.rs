//! Conversion of a planar map to pen strokes at a given size: small regions are merged, every border is drawn once.

use tiny_skia::{Color, Path, PathBuilder};

use super::ribbon::middle_line;
use super::{Arc, Drawing, Region, paint};
use crate::color::Rgb;
use crate::figure::shapes::curve_into;
use crate::figure::{Anchors, Figure, Layer};

/// Limits of detail at which a drawing can still be printed and colored, in pixels of the page.
#[derive(Clone, Copy, Debug)]
pub struct Detail {
    /// A region whose largest inscribed circle has a smaller radius is merged into a neighbor.
    pub smallest_radius: f32,
    /// The maximum radius of a black spot. A larger spot becomes a ring.
    pub largest_blot: f32,
    /// Half the maximum thickness of a black stroke. A thicker stroke is replaced by a line of the pen.
    pub thickest_stroke: f32,
    /// True if the regions keep the colors of the drawing, for a cover in color.
    pub colored: bool,
}

type Point = (f32, f32);

/// A piece of an arc: two control points and the end.
type Cubic = (Point, Point, Point);

/// Traces a drawing at `scale` pixels per grid unit, centered on the origin.
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

    let coat = coat(drawing).filter(|_| detail.colored);
    let eyes = eyes(drawing).into_iter().map(place).collect();
    Figure::new(
        vec![Layer {
            fill: silhouette.finish(),
            line: lines.finish(),
            solid: solid.finish(),
            color: coat,
            tones: if detail.colored {
                tones(drawing, &pieces)
            } else {
                Vec::new()
            },
            seams: Vec::new(),
        }],
        Anchors {
            eyes,
            landmarks: None,
            face: None,
            coat,
            lowest_feature: None,
        },
    )
}

/// Returns the color of the drawing's largest region, or of the skin if it shows a person.
fn coat(drawing: &Drawing) -> Option<Rgb> {
    if let Some(coat) = paint::coat(drawing) {
        return Some(coat);
    }
    let regions = || drawing.regions.iter().skip(1).filter(|region| !region.solid);
    let largest = |regions: &mut dyn Iterator<Item = &Region>| -> Option<Rgb> {
        let region = regions.max_by(|a, b| a.area.total_cmp(&b.area))?;
        Some(region.color.outlined())
    };
    let skin = largest(&mut regions().filter(|region| drawing.group == 1 && region.color.is_emoji_skin()));
    skin.or_else(|| largest(&mut regions()))
}

/// Returns the regions in their colors, the largest first. Those too small for an outline are shown as well: a pencil
/// cannot color them, but they are the shading of the drawing.
fn tones(drawing: &Drawing, pieces: &[(Point, Vec<Cubic>)]) -> Vec<(Path, Color)> {
    let mut order: Vec<usize> = (1..drawing.regions.len()).collect();
    order.sort_by(|a, b| drawing.regions[*b].area.total_cmp(&drawing.regions[*a].area));
    let tone = |index: usize| {
        let mut edge = PathBuilder::new();
        rings(&drawing.arcs, pieces, |other| other == index, &mut edge);
        let region = &drawing.regions[index];
        let color = if region.solid {
            region.color
        } else {
            paint::tone(drawing, region).outlined()
        };
        Some((edge.finish()?, color.opaque()))
    };
    order.into_iter().filter_map(tone).collect()
}

/// Maps every region to the region that it is merged into at this size.
fn melt(drawing: &Drawing, scale: f32, detail: &Detail) -> Vec<usize> {
    let mut parent: Vec<usize> = (0..drawing.regions.len()).collect();
    for melting in &drawing.meltings {
        if melting.radius * scale < detail.smallest_radius {
            parent[melting.region] = melting.into;
        }
    }
    // Black specks that would look like dirt in print are merged as well.
    for (index, region) in drawing.regions.iter().enumerate().skip(1) {
        if region.solid && region.area * scale * scale < 34.0 {
            let neighbor = drawing.arcs.iter().find_map(|arc| match (arc.left, arc.right) {
                (left, right) if left == index && right != 0 => Some(right),
                (left, right) if right == index && left != 0 => Some(left),
                _ => None,
            });
            if let Some(into) = neighbor.filter(|into| !drawing.regions[*into].solid) {
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

/// The rendering of the solid regions: black spots, rings with a pupil, and strokes of the pen.
struct Spots {
    black: Vec<usize>,
    pupils: Vec<(usize, f32)>,
    /// The region, its middle line, and whether only the outside surrounds it, as with whiskers.
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
        // Many round spots are a coat pattern or seeds, and inanimate drawings have no eyes.
        let seeing = matches!(drawing.group, 0 | 1 | 3)
            && kept
                .iter()
                .filter(|(_, region)| elongation(region) < MAX_EYE_ELONGATION)
                .count()
                <= MAX_EYES;
        for (index, region) in &kept {
            let round = elongation(region) < MAX_EYE_ELONGATION;
            let long = elongation(region) > MIN_STROKE_ELONGATION;
            let limit = match (long, round) {
                (true, _) => detail.thickest_stroke,
                (_, true) => detail.largest_blot,
                // An oval with the radius of a pupil has a much larger black area.
                _ => detail.largest_blot * 0.7,
            };
            // Similar spots, such as two eyebrows, are rendered alike even if only one of them exceeds the limit.
            let like = kept.iter().map(|(_, other)| *other).filter(|other| {
                (elongation(other) < MAX_EYE_ELONGATION) == round && (other.radius / region.radius - 1.0).abs() < 0.35
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

    /// Returns true if the border between two regions is not drawn: it is part of a black spot or of a stroke.
    fn hide(&self, left: usize, right: usize) -> bool {
        let black = self.black.contains(&left) || self.black.contains(&right);
        // A stripe that reaches the edge of an animal must not leave a gap in its silhouette.
        let stroke = self.strokes.iter().any(|(region, _, free)| {
            (*region == left && (right != 0 || *free)) || (*region == right && (left != 0 || *free))
        });
        black || stroke
    }
}

/// The maximum number of round black spots that are eyes. With more, the spots are a coat pattern.
const MAX_EYES: usize = 5;

fn edge_of(drawing: &Drawing, pieces: &[(Point, Vec<Cubic>)], merged: &[usize], region: usize) -> Option<Path> {
    let mut edge = PathBuilder::new();
    rings(&drawing.arcs, pieces, |index| merged[index] == region, &mut edge);
    edge.finish()
}

/// The maximum elongation of an eye; eyebrows and mouths are longer.
const MAX_EYE_ELONGATION: f32 = 2.2;
/// The minimum elongation of a brush stroke.
const MIN_STROKE_ELONGATION: f32 = 3.6;

/// Returns the area of a region divided by the area of its largest inscribed circle.
fn elongation(region: &Region) -> f32 {
    region.area / (std::f32::consts::PI * region.radius * region.radius).max(1.0)
}

/// Returns the centers of the eyes: round black spots in the upper part of a drawing.
fn eyes(drawing: &Drawing) -> Vec<Point> {
    let round = |region: &&Region| region.solid && elongation(region) < MAX_EYE_ELONGATION && region.radius > 30.0;
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

/// The start of an arc on the grid, and the arc and whether it is followed forward, until a ring has used it.
type Start = ((i32, i32), Option<(usize, bool)>);

/// Appends the closed rings around the regions that are `inside`.
fn rings(arcs: &[Arc], pieces: &[(Point, Vec<Cubic>)], inside: impl Fn(usize) -> bool, path: &mut PathBuilder) {
    let key = |point: Option<&Point>| {
        let (x, y) = point.expect("an arc has points");
        (*x as i32, *y as i32)
    };
    let ends = |arc: &Arc, forward: bool| {
        let (first, last) = (key(arc.points.first()), key(arc.points.last()));
        if forward { (first, last) } else { (last, first) }
    };
    let mut starts: Vec<Start> = Vec::new();
    for (index, arc) in arcs.iter().enumerate() {
        let (left, right) = (inside(arc.left), inside(arc.right));
        if left != right {
            starts.push((ends(arc, left).0, Some((index, left))));
        }
    }
    // The sort is stable: of the arcs that start at one point, the last one is followed first.
    starts.sort_by_key(|(start, _)| *start);
    for opening in 0..starts.len() {
        let opening = starts[opening].0;
        while let Some(mut step) = next(&mut starts, opening) {
            let first = if step.1 { pieces[step.0].0 } else { end(&pieces[step.0]) };
            path.move_to(first.0, first.1);
            loop {
                let (index, forward) = step;
                append(path, &pieces[index], forward);
                match next(&mut starts, ends(&arcs[index], forward).1) {
                    Some(next) => step = next,
                    None => break,
                }
            }
            path.close();
        }
    }
}

/// Takes the last unused arc that starts at a point of the grid.
fn next(starts: &mut [Start], at: (i32, i32)) -> Option<(usize, bool)> {
    let after = starts.partition_point(|(start, _)| *start <= at);
    let mut here = starts[..after].iter_mut().rev().take_while(|(start, _)| *start == at);
    here.find_map(|(_, arc)| arc.take())
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

/// Returns a smooth curve through the points that preserves corners and straight lines that run into curves.
fn smooth(points: &[Point]) -> Vec<Cubic> {
    let closed = points.first() == points.last();
    let sides: Vec<(Point, f32)> = points.windows(2).map(|pair| direction(pair[0], pair[1])).collect();
    // The tangents at all points.
    let mut tangents: Vec<Option<Point>> = Vec::with_capacity(points.len());
    let around = sides.last().filter(|_| closed).zip(sides.first());
    let joint = |(before, after): (&(Point, f32), &(Point, f32))| tangent(*before, *after);
    tangents.push(around.and_then(joint));
    tangents.extend(sides.iter().zip(sides.iter().skip(1)).map(joint));
    tangents.push(tangents[0]);
    let ends = points.windows(2).zip(&sides).zip(tangents.windows(2));
    ends.map(|((points, (own, length)), tangents)| {
        let (a, b) = (points[0], points[1]);
        let (from, to) = (tangents[0].unwrap_or(*own), tangents[1].unwrap_or(*own));
        let reach = length / 3.0;
        (
            (a.0 + from.0 * reach, a.1 + from.1 * reach),
            (b.0 - to.0 * reach, b.1 - to.1 * reach),
            b,
        )
    })
    .collect()
}

/// Returns the direction from one point to another, and their distance.
fn direction(a: Point, b: Point) -> (Point, f32) {
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let length = dx.hypot(dy).max(1e-6);
    ((dx / length, dy / length), length)
}

/// Returns the direction of a curve between two sides. `None` at a corner.
fn tangent(((ax, ay), a_length): (Point, f32), ((bx, by), b_length): (Point, f32)) -> Option<Point> {
    if ax * bx + ay * by < 0.6 {
        return None;
    }
    if a_length > 3.0 * b_length {
        return Some((ax, ay));
    }
    if b_length > 3.0 * a_length {
        return Some((bx, by));
    }
    let (x, y) = (ax * b_length + bx * a_length, ay * b_length + by * a_length);
    let length = x.hypot(y).max(1e-6);
    Some((x / length, y / length))
}

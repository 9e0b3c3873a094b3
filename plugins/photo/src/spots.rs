//! Small dark features such as a nose, an eye or a pupil: their outlines are too short to be told from texture by their
//! length, so they are found as dark spots on calm surroundings.

use std::f32::consts::TAU;

use crate::part::{beside, part};
use crate::plane::Plane;
use crate::strokes::{Point, Stroke};

/// Minimum difference between the tones of a spot and of its surroundings.
const MIN_CONTRAST: f32 = 0.22;
/// Range of radii of spots in working pixels. The largest is a fraction of the longer side.
const MIN_RADIUS: f32 = 1.6;
const MAX_RADIUS_SHARE: f32 = 0.035;
/// Maximum share of the surroundings that is as dark as the spot. Fur, grass and gravel have more.
const MAX_DARK_SURROUNDINGS: f32 = 0.12;
/// Maximum ratio between the sides of a spot. Longer ones are lines.
const MAX_ASPECT: f32 = 2.6;
/// Minimum share of its rectangle that a spot covers. A disc covers 0.79.
const MIN_FILL: f32 = 0.5;
/// Contrast that is always sufficient, even if fur or shadow surrounds an eye.
const STRONG_CONTRAST: f32 = 0.4;
/// Minimum ratio of contrast to the standard deviation of the surroundings; grass varies too much to pass.
const MIN_CALM: f32 = 4.0;
/// Maximum number of spots within a distance of [`NEAR_SHARE`] of the longer side. More are a texture.
const MAX_NEAR_SPOTS: usize = 7;
const NEAR_SHARE: f32 = 0.1;
/// Number of points of an outline.
const OUTLINE_POINTS: usize = 24;

/// A small connected dark area.
#[derive(Debug)]
struct Spot {
    center: Point,
    radius: f32,
    outline: Vec<Point>,
}

/// The line around a spot.
#[derive(Debug)]
pub(crate) struct Outline {
    pub(crate) stroke: Stroke,
    /// Mean radius in working pixels.
    pub(crate) radius: f32,
}

/// Returns the outlines of dark spots that have no closed line around them yet. Strokes within such a spot are
/// fragments of its outline, and are removed.
pub(crate) fn replace_fragments(picture: &Plane, strokes: &mut Vec<Stroke>) -> Vec<Outline> {
    let longer = picture.width.max(picture.height) as f32;
    let missing: Vec<Spot> = spots(&picture.blurred(1.0), longer * MAX_RADIUS_SHARE)
        .into_iter()
        .filter(|spot| !spot.is_drawn(strokes))
        .collect();
    strokes.retain(|stroke| !missing.iter().any(|spot| spot.contains(stroke)));
    let outlines = missing.iter().map(|spot| Outline {
        stroke: Stroke::ring(spot.outline.clone()),
        radius: spot.radius,
    });
    outlines.collect()
}

fn distance(one: Point, other: Point) -> f32 {
    (one.0 - other.0).hypot(one.1 - other.1)
}

fn spots(plane: &Plane, max_radius: f32) -> Vec<Spot> {
    let around = plane.mean((max_radius * 3.0) as usize);
    let mut order: Vec<usize> = (0..plane.values.len())
        .filter(|index| around.values[*index] - plane.values[*index] > MIN_CONTRAST)
        .collect();
    // The darkest pixel of a spot is its seed.
    order.sort_by(|one, other| plane.values[*one].total_cmp(&plane.values[*other]));
    let mut seen = vec![false; plane.values.len()];
    let mut found = Vec::new();
    for seed in order {
        if seen[seed] {
            continue;
        }
        let limit = f32::midpoint(plane.values[seed], around.values[seed]);
        let area = area(plane, seed, limit, &mut seen);
        found.extend(Spot::new(plane, &area, limit, max_radius));
    }
    let centers: Vec<Point> = found.iter().map(|spot: &Spot| spot.center).collect();
    let near = plane.width.max(plane.height) as f32 * NEAR_SHARE;
    let is_near = |one: Point, other: &&Point| distance(one, **other) < near;
    found.retain(|spot| centers.iter().filter(|other| is_near(spot.center, other)).count() <= MAX_NEAR_SPOTS);
    found
}

/// The connected pixels around a seed that are darker than the limit.
fn area(plane: &Plane, seed: usize, limit: f32, seen: &mut [bool]) -> Vec<usize> {
    let is_dark = |near: &usize| plane.values[*near] < limit;
    part(seed, seen, |index| {
        beside((plane.width, plane.height), index).filter(is_dark)
    })
}

impl Spot {
    /// Returns `None` for an area that is too large, too long, or not alone.
    fn new(plane: &Plane, area: &[usize], limit: f32, max_radius: f32) -> Option<Self> {
        let count = area.len() as f32;
        let radius = (count * 2.0 / TAU).sqrt();
        if !(MIN_RADIUS..max_radius).contains(&radius) {
            return None;
        }
        let places = || area.iter().map(|index| (index % plane.width, index / plane.width));
        let (left, right) = (places().map(|at| at.0).min()?, places().map(|at| at.0).max()?);
        let (top, bottom) = (places().map(|at| at.1).min()?, places().map(|at| at.1).max()?);
        let (across, down) = ((right - left + 1) as f32, (bottom - top + 1) as f32);
        let is_compact = across.max(down) <= MAX_ASPECT * across.min(down) && count >= MIN_FILL * across * down;
        let is_inside = left > 0 && top > 0 && right + 1 < plane.width && bottom + 1 < plane.height;
        if !is_compact || !is_inside {
            return None;
        }
        let margin = radius.max(3.0) as usize + 1;
        let rows = top.saturating_sub(margin)..(bottom + margin + 1).min(plane.height);
        let columns = left.saturating_sub(margin)..(right + margin + 1).min(plane.width);
        let rectangle = rows.flat_map(|y| columns.clone().map(move |x| plane.values[y * plane.width + x]));
        let (light, dark): (Vec<f32>, Vec<f32>) = rectangle.partition(|value| *value >= limit);
        let others = (dark.len() as f32 - count) / (light.len() + dark.len() - area.len()) as f32;
        let inside = area.iter().map(|index| plane.values[*index]).sum::<f32>() / count;
        let outside = light.iter().sum::<f32>() / light.len() as f32;
        let square = light.iter().map(|value| (value - outside).powi(2)).sum::<f32>() / light.len() as f32;
        let contrast = outside - inside;
        let min_contrast = (MIN_CALM * square.sqrt()).clamp(MIN_CONTRAST, STRONG_CONTRAST);
        if others > MAX_DARK_SURROUNDINGS || contrast < min_contrast {
            return None;
        }
        let points: Vec<Point> = places().map(|(x, y)| (x as f32, y as f32)).collect();
        let sum = points
            .iter()
            .fold((0.0, 0.0), |sum, point| (sum.0 + point.0, sum.1 + point.1));
        let center = (sum.0 / count, sum.1 / count);
        Some(Self {
            center,
            radius,
            outline: outline(&points, center),
        })
    }

    /// True if lines surround the spot already.
    fn is_drawn(&self, strokes: &[Stroke]) -> bool {
        /// Share of the outline that must be near a line.
        const MIN_SHARE: f32 = 0.8;
        let reach = self.radius * MAX_ASPECT + self.tolerance();
        let near: Vec<Point> = strokes
            .iter()
            .flat_map(|stroke| stroke.points.iter().copied())
            .filter(|point| distance(*point, self.center) < reach)
            .collect();
        let is_near = |point: &&Point| near.iter().any(|other| distance(**point, *other) < self.tolerance());
        let drawn = self.outline.iter().filter(is_near).count();
        drawn as f32 >= MIN_SHARE * OUTLINE_POINTS as f32
    }

    /// True if most of the stroke lies within the spot or on its outline.
    fn contains(&self, stroke: &Stroke) -> bool {
        /// Share of the points of the stroke.
        const MIN_SHARE: f32 = 0.6;
        let is_within = |point: &&Point| {
            let (across, down) = (point.0 - self.center.0, point.1 - self.center.1);
            let turn = down.atan2(across).rem_euclid(TAU) / TAU;
            let ray = (turn * OUTLINE_POINTS as f32).round() as usize % OUTLINE_POINTS;
            across.hypot(down) < distance(self.outline[ray], self.center) + self.tolerance()
        };
        stroke.points.iter().filter(is_within).count() as f32 >= MIN_SHARE * stroke.points.len() as f32
    }

    /// Distance in working pixels between the outline and a line that is taken for it. Smoothing moves a line inwards,
    /// the farther the larger the spot is.
    fn tolerance(&self) -> f32 {
        (self.radius * 0.4).clamp(2.5, 5.0)
    }
}

/// The farthest points of the area on rays from the center, so that a reflection within an eye leaves no dent.
fn outline(area: &[Point], center: Point) -> Vec<Point> {
    /// Distance in working pixels from a ray to the points that count for it.
    const RAY_WIDTH: f32 = 0.75;
    let rays: Vec<Point> = (0..OUTLINE_POINTS)
        .map(|number| (TAU * number as f32 / OUTLINE_POINTS as f32).sin_cos())
        .map(|(down, across)| (across, down))
        .collect();
    let farthest = |ray: &Point| {
        let from_center = area.iter().map(|point| (point.0 - center.0, point.1 - center.1));
        from_center
            .filter(|(across, down)| (across * ray.1 - down * ray.0).abs() < RAY_WIDTH)
            .map(|(across, down)| across * ray.0 + down * ray.1)
            .fold(1.0, f32::max)
    };
    let radii: Vec<f32> = rays.iter().map(farthest).collect();
    let even = |number: usize| {
        let (before, after) = (number + OUTLINE_POINTS - 1, number + 1);
        0.25 * radii[before % OUTLINE_POINTS] + 0.5 * radii[number] + 0.25 * radii[after % OUTLINE_POINTS]
    };
    let points = rays.iter().enumerate().map(|(number, ray)| (even(number), ray));
    points
        .map(|(radius, ray)| (center.0 + ray.0 * radius, center.1 + ray.1 * radius))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{Plane, distance, replace_fragments};

    const SIDE: usize = 400;

    fn plane(tone: impl Fn(f32, f32) -> f32) -> Plane {
        let values = (0..SIDE * SIDE).map(|index| tone((index % SIDE) as f32, (index / SIDE) as f32));
        Plane::new(SIDE, SIDE, values.collect())
    }

    /// Pebbles of 10 pixels with random tones from dark to light.
    fn gravel(x: f32, y: f32) -> f32 {
        let row = (y / 10.0).floor();
        let column = ((x + row * 5.0) / 10.0).floor();
        let random = (column * 127.1 + row * 311.7).sin() * 43_758.547;
        0.25 + 0.55 * (random - random.floor())
    }

    fn face(x: f32, y: f32) -> f32 {
        let is_eye = |left| distance((x, y), (left, 150.0)) < 4.0;
        let is_nose = ((x - 200.0) / 11.0).hypot((y - 190.0) / 8.0) < 1.0;
        if is_eye(180.0) || is_eye(220.0) || is_nose {
            0.1
        } else {
            0.85
        }
    }

    #[test]
    fn eyes_and_a_nose_get_outlines() {
        let outlines = replace_fragments(&plane(face), &mut Vec::new());
        let mut radii: Vec<i32> = outlines.iter().map(|outline| outline.radius.round() as i32).collect();
        radii.sort_unstable();
        assert_eq!(radii, [3, 3, 9]);
    }

    #[test]
    fn an_outline_is_not_drawn_twice() {
        let mut strokes: Vec<_> = replace_fragments(&plane(face), &mut Vec::new())
            .into_iter()
            .map(|outline| outline.stroke)
            .collect();
        assert!(replace_fragments(&plane(face), &mut strokes).is_empty());
        assert_eq!(strokes.len(), 3);
    }

    #[test]
    fn pebbles_and_grass_get_no_outlines() {
        let grass = |x: f32, y: f32| 0.5 + 0.3 * (x * 0.9 + 3.0 * (y * 0.05).sin()).sin();
        for (name, picture) in [("gravel", plane(gravel)), ("grass", plane(grass))] {
            let outlines = replace_fragments(&picture, &mut Vec::new());
            assert!(outlines.is_empty(), "{name}: {} outlines", outlines.len());
        }
    }
}

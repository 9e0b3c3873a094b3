//! Small procedural shapes, from which backdrops, bodies and patterns are built.

use std::f32::consts::{PI, TAU};

use tiny_skia::{Path, PathBuilder, Rect, Transform};

use super::Layer;

pub type Point = (f32, f32);

/// A closed outline that hides the layers behind it.
pub fn shape(path: Option<Path>) -> Layer {
    Layer {
        fill: path.clone(),
        line: path,
        ..Layer::default()
    }
}

/// A pen line without a fill.
pub fn line(path: Option<Path>) -> Layer {
    Layer {
        line: path,
        ..Layer::default()
    }
}

pub fn solid(path: Option<Path>) -> Layer {
    Layer {
        solid: path,
        ..Layer::default()
    }
}

/// A smooth curve through the points.
pub fn curve(points: &[Point], closed: bool) -> Option<Path> {
    let mut path = PathBuilder::new();
    curve_into(&mut path, points, closed);
    path.finish()
}

pub fn curve_into(path: &mut PathBuilder, points: &[Point], closed: bool) {
    path.move_to(points[0].0, points[0].1);
    continue_curve(path, points, closed);
}

/// Adds a smooth curve to a path that ends at the first of the points.
pub fn continue_curve(path: &mut PathBuilder, points: &[Point], closed: bool) {
    let count = points.len();
    let at = |index: isize| {
        if closed {
            points[index.rem_euclid(count as isize) as usize]
        } else {
            points[index.clamp(0, count as isize - 1) as usize]
        }
    };
    let pieces = if closed { count } else { count - 1 };
    for index in 0..pieces as isize {
        let (before, from, to, after) = (at(index - 1), at(index), at(index + 1), at(index + 2));
        path.cubic_to(
            from.0 + (to.0 - before.0) / 6.0,
            from.1 + (to.1 - before.1) / 6.0,
            to.0 - (after.0 - from.0) / 6.0,
            to.1 - (after.1 - from.1) / 6.0,
            to.0,
            to.1,
        );
    }
    if closed {
        path.close();
    }
}

pub fn polygon(points: &[Point]) -> Option<Path> {
    let mut path = PathBuilder::new();
    for (index, point) in points.iter().enumerate() {
        if index == 0 {
            path.move_to(point.0, point.1);
        } else {
            path.line_to(point.0, point.1);
        }
    }
    path.close();
    path.finish()
}

pub fn segment(from: Point, to: Point) -> Option<Path> {
    let mut path = PathBuilder::new();
    path.move_to(from.0, from.1);
    path.line_to(to.0, to.1);
    path.finish()
}

pub fn circle(x: f32, y: f32, radius: f32) -> Option<Path> {
    PathBuilder::from_circle(x, y, radius)
}

pub fn ellipse(x: f32, y: f32, rx: f32, ry: f32) -> Option<Path> {
    Rect::from_xywh(x - rx, y - ry, rx * 2.0, ry * 2.0).and_then(PathBuilder::from_oval)
}

/// An ellipse turned by `degrees` around its center.
pub fn tilted_ellipse(x: f32, y: f32, rx: f32, ry: f32, degrees: f32) -> Option<Path> {
    ellipse(x, y, rx, ry)?.transform(Transform::from_rotate_at(degrees, x, y))
}

pub fn rectangle(left: f32, top: f32, width: f32, height: f32) -> Option<Path> {
    Rect::from_xywh(left, top, width, height).map(PathBuilder::from_rect)
}

pub fn rounded(area: Rect, radius: f32) -> Option<Path> {
    let radius = radius.min(area.width() / 2.0).min(area.height() / 2.0);
    let bend = radius * 0.5523;
    let (l, t, r, b) = (area.left(), area.top(), area.right(), area.bottom());
    let mut path = PathBuilder::new();
    path.move_to(l + radius, t);
    path.line_to(r - radius, t);
    path.cubic_to(r - radius + bend, t, r, t + radius - bend, r, t + radius);
    path.line_to(r, b - radius);
    path.cubic_to(r, b - radius + bend, r - radius + bend, b, r - radius, b);
    path.line_to(l + radius, b);
    path.cubic_to(l + radius - bend, b, l, b - radius + bend, l, b - radius);
    path.line_to(l, t + radius);
    path.cubic_to(l, t + radius - bend, l + radius - bend, t, l + radius, t);
    path.close();
    path.finish()
}

/// A star or a flower-like ring of points between two radii.
pub fn star(x: f32, y: f32, outer: f32, inner: f32, points: usize, turn: f32) -> Option<Path> {
    let corners: Vec<Point> = (0..points * 2)
        .map(|index| {
            let radius = if index % 2 == 0 { outer } else { inner };
            let angle = turn - PI / 2.0 + index as f32 * PI / points as f32;
            (x + radius * angle.cos(), y + radius * angle.sin())
        })
        .collect();
    polygon(&corners)
}

/// A limb: a rounded bar from one point to another.
pub fn capsule(from: Point, to: Point, radius: f32) -> Option<Path> {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = dx.hypot(dy);
    let area = Rect::from_xywh(-radius, -radius, length + radius * 2.0, radius * 2.0)?;
    let angle = dy.atan2(dx).to_degrees();
    rounded(area, radius)?.transform(Transform::from_rotate(angle).post_translate(from.0, from.1))
}

/// A leaf or petal from `base`, pointing at `angle`.
pub fn petal(base: Point, length: f32, width: f32, angle: f32) -> Option<Path> {
    let mut path = PathBuilder::new();
    path.move_to(0.0, 0.0);
    path.cubic_to(length * 0.25, -width * 0.75, length * 0.75, -width * 0.55, length, 0.0);
    path.cubic_to(length * 0.75, width * 0.55, length * 0.25, width * 0.75, 0.0, 0.0);
    path.close();
    path.finish()?
        .transform(Transform::from_rotate(angle.to_degrees()).post_translate(base.0, base.1))
}

/// A cloud with a flat belly, `width` wide, its bottom center at the point.
pub fn cloud(x: f32, y: f32, width: f32, lumps: usize) -> Option<Path> {
    let (rx, ry) = (width * 0.40, width * 0.26);
    let count = lumps + 2;
    let at = |index: usize| {
        let angle = PI - PI * index as f32 / count as f32;
        (x + rx * angle.cos(), y - ry * angle.sin())
    };
    let mut path = PathBuilder::new();
    path.move_to(at(0).0, at(0).1);
    for index in 0..count {
        let (from, to) = (at(index), at(index + 1));
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        // Outwards is to the left of the direction from the left end to the right end.
        let (ox, oy) = (dy * 0.85, -dx * 0.85);
        path.cubic_to(
            from.0 + ox - dx * 0.12,
            from.1 + oy - dy * 0.12,
            to.0 + ox + dx * 0.12,
            to.1 + oy + dy * 0.12,
            to.0,
            to.1,
        );
    }
    path.close();
    path.finish()
}

/// Points around an ellipse, for beads and rings.
pub fn around(x: f32, y: f32, rx: f32, ry: f32, count: usize, turn: f32) -> impl Iterator<Item = (Point, f32)> {
    (0..count).map(move |index| {
        let angle = turn + index as f32 * TAU / count as f32;
        ((x + rx * angle.cos(), y + ry * angle.sin()), angle)
    })
}

/// Every other one of `count` sectors around a center, as rays that reach past the edges of the area.
pub fn rays(area: &Rect, center: Point, count: usize) -> Option<Path> {
    let reach = area.width().hypot(area.height());
    let turn = TAU / count as f32;
    let at = |ray: usize| {
        let angle = ray as f32 * turn;
        (center.0 + reach * angle.cos(), center.1 + reach * angle.sin())
    };
    let mut rays = PathBuilder::new();
    for ray in (0..count).step_by(2) {
        let (from, to) = (at(ray), at(ray + 1));
        rays.move_to(center.0, center.1);
        rays.line_to(from.0, from.1);
        rays.line_to(to.0, to.1);
        rays.close();
    }
    rays.finish()
}

//! Tessellations that cover a whole picture: pebbles, scales, honeycombs, diamonds, beams.

use std::f32::consts::{PI, TAU};

use fastrand::Rng;
use tiny_skia::Rect;

use super::rings::rosette;
use crate::figure::Layer;
use crate::figure::shapes::{Point, circle, curve, line, petal, polygon, segment, shape};

/// Covers `area` with one of the patterns. `size` is the width of a tile, `fine` the minimum width of a detail.
pub(super) fn cover(kind: u8, area: Rect, size: f32, fine: f32, rng: &mut Rng) -> Vec<Layer> {
    match kind {
        0 => pebbles(area, size * 1.3, fine, rng),
        1 => scales(area, size, fine, rng),
        2 => honeycomb(area, size, fine, rng),
        3 => diamonds(area, size, fine, rng),
        _ => beams(area, size, rng),
    }
}

pub(super) const PATTERN_COUNT: u8 = 5;

/// Returns rounded Voronoi cells with gaps between them, each with a motif inside.
fn pebbles(area: Rect, size: f32, fine: f32, rng: &mut Rng) -> Vec<Layer> {
    let (columns, rows) = (
        (area.width() / size).ceil() as i32,
        (area.height() / size).ceil() as i32,
    );
    let mut sites = Vec::new();
    for row in -1..=rows {
        for column in -1..=columns {
            let x = area.left() + (column as f32 + 0.15 + 0.7 * rng.f32()) * size;
            let y = area.top() + (row as f32 + 0.15 + 0.7 * rng.f32()) * size;
            sites.push((x, y));
        }
    }
    let mut layers = Vec::new();
    for site in &sites {
        let cell = cell(*site, &sites, size);
        if cell.len() < 3 {
            continue;
        }
        let toward = |share: f32| -> Vec<Point> {
            let shrunk: Vec<Point> = cell
                .iter()
                .map(|p| (site.0 + (p.0 - site.0) * share, site.1 + (p.1 - site.1) * share))
                .collect();
            // A curve through the midpoints of the sides makes a round pebble.
            let count = shrunk.len();
            (0..count)
                .flat_map(|index| {
                    let (a, b) = (shrunk[index], shrunk[(index + 1) % count]);
                    [
                        ((a.0 * 2.0 + b.0) / 3.0, (a.1 * 2.0 + b.1) / 3.0),
                        ((a.0 + b.0 * 2.0) / 3.0, (a.1 + b.1 * 2.0) / 3.0),
                    ]
                })
                .collect()
        };
        let reach = cell
            .iter()
            .map(|p| (p.0 - site.0).hypot(p.1 - site.1))
            .fold(f32::MAX, f32::min);
        layers.push(shape(curve(&toward(0.93), true)));
        match rng.u8(0..5) {
            0 => layers.push(shape(curve(&toward(0.55), true))),
            1 if reach > fine * 2.0 => {
                layers.push(shape(curve(&toward(0.66), true)));
                layers.push(shape(curve(&toward(0.36), true)));
            }
            2 if reach > fine * 2.0 => {
                layers.extend(rosette(site.0, site.1, reach * 0.6, fine, rng));
            }
            3 => layers.push(shape(circle(site.0, site.1, reach * 0.34))),
            _ => {}
        }
    }
    layers
}

/// Returns the Voronoi cell of a site: the points that are nearer to it than to any other site.
fn cell(site: Point, sites: &[Point], size: f32) -> Vec<Point> {
    let reach = size * 2.0;
    let mut cell = vec![
        (site.0 - reach, site.1 - reach),
        (site.0 + reach, site.1 - reach),
        (site.0 + reach, site.1 + reach),
        (site.0 - reach, site.1 + reach),
    ];
    for other in sites {
        let (dx, dy) = (other.0 - site.0, other.1 - site.1);
        if (dx == 0.0 && dy == 0.0) || dx.hypot(dy) > reach * 2.0 {
            continue;
        }
        let middle = ((site.0 + other.0) / 2.0, (site.1 + other.1) / 2.0);
        let beyond = |p: &Point| (p.0 - middle.0) * dx + (p.1 - middle.1) * dy;
        let mut clipped = Vec::with_capacity(cell.len() + 1);
        for index in 0..cell.len() {
            let (a, b) = (cell[index], cell[(index + 1) % cell.len()]);
            let (da, db) = (beyond(&a), beyond(&b));
            if da <= 0.0 {
                clipped.push(a);
            }
            if (da < 0.0 && db > 0.0) || (da > 0.0 && db < 0.0) {
                let share = da / (da - db);
                clipped.push((a.0 + (b.0 - a.0) * share, a.1 + (b.1 - a.1) * share));
            }
        }
        cell = clipped;
    }
    // Very short sides would put a kink into the rounded outline.
    let count = cell.len();
    (0..count)
        .filter(|index| {
            let (a, b) = (cell[*index], cell[(*index + 1) % count]);
            (a.0 - b.0).hypot(a.1 - b.1) > size * 0.12
        })
        .map(|index| cell[index])
        .collect()
}

/// Returns rows of overlapping fish scales.
fn scales(area: Rect, size: f32, fine: f32, rng: &mut Rng) -> Vec<Layer> {
    let mut layers = Vec::new();
    let style = rng.u8(0..3);
    let radius = size * 0.55;
    let rows = (area.height() / (size * 0.5)).ceil() as i32 + 2;
    for row in (-1..rows).rev() {
        let y = area.top() + row as f32 * size * 0.5;
        let shift = if row % 2 == 0 { 0.0 } else { size / 2.0 };
        let columns = (area.width() / size).ceil() as i32 + 1;
        for column in -1..=columns {
            let x = area.left() + column as f32 * size + shift;
            layers.push(shape(circle(x, y, radius)));
            match (style, (row + column).rem_euclid(3)) {
                (0, _) => layers.push(shape(circle(x, y, radius * 0.62))),
                (1, 0) if radius > fine * 1.6 => layers.push(shape(petal(
                    (x, y - radius * 0.2),
                    radius * 1.05,
                    radius * 0.6,
                    PI / 2.0,
                ))),
                (1, _) => layers.push(shape(circle(x, y + radius * 0.42, radius * 0.26))),
                _ => {
                    layers.push(shape(circle(x, y, radius * 0.7)));
                    layers.push(shape(circle(x, y, radius * 0.4)));
                }
            }
        }
    }
    layers
}

fn honeycomb(area: Rect, size: f32, fine: f32, rng: &mut Rng) -> Vec<Layer> {
    let mut layers = Vec::new();
    let radius = size * 0.62;
    let (step_x, step_y) = (radius * 1.732, radius * 1.5);
    let rows = (area.height() / step_y).ceil() as i32 + 1;
    for row in -1..=rows {
        let columns = (area.width() / step_x).ceil() as i32 + 1;
        for column in -1..=columns {
            let x = area.left() + (column as f32 + if row % 2 == 0 { 0.0 } else { 0.5 }) * step_x;
            let y = area.top() + row as f32 * step_y;
            let hexagon = |share: f32| {
                let corners: Vec<Point> = (0..6)
                    .map(|index| {
                        let angle = PI / 6.0 + index as f32 * PI / 3.0;
                        (x + radius * share * angle.cos(), y + radius * share * angle.sin())
                    })
                    .collect();
                polygon(&corners)
            };
            layers.push(shape(hexagon(1.0)));
            match rng.u8(0..4) {
                0 => layers.extend(rosette(x, y, radius * 0.68, fine, rng)),
                1 => layers.push(shape(hexagon(0.62))),
                2 => {
                    for index in 0..3 {
                        let angle = PI / 6.0 + index as f32 * PI * 2.0 / 3.0;
                        layers.push(line(segment(
                            (x, y),
                            (x + radius * angle.cos(), y + radius * angle.sin()),
                        )));
                    }
                }
                _ => layers.push(shape(circle(x, y, radius * 0.4))),
            }
        }
    }
    layers
}

fn diamonds(area: Rect, size: f32, fine: f32, rng: &mut Rng) -> Vec<Layer> {
    let mut layers = Vec::new();
    let (half_width, half_height) = (size * 0.5, size * 0.72);
    let rows = (area.height() / half_height).ceil() as i32 + 1;
    for row in -1..=rows {
        let columns = (area.width() / size).ceil() as i32 + 1;
        for column in -1..=columns {
            let x = area.left() + (column as f32 + if row % 2 == 0 { 0.0 } else { 0.5 }) * size;
            let y = area.top() + row as f32 * half_height;
            let diamond = |share: f32| {
                polygon(&[
                    (x, y - half_height * share),
                    (x + half_width * share, y),
                    (x, y + half_height * share),
                    (x - half_width * share, y),
                ])
            };
            layers.push(shape(diamond(1.0)));
            match rng.u8(0..3) {
                0 => layers.push(shape(diamond(0.55))),
                1 if half_width > fine * 1.5 => {
                    layers.extend(rosette(x, y, half_width * 0.52, fine, rng));
                }
                _ => layers.push(shape(circle(x, y, half_width * 0.32))),
            }
        }
    }
    layers
}

/// Returns beams from the middle, divided by circles into fields of alternating ornament.
fn beams(area: Rect, size: f32, rng: &mut Rng) -> Vec<Layer> {
    let (x, y) = ((area.left() + area.right()) / 2.0, (area.top() + area.bottom()) / 2.0);
    let reach = area.width().hypot(area.height()) / 2.0;
    let count = [16, 20, 24][rng.usize(0..3)];
    let mut layers = Vec::new();
    let mut radius = reach;
    let mut ring = 0;
    while radius > size {
        layers.push(shape(circle(x, y, radius)));
        let inner = radius - size * (0.9 + 0.25 * (ring % 2) as f32);
        let turn = if ring % 2 == 0 { 0.0 } else { 0.5 };
        for index in 0..count {
            let angle = (index as f32 + turn) * TAU / count as f32;
            let (c, s) = (angle.cos(), angle.sin());
            if ring % 2 == 0 {
                layers.push(line(segment(
                    (x + inner * c, y + inner * s),
                    (x + radius * c, y + radius * s),
                )));
            } else {
                layers.push(shape(petal(
                    (x + inner * c, y + inner * s),
                    (radius - inner) * 0.96,
                    (TAU / count as f32 * radius * 0.62).min(size * 0.9),
                    angle,
                )));
            }
        }
        radius = inner;
        ring += 1;
    }
    layers
}

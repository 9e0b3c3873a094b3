//! A landscape of waving bands, each with a different filling.

use std::f32::consts::TAU;

use fastrand::Rng;
use tiny_skia::{PathBuilder, Rect};

use super::rings::rosette;
use crate::figure::Layer;
use crate::figure::shapes::{Point, circle, curve, curve_into, ellipse, line, petal, segment, shape};

/// Returns bands that cover the whole area, from the top down. Each band hides the lower part of the one before.
pub(super) fn landscape(area: Rect, fine: f32, rng: &mut Rng) -> Vec<Layer> {
    let mut layers = Vec::new();
    let mut level = area.top() - fine * 3.0;
    let mut last = u8::MAX;
    while level < area.bottom() {
        let height = fine * (3.2 + 2.6 * rng.f32());
        let swing = height * 0.32;
        let (phase, waves) = (rng.f32() * TAU, 0.8 + 0.9 * rng.f32());
        let steps = 24;
        let top = |share: f32| level + swing * (share * waves * TAU + phase).sin();
        let ridge: Vec<Point> = (0..=steps)
            .map(|step| step as f32 / steps as f32)
            .map(|share| (area.left() + area.width() * share, top(share)))
            .collect();
        layers.push(ground(area, &ridge));
        let mut kind = rng.u8(0..7);
        if kind == last {
            kind = (kind + 3) % 7;
        }
        last = kind;
        fill(area, height, kind, fine, &top, rng, &mut layers);
        level += height;
    }
    layers
}

fn ground(area: Rect, ridge: &[Point]) -> Layer {
    let mut path = PathBuilder::new();
    curve_into(&mut path, ridge, false);
    path.line_to(area.right(), area.bottom() + 50.0);
    path.line_to(area.left(), area.bottom() + 50.0);
    path.close();
    shape(path.finish())
}

/// Draws the motifs along the upper edge of a band. The next band covers those that hang too low.
fn fill(
    area: Rect,
    height: f32,
    kind: u8,
    fine: f32,
    top: &dyn Fn(f32) -> f32,
    rng: &mut Rng,
    layers: &mut Vec<Layer>,
) {
    let step = match kind {
        0 | 5 => fine * 1.9,
        1 | 3 => fine * 2.4,
        _ => fine * 1.6,
    };
    let count = (area.width() / step).round().max(3.0) as usize;
    let at = |index: f32, down: f32| {
        let share = index / count as f32;
        (
            area.left() + area.width() * share,
            top(share.clamp(0.0, 1.0)) + height * down,
        )
    };
    for index in 0..=count {
        let place = index as f32;
        let middle = at(place + 0.5, 0.45);
        match kind {
            0 => {
                layers.push(shape(circle(middle.0, middle.1, step * 0.4)));
                layers.push(shape(circle(middle.0, middle.1, step * 0.2)));
            }
            1 => layers.extend(rosette(middle.0, middle.1, step * 0.45, fine, rng)),
            2 => layers.push(line(segment(at(place, 0.0), at(place + 0.4, 2.2)))),
            3 => layers.push(shape(petal(
                at(place + 0.5, 0.08),
                height * 0.8,
                step * 0.8,
                std::f32::consts::FRAC_PI_2,
            ))),
            4 => {
                let (x, y) = at(place + 0.5, 0.02);
                layers.push(shape(ellipse(x, y, step * 0.5, height * 0.55)));
                layers.push(shape(ellipse(x, y, step * 0.26, height * 0.28)));
            }
            5 => layers.push(shape(crate::figure::shapes::star(
                middle.0,
                middle.1,
                step * 0.44,
                step * 0.2,
                5,
                0.0,
            ))),
            _ => {}
        }
    }
    if kind == 6 {
        for down in [0.3, 0.62] {
            let points: Vec<Point> = (0..=24)
                .map(|index| at(index as f32 * count as f32 / 24.0, down))
                .collect();
            layers.push(line(curve(&points, false)));
        }
    } else if kind == 4 || kind == 3 {
        // The motifs hang from the edge: the edge is drawn again over their upper halves.
        let points: Vec<Point> = (0..=24)
            .map(|index| at(index as f32 * count as f32 / 24.0, 0.0))
            .collect();
        layers.push(line(curve(&points, false)));
    }
}

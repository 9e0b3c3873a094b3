//! Rings of motifs around a center: mandalas and rosettes.

use std::f32::consts::{PI, TAU};

use fastrand::Rng;
use tiny_skia::{Path, PathBuilder, Transform};

use crate::figure::Layer;
use crate::figure::shapes::{around, circle, curve, line, petal, polygon, shape};

/// The number of motifs that can fill a band between two circles.
const MOTIF_COUNT: u8 = 9;

/// Returns a mandala around a point, from `radius` inwards to `inner`. `fine` is the minimum width of a motif.
pub(super) fn mandala(x: f32, y: f32, radius: f32, inner: f32, fine: f32, rng: &mut Rng) -> Vec<Layer> {
    let fold = [8, 10, 12, 16][rng.usize(0..4)];
    let mut layers = Vec::new();
    let mut outer = radius;
    let mut last = u8::MAX;
    while outer - inner > fine * 1.5 {
        let band = (fine * (1.8 + 2.4 * rng.f32())).min(outer - inner);
        let band = if outer - inner - band < fine * 1.2 {
            outer - inner
        } else {
            band
        };
        let mut kind = rng.u8(0..MOTIF_COUNT);
        if kind == last {
            kind = (kind + 1) % MOTIF_COUNT;
        }
        last = kind;
        ring(
            x,
            y,
            outer - band,
            outer,
            kind,
            count(fold, outer - band / 2.0, band, fine),
            &mut layers,
        );
        outer -= band;
    }
    layers.push(shape(circle(x, y, inner)));
    layers
}

/// Returns a small closed flower for the middle of an open surface.
pub(super) fn rosette(x: f32, y: f32, radius: f32, fine: f32, rng: &mut Rng) -> Vec<Layer> {
    let mut layers = Vec::new();
    let petals = 5 + rng.usize(0..4);
    let turn = rng.f32() * TAU;
    if radius > fine * 3.2 {
        for (point, angle) in around(x, y, radius * 0.3, radius * 0.3, petals * 2, turn) {
            layers.push(shape(petal(
                point,
                radius * 0.7,
                radius * 2.1 / (petals * 2) as f32,
                angle,
            )));
        }
        for (point, angle) in around(x, y, radius * 0.1, radius * 0.1, petals, turn) {
            layers.push(shape(petal(point, radius * 0.5, radius * 1.5 / petals as f32, angle)));
        }
    } else {
        for (point, angle) in around(x, y, 0.0, 0.0, petals, turn) {
            layers.push(shape(petal(point, radius, radius * 2.9 / petals as f32, angle)));
        }
    }
    layers.push(shape(circle(x, y, radius * 0.24)));
    layers
}

/// Returns the number of repetitions of a motif: a multiple of the symmetry at which the width suits the band.
fn count(fold: usize, radius: f32, band: f32, fine: f32) -> usize {
    let wanted = (TAU * radius / (band * 0.95).max(fine)).max(4.0);
    let times = (wanted / fold as f32).round().max(0.5);
    if times < 0.75 {
        (fold / 2).max(4)
    } else {
        fold * (times as usize).max(1)
    }
}

fn ring(x: f32, y: f32, inner: f32, outer: f32, kind: u8, count: usize, layers: &mut Vec<Layer>) {
    let band = outer - inner;
    let middle = (inner + outer) / 2.0;
    let step = TAU / count as f32;
    let width = (step * middle).min(band * 1.6);
    let at = |radius: f32, angle: f32| (x + radius * angle.cos(), y + radius * angle.sin());
    let angles = (0..count).map(|index| -PI / 2.0 + index as f32 * step);
    match kind {
        // Petals in front of a second row of petals.
        0 => {
            for angle in angles.clone() {
                layers.push(shape(petal(
                    at(inner * 0.97, angle + step / 2.0),
                    band * 1.02,
                    width * 1.1,
                    angle + step / 2.0,
                )));
            }
            for angle in angles {
                layers.push(shape(petal(at(inner * 0.97, angle), band * 0.9, width * 1.05, angle)));
                layers.push(shape(petal(at(inner * 0.97, angle), band * 0.55, width * 0.5, angle)));
            }
        }
        // Scallops.
        1 => {
            for angle in angles.clone() {
                layers.push(shape(arch(inner * 0.98, outer, step * 0.98, x, y, angle)));
            }
            for angle in angles {
                layers.push(shape(arch(inner * 0.98, inner + band * 0.58, step * 0.5, x, y, angle)));
            }
        }
        // Beads between two circles.
        2 => {
            layers.push(shape(circle(x, y, outer)));
            let size = (band * 0.36).min(step * middle * 0.42);
            for angle in angles {
                let (px, py) = at(middle, angle);
                layers.push(shape(circle(px, py, size)));
                if size > band * 0.3 {
                    layers.push(shape(circle(px, py, size * 0.45)));
                }
            }
        }
        // Triangles, each with a smaller one inside.
        3 => {
            layers.push(shape(circle(x, y, outer)));
            for angle in angles {
                let tip = |reach: f32, share: f32| {
                    polygon(&[
                        at(inner, angle - step * share),
                        at(inner + band * reach, angle),
                        at(inner, angle + step * share),
                    ])
                };
                layers.push(shape(tip(0.98, 0.49)));
                layers.push(shape(tip(0.55, 0.26)));
            }
        }
        // Leaves with a rib.
        4 => {
            layers.push(shape(circle(x, y, outer)));
            for angle in angles {
                let base = at(inner + band * 0.04, angle);
                layers.push(shape(petal(base, band * 0.9, width * 0.85, angle)));
                layers.push(line(crate::figure::shapes::segment(
                    base,
                    at(inner + band * 0.66, angle),
                )));
            }
        }
        // Lotus: pointed arches in two rows.
        5 => {
            for (row, shift) in [(1.0, 0.5), (0.78, 0.0)] {
                for angle in angles.clone() {
                    layers.push(shape(pointed(
                        inner * 0.97,
                        inner + band * row,
                        step * 0.96,
                        x,
                        y,
                        angle + step * shift,
                    )));
                }
            }
            for angle in angles {
                let (px, py) = at(inner + band * 0.28, angle);
                layers.push(shape(circle(px, py, (band * 0.13).min(width * 0.2))));
            }
        }
        // A wave with drops between its crests.
        6 => {
            layers.push(shape(circle(x, y, outer)));
            let points: Vec<_> = (0..count * 4)
                .map(|index| {
                    at(
                        middle + band * 0.28 * (index as f32 * PI / 2.0).cos(),
                        -PI / 2.0 + index as f32 * step / 4.0,
                    )
                })
                .collect();
            layers.push(shape(curve(&points, true)));
            let size = (band * 0.15).min(step * middle * 0.2);
            for angle in angles {
                let (px, py) = at(outer - band * 0.22, angle + step / 2.0);
                layers.push(shape(circle(px, py, size)));
                let (px, py) = at(inner + band * 0.24, angle);
                layers.push(shape(circle(px, py, size)));
            }
        }
        // Diamonds.
        7 => {
            layers.push(shape(circle(x, y, outer)));
            for angle in angles {
                for (reach, share) in [(0.47, 0.46), (0.24, 0.22)] {
                    layers.push(shape(polygon(&[
                        at(middle - band * reach, angle),
                        at(middle, angle + step * share),
                        at(middle + band * reach, angle),
                        at(middle, angle - step * share),
                    ])));
                }
            }
        }
        // Pairs of petals that form hearts.
        _ => {
            layers.push(shape(circle(x, y, outer)));
            for angle in angles {
                let base = at(inner + band * 0.06, angle);
                for side in [-0.42, 0.42] {
                    layers.push(shape(petal(base, band * 0.84, width * 0.44, angle + side)));
                }
                let (px, py) = at(outer - band * 0.22, angle + step / 2.0);
                layers.push(shape(circle(px, py, (band * 0.12).min(width * 0.14))));
            }
        }
    }
    layers.push(shape(circle(x, y, inner)));
}

/// Returns a round arch over `width` radians, from the inner radius to the outer.
fn arch(inner: f32, outer: f32, width: f32, x: f32, y: f32, angle: f32) -> Option<Path> {
    let half = inner * (width / 2.0).tan();
    let rise = outer - inner;
    let mut path = PathBuilder::new();
    path.move_to(inner, -half);
    path.cubic_to(inner + rise * 1.32, -half, inner + rise * 1.32, half, inner, half);
    path.close();
    path.finish()?
        .transform(Transform::from_rotate(angle.to_degrees()).post_translate(x, y))
}

fn pointed(inner: f32, outer: f32, width: f32, x: f32, y: f32, angle: f32) -> Option<Path> {
    let half = inner * (width / 2.0).tan();
    let rise = outer - inner;
    let mut path = PathBuilder::new();
    path.move_to(inner, -half);
    path.cubic_to(
        inner + rise * 0.45,
        -half * 1.25,
        inner + rise * 0.72,
        -half * 0.45,
        outer,
        0.0,
    );
    path.cubic_to(
        inner + rise * 0.72,
        half * 0.45,
        inner + rise * 0.45,
        half * 1.25,
        inner,
        half,
    );
    path.close();
    path.finish()?
        .transform(Transform::from_rotate(angle.to_degrees()).post_translate(x, y))
}

//! Eyewear: glasses, sunglasses and eye patches.

use tiny_skia::Rect;

use super::Layer;
use super::landmarks::Crown;
use super::shapes::{Point, circle, ellipse, line, rounded, segment, shape};

/// Returns the eyes from left to right, and the radius of a lens.
fn lenses(eyes: &[Point], crown: &Crown) -> (Vec<Point>, f32) {
    let mut eyes = eyes.to_vec();
    eyes.sort_by(|a, b| a.0.total_cmp(&b.0));
    let radius = match eyes.as_slice() {
        [a, b] => ((a.0 - b.0).abs() * 0.4).clamp(crown.width * 0.09, crown.width * 0.23),
        _ => crown.width * 0.2,
    };
    (eyes, radius)
}

pub(super) fn glasses(eyes: &[Point], crown: &Crown) -> Vec<Layer> {
    let (eyes, radius) = lenses(eyes, crown);
    let mut layers: Vec<Layer> = eyes.iter().map(|eye| line(circle(eye.0, eye.1, radius))).collect();
    layers.extend(frame(&eyes, radius, crown));
    layers
}

pub(super) fn sunglasses(eyes: &[Point], crown: &Crown) -> Vec<Layer> {
    let (eyes, radius) = lenses(eyes, crown);
    let mut layers = Vec::new();
    for (x, y) in &eyes {
        let lens = Rect::from_xywh(x - radius * 1.12, y - radius * 0.85, radius * 2.24, radius * 1.8);
        layers.push(shape(lens.and_then(|lens| rounded(lens, radius * 0.7))));
        layers.push(line(segment(
            (x - radius * 0.45, y + radius * 0.4),
            (x + radius * 0.3, y - radius * 0.4),
        )));
    }
    layers.extend(frame(&eyes, radius * 1.1, crown));
    layers
}

/// Returns the bridge between two lenses, or the temple of the glasses on a profile, which shows one lens.
fn frame(eyes: &[Point], radius: f32, crown: &Crown) -> Vec<Layer> {
    match eyes {
        [left, right] if right.0 - left.0 > radius * 2.0 => {
            vec![line(segment((left.0 + radius, left.1), (right.0 - radius, right.1)))]
        }
        [eye] => {
            let back = if eye.0 < crown.top.0 { 1.0 } else { -1.0 };
            let ear = eye.0 + back * (radius + crown.width * 0.3);
            vec![line(segment(
                (eye.0 + back * radius, eye.1),
                (ear, eye.1 - radius * 0.3),
            ))]
        }
        _ => Vec::new(),
    }
}

pub(super) fn monocle(eyes: &[Point], crown: &Crown) -> Vec<Layer> {
    let (eyes, radius) = lenses(eyes, crown);
    let Some((x, y)) = eyes.last() else { return Vec::new() };
    vec![
        line(circle(*x, *y, radius)),
        line(super::shapes::curve(
            &[
                (x + radius * 0.7, y + radius * 0.7),
                (x + radius * 1.2, y + radius * 1.8),
                (x + radius * 0.8, y + radius * 3.0),
            ],
            false,
        )),
    ]
}

/// Returns a patch over one eye, with a band around the head.
pub(super) fn eye_patch(eyes: &[Point], crown: &Crown) -> Vec<Layer> {
    let (eyes, radius) = lenses(eyes, crown);
    let Some((x, y)) = eyes.first() else { return Vec::new() };
    let ends = [
        (x - crown.width * 0.24, y - radius * 1.1),
        (x + crown.width * 0.62, y - radius * 2.1),
    ];
    vec![
        line(segment((x - radius * 0.6, y - radius * 0.6), ends[0])),
        line(segment((x + radius * 0.5, y - radius * 0.8), ends[1])),
        shape(ellipse(*x, *y, radius * 1.05, radius * 1.1)),
    ]
}

//! The parts of a procedural body behind and below its head, in hundredths of the height of the head, with the chin at
//! the origin.

use tiny_skia::{Path, PathBuilder};

use super::Layer;
use super::body::{Coat, Tail};
use super::features::Ears;
use super::shapes::{capsule, circle, curve, ellipse, line, polygon, segment, shape, tilted_ellipse};
use crate::color::Rgb;

pub(super) fn tail(kind: Tail, layers: &mut Vec<Layer>) {
    match kind {
        Tail::None => {}
        Tail::Stub => layers.push(shape(ellipse(32.0, 48.0, 9.0, 9.0))),
        Tail::Bushy => {
            let mut path = PathBuilder::new();
            path.move_to(20.0, 60.0);
            path.cubic_to(48.0, 74.0, 78.0, 52.0, 66.0, 6.0);
            path.cubic_to(62.0, 16.0, 50.0, 20.0, 44.0, 30.0);
            path.cubic_to(38.0, 40.0, 34.0, 46.0, 20.0, 46.0);
            path.close();
            layers.push(shape(path.finish()));
            layers.push(line(curve(
                &[(46.5, 27.0), (54.0, 33.0), (58.0, 29.0), (63.0, 36.0), (68.2, 32.0)],
                false,
            )));
        }
        Tail::Long | Tail::Tuft => {
            let mut path = PathBuilder::new();
            path.move_to(22.0, 62.0);
            path.cubic_to(52.0, 70.0, 68.0, 48.0, 56.0, 22.0);
            path.cubic_to(53.0, 15.0, 46.0, 19.0, 49.0, 26.0);
            path.cubic_to(56.0, 46.0, 46.0, 56.0, 22.0, 52.0);
            path.close();
            layers.push(shape(path.finish()));
            if kind == Tail::Tuft {
                layers.push(shape(tilted_ellipse(52.0, 17.0, 8.0, 12.0, -15.0)));
            }
        }
        Tail::Curled => layers.push(shape(curve(&CURL, true))),
        Tail::Curly => {
            layers.push(line(curve(
                &[
                    (30.0, 50.0),
                    (40.0, 44.0),
                    (48.0, 50.0),
                    (42.0, 57.0),
                    (37.0, 49.0),
                    (47.0, 38.0),
                    (54.0, 42.0),
                ],
                false,
            )));
        }
    }
}

pub(super) fn shoes(layers: &mut Vec<Layer>) {
    for side in [-1.0, 1.0] {
        layers.push(shape(capsule((side * 12.0, 44.0), (side * 13.0, 70.0), 8.5)).colored(Rgb::hex(0x3f_5fa8)));
        layers.push(shape(ellipse(side * 16.0, 76.0, 13.0, 7.0)).colored(Rgb::hex(0xe8_4f4f)));
    }
}

pub(super) fn hind_legs(level: f32, layers: &mut Vec<Layer>) {
    for side in [-1.0, 1.0] {
        layers.push(shape(capsule((side * 15.0, 60.0), (side * 16.0, level - 7.0), 11.5)));
        layers.push(shape(ellipse(side * 19.0, level, 15.0, 8.5)));
        for toe in [-5.0, 4.0] {
            let x = side * 20.0 + toe;
            layers.push(line(segment((x, level + 2.0), (x - 0.5, level + 7.5))));
        }
    }
}

/// The outline of a tail that is rolled up, from its root around to its tip and back.
const CURL: [(f32, f32); 12] = [
    (20.0, 62.0),
    (44.0, 64.0),
    (63.0, 50.0),
    (62.0, 28.0),
    (45.0, 20.0),
    (33.0, 31.0),
    (40.0, 43.0),
    (48.0, 40.0),
    (45.0, 33.0),
    (51.0, 33.0),
    (50.0, 45.0),
    (22.0, 48.0),
];

/// Returns ears behind a head that is twice `half` wide and `high` units high.
pub(super) fn ears(kind: Ears, half: f32, high: f32) -> impl Iterator<Item = Layer> {
    [-1.0, 1.0].into_iter().flat_map(move |side| {
        let at = |x: f32, y: f32| (side * half * x, -high * y);
        let (outer, inner) = match kind {
            Ears::Round => {
                let (x, y) = at(0.72, 0.9);
                (circle(x, y, 21.0), circle(x, y, 11.0))
            }
            _ => {
                let mut ear = PathBuilder::new();
                let [root, bulge, tip, hollow, crown] = [
                    at(0.96, 0.58),
                    at(1.1, 0.95),
                    at(0.92, 1.22),
                    at(0.6, 1.14),
                    at(0.22, 0.96),
                ];
                ear.move_to(root.0, root.1);
                ear.quad_to(bulge.0, bulge.1, tip.0, tip.1);
                ear.quad_to(hollow.0, hollow.1, crown.0, crown.1);
                ear.close();
                (ear.finish(), polygon(&[at(0.86, 0.76), at(0.87, 1.1), at(0.5, 0.98)]))
            }
        };
        [shape(outer), shape(inner)]
    })
}

/// The spots of a coat between the arms: the middle, and half the width and the height.
const SPOTS: [(f32, f32, f32, f32); 6] = [
    (-12.0, 15.0, 6.5, 5.5),
    (9.0, 11.0, 5.5, 5.0),
    (16.0, 30.0, 6.0, 7.0),
    (-2.0, 33.0, 7.0, 6.0),
    (-19.0, 42.0, 5.5, 6.5),
    (7.0, 54.0, 7.0, 6.0),
];

/// Returns the stripes of a trunk, which reach beyond its sides.
pub(super) fn bands() -> impl Iterator<Item = Option<Path>> {
    let at = |side: f32, level: f32| {
        let points = [
            (side * 44.0, level - 7.0),
            (side * 20.0, level - 4.0),
            (side * 5.0, level + 4.0),
            (side * 20.0, level + 4.0),
            (side * 44.0, level + 3.0),
        ];
        curve(&points, true)
    };
    let levels = [10.0, 27.0, 44.0];
    levels
        .into_iter()
        .flat_map(move |level| [at(-1.0, level), at(1.0, level + 2.0)])
}

/// The outline of a patch on the chest and the belly.
const PATCH: [(f32, f32); 9] = [
    (-15.0, 3.0),
    (4.0, 6.0),
    (15.0, 14.0),
    (13.0, 26.0),
    (20.0, 38.0),
    (10.0, 52.0),
    (-6.0, 47.0),
    (-14.0, 36.0),
    (-21.0, 20.0),
];

/// Returns tufts of fur below the chin, whose upper edge the head hides.
pub(super) fn ruff() -> Layer {
    let right = [
        (27.0, 3.0),
        (19.5, 5.5),
        (19.0, 15.0),
        (11.5, 13.0),
        (8.5, 23.0),
        (4.0, 17.0),
    ];
    let mut outline = vec![(-22.0, -14.0), (22.0, -14.0)];
    outline.extend(right);
    outline.push((0.0, 27.0));
    outline.extend(right.iter().rev().map(|(x, y)| (-x, *y)));
    shape(polygon(&outline))
}

pub(super) fn trunk(coat: Coat, layers: &mut Vec<Layer>) {
    let mut path = PathBuilder::new();
    match coat {
        Coat::Shirt => {
            path.move_to(-17.0, -12.0);
            path.line_to(17.0, -12.0);
            path.cubic_to(24.0, 12.0, 25.0, 36.0, 25.0, 56.0);
            path.line_to(-25.0, 56.0);
            path.cubic_to(-25.0, 36.0, -24.0, 12.0, -17.0, -12.0);
        }
        _ => {
            path.move_to(-20.0, -14.0);
            path.cubic_to(-36.0, 16.0, -40.0, 72.0, -12.0, 76.0);
            path.line_to(12.0, 76.0);
            path.cubic_to(40.0, 72.0, 36.0, 16.0, 20.0, -14.0);
        }
    }
    path.close();
    layers.push(shape(path.finish()));
    match coat {
        Coat::Belly => layers.push(shape(ellipse(0.0, 42.0, 19.0, 25.0))),
        Coat::Stripes => {
            layers.push(shape(ellipse(0.0, 42.0, 16.0, 24.0)));
            for (side, level) in [
                (-1.0, 24.0),
                (-1.0, 38.0),
                (-1.0, 52.0),
                (1.0, 24.0),
                (1.0, 38.0),
                (1.0, 52.0),
            ] {
                layers.push(line(curve(
                    &[
                        (side * 30.5, level - 2.0),
                        (side * 25.0, level + 1.0),
                        (side * 20.0, level - 1.0),
                    ],
                    false,
                )));
            }
        }
        Coat::Patches => {
            layers.push(shape(tilted_ellipse(-14.0, 32.0, 8.0, 11.0, 20.0)));
            layers.push(shape(tilted_ellipse(13.0, 52.0, 10.0, 8.0, -15.0)));
        }
        Coat::Spots => {
            for (x, y, rx, ry) in SPOTS {
                layers.push(shape(tilted_ellipse(x, y, rx, ry, x * 2.0)));
            }
        }
        Coat::Bands => {}
        Coat::Patch => layers.push(shape(curve(&PATCH, true))),
        Coat::Shirt => {
            layers.push(line(segment((-24.7, 36.0), (24.7, 36.0))));
            layers.push(line(segment((0.0, 36.0), (0.0, 56.0))));
            layers.push(line(segment((-22.5, 24.0), (22.5, 24.0))));
        }
    }
}

/// Draws the hind legs of a sitting body, whose soles point forward.
pub(super) fn soles(layers: &mut Vec<Layer>) {
    for side in [-1.0, 1.0] {
        layers.push(shape(tilted_ellipse(side * 25.0, 69.0, 12.5, 15.0, side * 14.0)));
        layers.push(shape(tilted_ellipse(side * 25.5, 73.0, 6.5, 7.0, side * 14.0)));
        for toe in [-7.0, 0.0, 7.0] {
            layers.push(shape(ellipse(side * 24.0 + toe, 61.5 + (toe * toe) * 0.04, 2.3, 2.6)));
        }
    }
}

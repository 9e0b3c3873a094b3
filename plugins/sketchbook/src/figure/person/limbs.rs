//! The arms, the hands and the legs of a person.

use std::f32::consts::PI;

use tiny_skia::{Path, Transform};

use super::look::{Look, Outfit};
use super::palette::{COAT, JACKET, POLICE, REFLECTOR, WORK_SHIRT};
use super::{IN_FRONT, ON_HIP, RAISED};
use crate::color::Rgb;
use crate::figure::Layer;
use crate::figure::body::Arm;
use crate::figure::shapes::{Point, curve, ellipse, line, polygon, rectangle, segment, shape};

/// The number of straight pieces of a limb.
const PIECES: usize = 18;

/// Returns the point of a bend from a start through a control point to an end.
fn bend([from, over, to]: [Point; 3], share: f32) -> Point {
    let rest = 1.0 - share;
    let mix = |a: f32, b: f32, c: f32| a * rest * rest + b * 2.0 * rest * share + c * share * share;
    (mix(from.0, over.0, to.0), mix(from.1, over.1, to.1))
}

/// Returns the points at a distance on both sides of a bend, at a share of its length.
fn sides(points: [Point; 3], share: f32, half: f32) -> [Point; 2] {
    let (here, next) = (bend(points, share), bend(points, share + 0.01));
    let (dx, dy) = (next.0 - here.0, next.1 - here.1);
    let off = half / dx.hypot(dy).max(0.001);
    [
        (here.0 - dy * off, here.1 + dx * off),
        (here.0 + dy * off, here.1 - dx * off),
    ]
}

/// The number of corners of the rounded end of a limb.
const CORNERS: usize = 6;

/// A bent limb up to a share of its length, with a half width at each end. Its start is round.
fn tube(points: [Point; 3], until: f32, wide: (f32, f32)) -> Option<Path> {
    let share = |step: usize| until * step as f32 / PIECES as f32;
    let half = |step: usize| wide.0 + (wide.1 - wide.0) * share(step);
    let edges: Vec<[Point; 2]> = (0..=PIECES)
        .map(|step| sides(points, share(step), half(step)))
        .collect();
    // On the inner side of a sharp bend, an edge would cross itself.
    let is_outside = |(x, y): &Point| {
        (0..=PIECES).all(|step| {
            let middle = bend(points, share(step));
            (x - middle.0).hypot(y - middle.1) > half(step) * 0.96
        })
    };
    let there = edges.iter().map(|[left, _]| *left).filter(is_outside);
    let back = edges.iter().rev().map(|[_, right]| *right).filter(is_outside);
    let (middle, [left, right]) = (points[0], edges[0]);
    let round = (1..CORNERS).map(|corner| {
        let (down, across) = (PI * corner as f32 / CORNERS as f32).sin_cos();
        let (dx, dy) = ((right.0 - left.0) / 2.0, (right.1 - left.1) / 2.0);
        (middle.0 + dx * across + dy * down, middle.1 + dy * across - dx * down)
    });
    let outline: Vec<Point> = there.chain(back).chain(round).collect();
    polygon(&outline)
}

/// The sleeve of an outfit: its color, and the share of the arm that it covers.
fn sleeve(look: &Look) -> Option<(Rgb, f32)> {
    Some(match look.outfit {
        Outfit::Gown | Outfit::Fins | Outfit::Fairy => return None,
        Outfit::Shirt | Outfit::Dress => (look.clothes[0], 0.52),
        Outfit::Royal | Outfit::Astronaut | Outfit::Superhero | Outfit::Robe => (look.clothes[0], 0.9),
        Outfit::Firefighter => (JACKET, 0.9),
        Outfit::Doctor | Outfit::LabCoat => (COAT, 0.9),
        Outfit::Builder => (WORK_SHIRT, 0.62),
        Outfit::Police => (POLICE, 0.9),
    })
}

/// Returns an arm with its sleeve and its hand.
pub(super) fn arm(side: f32, pose: Arm, look: &Look) -> Vec<Layer> {
    let shoulder = (24.0, 21.0);
    let (points, wide) = match pose {
        Arm::Raised => ([shoulder, (58.0, 40.0), (RAISED.0 - 1.0, RAISED.1 + 12.0)], (11.0, 7.5)),
        Arm::Down => ([shoulder, (66.0, 46.0), (ON_HIP.0 + 6.0, ON_HIP.1)], (9.5, 7.0)),
        Arm::Around => ([shoulder, (44.0, 34.0), (76.0, 30.0)], (10.5, 9.0)),
        Arm::Forward(half) => (
            [shoulder, (60.0, 56.0), (half.clamp(9.0, 34.0) + 6.0, IN_FRONT.1 + 4.0)],
            (10.5, 8.0),
        ),
    };
    let mirrored = Transform::from_scale(side, 1.0);
    let mut layers = vec![shape(tube(points, 1.0, wide)).colored(look.skin)];
    if let Some((color, until)) = sleeve(look) {
        let extra = if until > 0.8 { 2.2 } else { 3.2 };
        layers.push(shape(tube(points, until, (wide.0 + extra, wide.1 + extra))).colored(color));
        if look.outfit == Outfit::Firefighter {
            layers.push(reflector(points, (0.62, 0.78), wide.1 + extra + 2.0));
        }
    }
    let end = points[2];
    layers.extend(match pose {
        Arm::Raised if look.grips[usize::from(side > 0.0)] => fist(RAISED, look.skin),
        Arm::Raised => open_hand(RAISED, look.skin),
        Arm::Down => fist((ON_HIP.0 + 2.0, ON_HIP.1), look.skin),
        Arm::Around => fist((end.0 + 3.0, end.1 + 2.0), look.skin),
        Arm::Forward(_) => fist((end.0 - 6.0, end.1), look.skin),
    });
    layers.into_iter().map(|layer| layer.transformed(mirrored)).collect()
}

/// A reflecting band across a sleeve.
fn reflector(points: [Point; 3], (from, to): (f32, f32), half: f32) -> Layer {
    let (start, end) = (sides(points, from, half), sides(points, to, half));
    shape(polygon(&[start[0], end[0], end[1], start[1]])).colored(REFLECTOR)
}

/// A waving hand with three fingers and a thumb.
fn open_hand((x, y): Point, skin: Rgb) -> Vec<Layer> {
    const OUTLINE: [Point; 15] = [
        (-6.5, 9.0),
        (-8.0, 2.0),
        (-15.0, -3.0),
        (-15.0, -8.0),
        (-8.0, -6.0),
        (-9.0, -18.0),
        (-4.5, -20.0),
        (-2.0, -8.0),
        (0.0, -22.0),
        (5.0, -22.0),
        (5.0, -8.0),
        (10.0, -18.0),
        (14.5, -15.5),
        (10.0, 1.0),
        (7.0, 9.0),
    ];
    let place = Transform::from_rotate(12.0).post_scale(1.08, 1.08).post_translate(x, y);
    vec![shape(curve(&OUTLINE, true)).colored(skin).transformed(place)]
}

/// Returns a closed hand.
fn fist((x, y): Point, skin: Rgb) -> Vec<Layer> {
    vec![
        shape(ellipse(x, y, 10.0, 9.0)).colored(skin),
        line(segment((x - 7.0, y - 2.0), (x - 1.0, y - 2.0))),
        line(segment((x - 7.0, y + 3.0), (x - 1.0, y + 3.0))),
    ]
}

/// A horizontal band across clothes: its upper edge, its height and its color.
pub(super) type Band = (f32, f32, Rgb);

/// Adds bands to a layer that is at most 100 units wide.
pub(super) fn banded(layer: Layer, bands: &[Band]) -> Layer {
    bands.iter().fold(layer, |layer, (top, height, color)| {
        layer.trimmed(rectangle(-50.0, *top, 100.0, *height), *color)
    })
}

/// Returns legs down to a level, in the color of the trousers and with bands across them, and with shoes below them.
pub(super) fn legs(from: f32, to: f32, half: f32, [color, shoe]: [Rgb; 2], bands: &[Band]) -> Vec<Layer> {
    let mut layers = Vec::new();
    for side in [-1.0, 1.0] {
        let x = side * 13.5;
        let leg = polygon(&[
            (x - half, from),
            (x + half, from),
            (x + half * 0.94 + side, to),
            (x - half * 0.94 + side, to),
        ]);
        layers.push(shape(ellipse(x + side * 4.0, to + 4.0, 15.5, 9.0)).colored(shoe));
        layers.push(banded(shape(leg).colored(color), bands));
    }
    layers
}

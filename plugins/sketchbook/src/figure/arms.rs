//! The arms of a procedural body, with their sleeves, hands and paws.

use tiny_skia::{Path, PathBuilder, Transform};

use super::Layer;
use super::body::{Arm, Species};
use super::shapes::{line, polygon, segment};
use crate::color::Rgb;

/// Returns the area on the far side of a cuff, in which the hand is.
fn beyond(cuff: ((f32, f32), (f32, f32))) -> Option<Path> {
    const FAR: f32 = 60.0;
    let (a, b) = cuff;
    let (dx, dy) = (b.0 - a.0, b.1 - a.1);
    let length = dx.hypot(dy).max(0.01);
    let (mut across, mut down) = (-dy / length, dx / length);
    // The shoulder is near the origin.
    if across * a.0 + down * a.1 < 0.0 {
        (across, down) = (-across, -down);
    }
    let far = |point: (f32, f32)| (point.0 + across * FAR, point.1 + down * FAR);
    let wide = |from: (f32, f32), sign: f32| (from.0 + sign * dx, from.1 + sign * dy);
    let (a, b) = (wide(a, -1.0), wide(b, 1.0));
    polygon(&[a, b, far(b), far(a)])
}

/// Draws an arm with its hand. The outline is open at the shoulder, where it joins the body.
pub(super) fn arm(side: f32, pose: Arm, species: &Species, skin: Rgb, layers: &mut Vec<Layer>) {
    let reach = species.reach();
    let mut path = PathBuilder::new();
    let cuff;
    let fingers;
    if let Arm::Forward(hand) = pose {
        let hand = hand.clamp(12.0, reach + 6.0);
        path.move_to(reach * 0.5, -8.0);
        path.cubic_to(reach * 0.9, -4.0, reach + 14.0, 8.0, reach + 12.0, 28.0);
        path.cubic_to(reach + 10.0, 44.0, hand + 14.0, 53.0, hand, 51.0);
        path.cubic_to(hand - 11.0, 49.0, hand - 10.0, 34.0, hand, 34.0);
        path.cubic_to(hand + 8.0, 34.0, reach - 4.0, 32.0, reach - 0.5, 20.0);
        cuff = ((reach + 10.5, 35.0), (reach - 2.0, 27.0));
        // The held thing hides this hand, and another paw is drawn over the thing.
        fingers = [cuff; 2];
    } else if pose == Arm::Raised {
        path.move_to(reach * 0.45, -10.0);
        path.cubic_to(reach * 0.9, -8.0, reach + 14.0, -10.0, reach + 24.0, -24.0);
        path.cubic_to(reach + 28.0, -35.0, reach + 43.0, -33.0, reach + 41.0, -20.0);
        path.cubic_to(reach + 40.0, -8.0, reach + 22.0, 14.0, reach - 1.5, 20.0);
        cuff = ((reach * 0.894 + 8.25, -11.0), (reach + 14.9, 12.9));
        fingers = [
            ((reach + 33.0, -32.2), (reach + 32.5, -26.0)),
            ((reach + 38.5, -29.0), (reach + 36.0, -23.5)),
        ];
    } else {
        path.move_to(reach * 0.5, -8.0);
        path.cubic_to(reach * 0.9, -4.0, reach + 12.0, 6.0, reach + 12.5, 26.0);
        path.cubic_to(reach + 13.0, 38.0, reach + 11.0, 48.0, reach + 3.0, 48.0);
        path.cubic_to(reach - 5.0, 48.0, reach - 6.0, 38.0, reach - 3.0, 33.0);
        path.quad_to(reach - 0.5, 28.0, reach - 0.5, 20.0);
        cuff = ((reach + 11.9, 20.0), (reach - 0.7, 23.0));
        fingers = [
            ((reach + 1.0, 47.6), (reach + 1.5, 41.5)),
            ((reach + 6.5, 46.8), (reach + 6.0, 41.0)),
        ];
    }
    let mirrored = Transform::from_scale(side, 1.0);
    let mirror = |path: Option<Path>| path.and_then(|path| path.transform(mirrored));
    let mut closed = path.clone();
    closed.close();
    let mut whole = Layer {
        fill: mirror(closed.finish()),
        line: mirror(path.finish()),
        ..Layer::default()
    };
    if species.is_dressed() {
        whole = whole.toned(mirror(beyond(cuff)), skin);
    }
    layers.push(whole);
    let marks = if matches!(pose, Arm::Forward(_)) {
        if species.is_dressed() { vec![cuff] } else { Vec::new() }
    } else if species.is_dressed() {
        vec![cuff]
    } else {
        fingers.to_vec()
    };
    for (from, to) in marks {
        layers.push(line(mirror(segment(from, to))));
    }
}

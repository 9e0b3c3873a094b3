//! The eyes and the brows of a person in line art.

use tiny_skia::{PathBuilder, Transform};

use super::head::{EYE, EYES};
use super::ink::Ink;
use super::look::Look;
use crate::figure::Layer;
use crate::figure::shapes::{Point, circle, continue_curve, curve, curve_into, ellipse, line, shape, solid};

/// The size of eyes behind glasses compared with that of others.
const BEHIND_GLASSES: f32 = 0.74;

pub(super) fn inked_eyes(look: &Look, ink: &Ink) -> Vec<Layer> {
    let mut layers = Vec::new();
    let size = if look.has_glasses { BEHIND_GLASSES } else { 1.0 };
    for (side, at) in [-1.0, 1.0].into_iter().zip(EYES) {
        let place = Transform::from_translate(-at.0, -at.1)
            .post_scale(size, size)
            .post_translate(at.0, at.1);
        layers.extend(eye(at, ink).iter().map(|layer| layer.transformed(place)));
        layers.push(lid(side, at, look.has_lashes).transformed(place));
        layers.push(line(curve(
            &[(side * 10.0, -66.0), (side * 20.0, -69.5), (side * 31.0, -65.0)],
            false,
        )));
    }
    layers
}

/// Returns an eye, whose pupil is as large as a black spot may be.
fn eye((x, y): Point, ink: &Ink) -> Vec<Layer> {
    let (rx, ry) = EYE;
    let across = (rx * 0.62).min(ink.largest_blot * 1.9);
    let down = across * 1.28;
    let middle = y + ry * 0.12;
    let mut pupil = PathBuilder::new();
    let highlight = circle(x - across * 0.27, middle - down * 0.36, across * 0.45);
    let glint = circle(x + across * 0.34, middle + down * 0.46, across * 0.24);
    for path in [ellipse(x, middle, across, down), highlight, glint]
        .into_iter()
        .flatten()
    {
        pupil.push_path(&path);
    }
    vec![shape(ellipse(x, y + ry * 0.06, rx, ry)), solid(pupil.finish())]
}

/// Returns the upper lid, with lashes at its outer end.
fn lid(side: f32, (x, y): Point, has_lashes: bool) -> Layer {
    let at = |(dx, dy): Point| (x + side * dx, y + dy);
    let lower = [(-12.5, -4.0), (-8.6, -11.6), (0.0, -15.2), (8.6, -11.6), (12.5, -3.0)].map(at);
    let upper = [(10.0, -13.0), (0.0, -18.2), (-9.0, -13.4), (-12.5, -4.0)].map(at);
    let mut path = PathBuilder::new();
    curve_into(&mut path, &lower, false);
    let lashes = [(18.6, -7.4), (13.2, -8.0), (16.2, -13.2)].map(at);
    for lash in lashes.into_iter().filter(|_| has_lashes).chain([upper[0]]) {
        path.line_to(lash.0, lash.1);
    }
    continue_curve(&mut path, &upper, false);
    path.close();
    solid(path.finish())
}

//! The head of a person, with a smiling face.

use tiny_skia::{Color, PathBuilder};

use super::inked_eyes::inked_eyes;
use super::look::{Look, Outfit};
use crate::color::Rgb;
use crate::figure::Layer;
use crate::figure::expression::{open_eye, smile};
use crate::figure::shapes::{Point, curve, ellipse, line, shape, solid};

pub(super) const EYES: [Point; 2] = [(-20.0, -42.0), (20.0, -42.0)];

/// The half width and the half height of an eye.
pub(super) const EYE: (f32, f32) = (12.5, 16.0);

pub(super) fn head(look: &Look) -> Vec<Layer> {
    let blush = Color::from_rgba8(255, 60, 100, if look.skin.luminance() < 0.5 { 62 } else { 100 });
    let has_ears = look.ink.is_none() || !look.hair.covers_ears();
    let sides = [-1.0, 1.0].into_iter().filter(|_| has_ears);
    let mut layers: Vec<Layer> = sides
        .map(|side| {
            let inner = ellipse(side * 47.5, -37.0, 3.6, 5.0);
            let ear = shape(ellipse(side * 46.5, -38.0, 7.5, 9.5)).colored(look.skin);
            ear.toned(inner, look.skin.darker(0.16))
        })
        .collect();
    let mut skull = PathBuilder::new();
    skull.move_to(0.0, -97.0);
    skull.cubic_to(30.0, -97.0, 47.5, -76.0, 46.5, -46.0);
    skull.cubic_to(46.0, -17.0, 25.0, 0.0, 0.0, 0.0);
    skull.cubic_to(-25.0, 0.0, -46.0, -17.0, -46.5, -46.0);
    skull.cubic_to(-47.5, -76.0, -30.0, -97.0, 0.0, -97.0);
    skull.close();
    let mut skull = shape(skull.finish()).colored(look.skin);
    for side in [-1.0, 1.0] {
        skull
            .tones
            .extend(ellipse(side * 31.0, -20.0, 9.5, 6.5).map(|path| (path, blush)));
    }
    layers.push(skull);
    if look.has_beard {
        layers.push(beard(look.hair_color));
    }
    if look.outfit == Outfit::Superhero {
        layers.push(mask(look.clothes[1]));
    }
    layers.push(line(curve(&[(-3.5, -25.0), (0.5, -22.6), (4.0, -25.5)], false)));
    let mouth = smile((0.0, -17.0), 31.0);
    if let Some(ink) = &look.ink {
        layers.push(ink.thinned(mouth));
        layers.extend(inked_eyes(look, ink));
        return layers;
    }
    layers.push(mouth);
    for (side, (x, y)) in [-1.0, 1.0].into_iter().zip(EYES) {
        layers.push(open_eye((x, y), EYE.0, EYE.1, look.iris));
        layers.push(lid(side, (x, y), look.has_lashes));
        layers.push(brow(side, look.hair_color));
    }
    layers
}

/// Returns the upper lid, with lashes at its outer end.
fn lid(side: f32, (x, y): Point, has_lashes: bool) -> Layer {
    let at = |dx: f32, dy: f32| (x + side * dx, y + dy);
    let mut points = vec![
        at(-12.5, -5.0),
        at(-8.0, -13.0),
        at(0.0, -16.2),
        at(8.0, -13.0),
        at(12.5, -4.0),
    ];
    if has_lashes {
        points.extend([at(19.0, -8.5), at(13.6, -9.0), at(16.6, -14.6), at(9.8, -13.4)]);
    } else {
        points.push(at(11.0, -12.0));
    }
    points.extend([at(0.0, -18.6), at(-9.0, -15.0)]);
    solid(crate::figure::shapes::polygon(&points))
}

fn brow(side: f32, hair: Rgb) -> Layer {
    let points = [
        (side * 9.0, -66.0),
        (side * 20.0, -70.5),
        (side * 32.0, -64.0),
        (side * 20.0, -66.5),
    ];
    Layer::wash(curve(&points, true), hair.darker(0.45).opaque())
}

fn beard(color: Rgb) -> Layer {
    let points = [
        (-47.0, -44.0),
        (-46.0, -16.0),
        (-26.0, 5.0),
        (0.0, 10.0),
        (26.0, 5.0),
        (46.0, -16.0),
        (47.0, -44.0),
        (40.0, -34.0),
        (30.0, -27.0),
        (14.0, -25.0),
        (0.0, -22.0),
        (-14.0, -25.0),
        (-30.0, -27.0),
        (-40.0, -34.0),
    ];
    shape(curve(&points, true)).colored(color)
}

/// The mask of a superhero, around the eyes.
fn mask(color: Rgb) -> Layer {
    let points = [
        (-47.0, -52.0),
        (-26.0, -65.0),
        (0.0, -56.0),
        (26.0, -65.0),
        (47.0, -52.0),
        (44.0, -30.0),
        (22.0, -22.0),
        (0.0, -33.0),
        (-22.0, -22.0),
        (-44.0, -30.0),
    ];
    shape(curve(&points, true)).colored(color)
}

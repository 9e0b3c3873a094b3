//! The clothes of people who help.

use super::clothes::neck;
use super::halves::hemmed;
use super::limbs::{Band, banded, legs};
use super::look::Look;
use super::palette::{COAT, GOLD, JACKET, LEATHER, LIME, NAVY, POLICE, RED, REFLECTOR, WORK_SHIRT};
use crate::color::Rgb;
use crate::figure::Layer;
use crate::figure::shapes::{circle, curve, ellipse, line, polygon, rectangle, segment, shape, star};

const VEST: Rgb = Rgb::hex(0xff_7a1c);
const SCRUBS: Rgb = Rgb::hex(0x1f_b8b0);
const WHITE_SHOE: Rgb = Rgb::hex(0xf2_f6ff);
const PALE_BLUE: Rgb = Rgb::hex(0xd6_e6f6);

pub(super) fn firefighter(look: &Look) -> Vec<Layer> {
    const ON_TROUSERS: [Band; 2] = [(104.0, 12.0, LIME), (108.0, 4.0, REFLECTOR)];
    const ON_JACKET: [Band; 4] = [
        (38.0, 13.0, LIME),
        (42.0, 5.0, REFLECTOR),
        (66.0, 13.0, LIME),
        (70.0, 5.0, REFLECTOR),
    ];
    let mut layers = legs(70.0, 130.0, 14.0, [NAVY, LEATHER], &ON_TROUSERS);
    layers.push(neck(look));
    let path = hemmed(
        &[(-14.0, 5.0), (-30.0, 14.0), (-31.0, 40.0), (-34.0, 86.0)],
        (0.0, 93.0),
    );
    layers.push(banded(shape(path).colored(JACKET), &ON_JACKET));
    layers.push(line(segment((0.0, 20.0), (0.0, 86.0))));
    for y in [30.0, 54.0] {
        layers.push(shape(rectangle(-6.0, y, 12.0, 5.0)).colored(GOLD));
    }
    layers.push(shape(hemmed(&[(-15.0, 0.0), (-21.0, 12.0), (-5.0, 24.0)], (0.0, 14.0))).colored(RED));
    layers
}

/// A doctor, whose coat has a plus in the color of the scrubs. A red cross is a protected emblem.
pub(super) fn doctor(look: &Look) -> Vec<Layer> {
    let mut layers = lab_coat(look, [SCRUBS; 2]);
    for bar in [rectangle(13.0, 37.0, 14.0, 5.0), rectangle(17.5, 32.5, 5.0, 14.0)] {
        layers.push(Layer::wash(bar, SCRUBS.opaque()));
    }
    layers
}

pub(super) fn scientist(look: &Look) -> Vec<Layer> {
    lab_coat(look, look.clothes)
}

/// An open white coat over a shirt and trousers in two colors.
fn lab_coat(look: &Look, [shirt, trousers]: [Rgb; 2]) -> Vec<Layer> {
    let mut layers = legs(80.0, 130.0, 12.5, [trousers, WHITE_SHOE], &[]);
    layers.push(neck(look));
    let front = hemmed(&[(-13.0, 7.0), (-24.0, 14.0), (-22.0, 60.0)], (0.0, 62.0));
    layers.push(shape(front).colored(shirt));
    layers.push(shape(polygon(&[(-11.0, 4.0), (11.0, 4.0), (0.0, 20.0)])).colored(look.skin));
    for side in [-1.0, 1.0] {
        let half = curve(
            &[
                (side * 13.0, 6.0),
                (side * 28.0, 14.0),
                (side * 31.0, 60.0),
                (side * 35.0, 104.0),
                (side * 3.0, 106.0),
                (side * 4.0, 56.0),
            ],
            true,
        );
        layers.push(shape(half).colored(COAT).trimmed(
            polygon(&[
                (side * 10.0, 2.0),
                (side * 22.0, 26.0),
                (side * 6.0, 48.0),
                (side * 5.0, 24.0),
            ]),
            PALE_BLUE,
        ));
        layers.push(shape(rectangle(side * 20.0 - 8.0, 74.0, 16.0, 15.0)).colored(COAT));
    }
    layers
}

pub(super) fn stethoscope(look: &Look) -> Vec<Layer> {
    let tube = |points: &[(f32, f32)]| {
        if look.ink.is_some() {
            // Between its two edges, there would be no room for a color.
            return line(curve(points, false));
        }
        let there = points.iter().copied();
        let back = points.iter().rev().map(|(x, y)| (x + 3.6, y + 1.2));
        let outline: Vec<(f32, f32)> = there.chain(back).collect();
        shape(curve(&outline, false)).colored(Rgb::hex(0x5a_4fd0))
    };
    vec![
        tube(&[(-17.0, 4.0), (-19.0, 22.0), (-12.0, 36.0), (-2.0, 42.0)]),
        tube(&[(14.0, 4.0), (15.0, 22.0), (8.0, 36.0), (-4.0, 42.0)]),
        shape(circle(-1.0, 46.0, 7.0)).colored(PALE_BLUE),
    ]
}

pub(super) fn builder(look: &Look) -> Vec<Layer> {
    let mut layers = legs(60.0, 130.0, 13.0, [Rgb::hex(0x3f_66c8), Rgb::hex(0xc9_7a3a)], &[]);
    layers.push(neck(look));
    let shirt = hemmed(
        &[(-13.0, 6.0), (-28.0, 14.0), (-28.0, 40.0), (-27.0, 70.0)],
        (0.0, 74.0),
    );
    layers.push(shape(shirt).colored(WORK_SHIRT));
    for side in [-1.0, 1.0] {
        let half = polygon(&[
            (side * 12.0, 8.0),
            (side * 25.0, 14.0),
            (side * 29.0, 70.0),
            (side * 5.0, 71.0),
            (side * 6.0, 34.0),
        ]);
        layers.push(
            shape(half)
                .colored(VEST)
                .trimmed(rectangle(-50.0, 46.0, 100.0, 11.0), LIME)
                .trimmed(
                    polygon(&[
                        (side * 14.0, 6.0),
                        (side * 21.0, 6.0),
                        (side * 21.0, 46.0),
                        (side * 14.0, 46.0),
                    ]),
                    LIME,
                ),
        );
    }
    layers.push(shape(hemmed(&[(-29.0, 68.0), (-29.0, 79.0)], (0.0, 84.0))).colored(Rgb::hex(0xa8_6234)));
    layers.push(shape(rectangle(-7.0, 70.0, 14.0, 11.0)).colored(GOLD));
    layers
}

pub(super) fn police(look: &Look) -> Vec<Layer> {
    let mut layers = legs(60.0, 132.0, 12.5, [NAVY, LEATHER], &[]);
    layers.push(neck(look));
    let shirt = hemmed(
        &[(-13.0, 6.0), (-28.0, 14.0), (-28.0, 40.0), (-27.0, 74.0)],
        (0.0, 78.0),
    );
    layers.push(
        shape(shirt)
            .colored(POLICE)
            .trimmed(rectangle(-40.0, 66.0, 80.0, 7.0), LEATHER),
    );
    layers.push(
        shape(polygon(&[
            (-3.0, 12.0),
            (3.0, 12.0),
            (6.0, 46.0),
            (0.0, 54.0),
            (-6.0, 46.0),
        ]))
        .colored(NAVY),
    );
    layers.push(shape(hemmed(&[(-14.0, 2.0), (-20.0, 12.0), (-5.0, 20.0)], (0.0, 10.0))).colored(POLICE.lighter(0.3)));
    if look.ink.is_none() {
        // A hand on the hip hides half of it, and would leave too little to color.
        layers.push(shape(star(16.0, 36.0, 10.0, 5.0, 5, 0.0)).colored(GOLD));
    }
    layers.push(shape(ellipse(0.0, 70.0, 6.0, 5.0)).colored(GOLD));
    layers
}

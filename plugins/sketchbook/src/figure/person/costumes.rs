//! Costumes of tales and of space.

use super::clothes::neck;
use super::halves::hemmed;
use super::limbs::legs;
use super::look::Look;
use super::palette::GOLD;
use crate::color::Rgb;
use crate::figure::Layer;
use crate::figure::shapes::{circle, curve, ellipse, line, petal, polygon, rectangle, segment, shape, star};

pub(super) fn wings(look: &Look) -> Vec<Layer> {
    let color = look.clothes[1].mixed(Rgb::hex(0xb8_f0ff), 0.5);
    let mut layers = Vec::new();
    for side in [-1.0_f32, 1.0] {
        for (length, width, angle) in [(78.0, 52.0, 0.5), (104.0, 66.0, -0.5)] {
            let angle: f32 = if side < 0.0 {
                std::f32::consts::PI - angle
            } else {
                angle
            };
            let wing = shape(petal((side * 12.0, 34.0), length, width, angle)).colored(color);
            let spot = petal(
                (side * 34.0, 34.0 + 22.0 * angle.sin()),
                length * 0.56,
                width * 0.5,
                angle,
            );
            layers.push(wing.trimmed(spot, color.lighter(0.5)));
        }
    }
    layers
}

pub(super) fn fairy(look: &Look) -> Vec<Layer> {
    let [main, trim] = look.clothes;
    let mut layers = legs(86.0, 128.0, 7.5, [look.skin, main], &[]);
    layers.push(neck(look));
    // The skirt is made of petals.
    for (x, angle) in [(-14.0, 2.2), (14.0, 0.94), (-7.0, 1.85), (7.0, 1.29), (0.0, 1.57)] {
        layers.push(shape(petal((x * 0.6, 46.0), 62.0, 36.0, angle)).colored(if x == 0.0 { trim } else { main }));
    }
    let bodice = hemmed(&[(-24.0, 18.0), (-22.0, 34.0), (-17.0, 52.0)], (0.0, 58.0));
    layers.push(shape(bodice).colored(main));
    layers.push(shape(hemmed(&[(-18.0, 46.0), (-18.0, 53.0)], (0.0, 59.0))).colored(GOLD));
    layers
}

pub(super) fn superhero(look: &Look) -> Vec<Layer> {
    let [main, trim] = look.clothes;
    let mut layers = legs(60.0, 130.0, 12.0, [main, trim], &[(106.0, 40.0, trim)]);
    layers.push(neck(look));
    let suit = hemmed(
        &[(-13.0, 6.0), (-28.0, 14.0), (-28.0, 36.0), (-24.0, 74.0)],
        (0.0, 82.0),
    );
    layers.push(shape(suit).colored(main));
    layers.push(shape(hemmed(&[(-25.0, 62.0), (-24.0, 71.0)], (0.0, 77.0))).colored(GOLD));
    layers.push(shape(circle(0.0, 38.0, 15.0)).colored(Rgb::WHITE));
    layers.push(shape(star(0.0, 38.5, 11.5, 5.4, 5, 0.0)).colored(trim));
    layers.push(shape(hemmed(&[(-14.0, 2.0), (-22.0, 13.0), (-8.0, 16.0)], (0.0, 14.0))).colored(trim));
    layers
}

pub(super) fn astronaut(look: &Look) -> Vec<Layer> {
    let [main, trim] = look.clothes;
    let mut layers = legs(64.0, 130.0, 15.0, [main, trim], &[(100.0, 8.0, trim)]);
    layers.push(neck(look));
    let suit = hemmed(
        &[(-16.0, 6.0), (-32.0, 15.0), (-33.0, 44.0), (-31.0, 80.0)],
        (0.0, 86.0),
    );
    layers.push(
        shape(suit)
            .colored(main)
            .trimmed(rectangle(-50.0, 66.0, 100.0, 8.0), trim),
    );
    layers.push(shape(rectangle(-17.0, 30.0, 34.0, 24.0)).colored(Rgb::hex(0x9a_b4e6)));
    for (x, color) in [(-9.0, 0xff_4f5e), (0.0, 0xff_d23f), (9.0, 0x3f_d07a)] {
        layers.push(shape(circle(x, 38.0, 3.4)).colored(Rgb::hex(color)));
    }
    layers.push(line(segment((-11.0, 47.0), (11.0, 47.0))));
    layers
}

pub(super) fn robe(look: &Look) -> Vec<Layer> {
    let [main, trim] = look.clothes;
    let mut layers = vec![shape(ellipse(-18.0, 140.0, 14.0, 7.0)).colored(trim)];
    layers.push(shape(ellipse(18.0, 140.0, 14.0, 7.0)).colored(trim));
    layers.push(neck(look));
    let robe = hemmed(
        &[
            (-13.0, 6.0),
            (-29.0, 14.0),
            (-27.0, 50.0),
            (-40.0, 98.0),
            (-52.0, 136.0),
        ],
        (0.0, 148.0),
    );
    let hem = curve(
        &[
            (-70.0, 124.0),
            (0.0, 134.0),
            (70.0, 124.0),
            (70.0, 160.0),
            (-70.0, 160.0),
        ],
        true,
    );
    let belt = polygon(&[(-40.0, 54.0), (40.0, 54.0), (40.0, 63.0), (-40.0, 63.0)]);
    layers.push(shape(robe).colored(main).trimmed(hem, trim).trimmed(belt, trim));
    for (x, y, size) in [
        (-20.0, 84.0, 8.0),
        (18.0, 98.0, 9.0),
        (-6.0, 114.0, 6.0),
        (12.0, 76.0, 5.0),
    ] {
        layers.push(Layer::mark(star(x, y, size, size * 0.47, 5, 0.2), trim));
    }
    layers
}

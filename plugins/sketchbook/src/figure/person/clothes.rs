//! Everyday clothes, gowns and the coats of kings.

use tiny_skia::{Path, PathBuilder};

use super::halves::hemmed;
use super::limbs::legs;
use super::look::{Look, Outfit};
use super::palette::GOLD;
use super::{costumes, uniforms};
use crate::color::Rgb;
use crate::figure::shapes::{circle, curve, ellipse, line, polygon, rectangle, segment, shape};
use crate::figure::{Layer, fins};

const CAPE: Rgb = Rgb::hex(0xe0_3048);
const ERMINE: Rgb = Rgb::hex(0xff_f6ea);

/// Returns the layers behind the body.
pub(super) fn behind(look: &Look) -> Vec<Layer> {
    let color = match look.outfit {
        Outfit::Fairy => return costumes::wings(look),
        Outfit::Superhero => look.clothes[1],
        Outfit::Royal => CAPE,
        _ => return Vec::new(),
    };
    let cape = hemmed(
        &[(-20.0, 6.0), (-38.0, 30.0), (-56.0, 92.0), (-54.0, 126.0)],
        (0.0, 134.0),
    );
    vec![shape(cape).colored(color)]
}

/// The neck and the shoulders.
pub(super) fn neck(look: &Look) -> Layer {
    let path = hemmed(
        &[(-9.5, -10.0), (-10.0, 5.0), (-24.0, 12.0), (-29.0, 24.0)],
        (0.0, 34.0),
    );
    let shadow = ellipse(0.0, -3.0, 15.0, 10.0);
    shape(path).colored(look.skin).toned(shadow, look.skin.darker(0.2))
}

pub(super) fn body(look: &Look) -> Vec<Layer> {
    match look.outfit {
        Outfit::Shirt => shirt(look),
        Outfit::Dress => dress(look),
        Outfit::Gown => gown(look),
        Outfit::Royal => royal(look),
        Outfit::Fins => mermaid(look),
        Outfit::Firefighter => uniforms::firefighter(look),
        Outfit::Doctor => uniforms::doctor(look),
        Outfit::LabCoat => uniforms::scientist(look),
        Outfit::Builder => uniforms::builder(look),
        Outfit::Police => uniforms::police(look),
        Outfit::Astronaut => costumes::astronaut(look),
        Outfit::Superhero => costumes::superhero(look),
        Outfit::Fairy => costumes::fairy(look),
        Outfit::Robe => costumes::robe(look),
    }
}

/// Returns the layers over the shoulders.
pub(super) fn over_arms(look: &Look) -> Vec<Layer> {
    match look.outfit {
        Outfit::Gown => {
            let [main, trim] = look.clothes;
            let mut layers = Vec::new();
            for side in [-1.0, 1.0] {
                let puff = shape(ellipse(side * 27.5, 23.5, 16.0, 13.5)).colored(main);
                layers.push(puff.trimmed(ellipse(side * 27.5, 37.0, 18.0, 6.0), trim));
            }
            layers
        }
        Outfit::Royal => vec![
            shape(hemmed(&[(-20.0, 2.0), (-36.0, 16.0), (-34.0, 30.0)], (0.0, 30.0))).colored(ERMINE),
            shape(circle(0.0, 22.0, 5.0)).colored(GOLD),
        ],
        Outfit::Doctor => uniforms::stethoscope(look),
        Outfit::Astronaut => vec![shape(ellipse(0.0, 12.0, 36.0, 9.0)).colored(look.clothes[1])],
        _ => Vec::new(),
    }
}

fn torso(hem: f32) -> Option<Path> {
    hemmed(
        &[(-13.0, 7.0), (-27.0, 14.0), (-28.0, 34.0), (-27.0, hem)],
        (0.0, hem + 4.0),
    )
}

fn shirt(look: &Look) -> Vec<Layer> {
    let [main, trousers] = look.clothes;
    let mut layers = legs(60.0, 132.0, 12.5, [trousers, Rgb::hex(0xf2_4f4f)], &[]);
    layers.push(neck(look));
    let stripe = rectangle(-40.0, 34.0, 80.0, 12.0);
    layers.push(shape(torso(72.0)).colored(main).trimmed(stripe, main.lighter(0.55)));
    layers.push(shape(ellipse(0.0, 5.0, 12.5, 6.5)).colored(look.skin));
    layers
}

fn dress(look: &Look) -> Vec<Layer> {
    let [main, _] = look.clothes;
    let mut layers = legs(90.0, 128.0, 7.5, [look.skin, Rgb::hex(0xf2_4f6f)], &[]);
    layers.push(neck(look));
    let path = hemmed(
        &[
            (-13.0, 7.0),
            (-26.0, 14.0),
            (-20.0, 46.0),
            (-34.0, 80.0),
            (-50.0, 108.0),
        ],
        (0.0, 122.0),
    );
    let belt = rectangle(-40.0, 44.0, 80.0, 7.0);
    let hem = curve(
        &[(-60.0, 98.0), (0.0, 108.0), (60.0, 98.0), (60.0, 126.0), (-60.0, 126.0)],
        true,
    );
    let skirt = shape(path).colored(main).trimmed(hem, main.lighter(0.5));
    layers.push(skirt.trimmed(belt, main.lighter(0.72)));
    for (x, y) in [(-12.0, 66.0), (11.0, 72.0), (-22.0, 86.0), (24.0, 90.0), (0.0, 90.0)] {
        layers.push(Layer::mark(circle(x, y, 4.2), main.lighter(0.6)));
    }
    layers.push(shape(hemmed(&[(-13.0, 5.0), (-20.0, 12.0), (-6.0, 20.0)], (0.0, 12.0))).colored(Rgb::WHITE));
    layers
}

fn gown(look: &Look) -> Vec<Layer> {
    let [main, trim] = look.clothes;
    let mut skirt = PathBuilder::new();
    skirt.move_to(-17.0, 50.0);
    skirt.cubic_to(-38.0, 62.0, -82.0, 104.0, -92.0, 152.0);
    // The hem is a row of scallops.
    for scallop in 0..8 {
        let x = -92.0 + 23.0 * scallop as f32;
        skirt.quad_to(x + 11.5, 172.0, x + 23.0, 152.0);
    }
    skirt.cubic_to(82.0, 104.0, 38.0, 62.0, 17.0, 50.0);
    skirt.close();
    let panel = curve(
        &[
            (-4.0, 46.0),
            (4.0, 46.0),
            (30.0, 100.0),
            (44.0, 180.0),
            (-44.0, 180.0),
            (-30.0, 100.0),
        ],
        true,
    );
    let fold = |side: f32| {
        curve(
            &[
                (side * 46.0, 78.0),
                (side * 62.0, 110.0),
                (side * 76.0, 178.0),
                (side * 58.0, 178.0),
                (side * 52.0, 110.0),
            ],
            true,
        )
    };
    let mut layers = vec![
        shape(skirt.finish())
            .colored(main)
            .trimmed(fold(-1.0), main.lighter(0.28))
            .trimmed(fold(1.0), main.lighter(0.28))
            .toned(panel, trim),
    ];
    for side in [-1.0, 1.0] {
        layers.push(line(curve(
            &[(side * 5.0, 53.0), (side * 27.0, 98.0), (side * 42.0, 158.0)],
            false,
        )));
        for (x, y) in [(30.0, 98.0), (39.0, 132.0)] {
            layers.push(shape(circle(side * x, y, 5.0)).colored(GOLD));
        }
    }
    layers.push(neck(look));
    let bodice = polygon_of_bodice();
    layers.push(
        shape(bodice)
            .colored(main)
            .trimmed(polygon(&[(-6.0, 14.0), (6.0, 14.0), (4.0, 60.0), (-4.0, 60.0)]), trim),
    );
    layers.push(shape(hemmed(&[(-19.0, 47.0), (-20.0, 55.0)], (0.0, 61.0))).colored(GOLD));
    layers.push(shape(circle(0.0, 54.0, 6.0)).colored(Rgb::hex(0x3f_c8ff)));
    layers.push(line(curve(&[(-11.0, 6.0), (0.0, 13.0), (11.0, 6.0)], false)));
    layers.push(shape(circle(0.0, 14.0, 4.0)).colored(GOLD));
    layers
}

fn polygon_of_bodice() -> Option<Path> {
    let mut path = PathBuilder::new();
    path.move_to(-27.0, 19.0);
    path.quad_to(-10.0, 14.0, 0.0, 24.0);
    path.quad_to(10.0, 14.0, 27.0, 19.0);
    path.cubic_to(26.0, 32.0, 18.0, 40.0, 18.0, 54.0);
    path.line_to(-18.0, 54.0);
    path.cubic_to(-18.0, 40.0, -26.0, 32.0, -27.0, 19.0);
    path.close();
    path.finish()
}

fn royal(look: &Look) -> Vec<Layer> {
    let [main, trousers] = look.clothes;
    let mut layers = legs(60.0, 132.0, 12.5, [trousers, Rgb::hex(0x6a_4fc0)], &[]);
    layers.push(neck(look));
    layers.push(
        shape(torso(78.0))
            .colored(main)
            .trimmed(rectangle(-40.0, 52.0, 80.0, 8.0), GOLD),
    );
    layers.push(line(segment((0.0, 26.0), (0.0, 78.0))));
    for side in [-1.0, 1.0] {
        for y in [36.0, 47.0, 68.0] {
            layers.push(shape(circle(side * 7.0, y, 3.4)).colored(GOLD));
        }
    }
    layers
}

fn mermaid(look: &Look) -> Vec<Layer> {
    let mut layers = fins::trunk();
    layers[0].color = Some(look.skin);
    layers.insert(0, neck(look));
    layers
}

//! Headwear, hoses and wands that belong to an outfit.

use tiny_skia::{Color, Path, PathBuilder};

use super::look::{Look, Outfit};
use super::palette::{GOLD, LEATHER, NAVY, POLICE, RED};
use crate::color::Rgb;
use crate::figure::Layer;
use crate::figure::shapes::{circle, curve, ellipse, line, polygon, shape, star};

pub(super) fn headwear(look: &Look) -> Vec<Layer> {
    if !look.has_hat {
        return Vec::new();
    }
    match look.outfit {
        Outfit::Gown => tiara(look.clothes[0]),
        Outfit::Royal => crown(),
        Outfit::Firefighter => fire_helmet(),
        Outfit::Builder => hard_hat(),
        Outfit::Police => police_cap(),
        Outfit::Robe => pointed_hat(look),
        Outfit::Astronaut => space_helmet(look),
        Outfit::Shirt
        | Outfit::Dress
        | Outfit::Doctor
        | Outfit::LabCoat
        | Outfit::Fins
        | Outfit::Superhero
        | Outfit::Fairy => Vec::new(),
    }
}

/// Returns the part of the headwear behind the head.
pub(super) fn behind_head(look: &Look) -> Vec<Layer> {
    if look.outfit != Outfit::Astronaut || !look.has_hat {
        return Vec::new();
    }
    vec![shape(circle(0.0, -50.0, 66.0)).colored(Rgb::hex(0x3a_4a9c))]
}

fn space_helmet(look: &Look) -> Vec<Layer> {
    let mut ring = PathBuilder::new();
    for radius in [72.0, 60.0] {
        if let Some(circle) = circle(0.0, -50.0, radius) {
            ring.push_path(&circle);
        }
    }
    let glint = curve(
        &[
            (-50.0, -64.0),
            (-40.0, -86.0),
            (-22.0, -99.0),
            (-36.0, -80.0),
            (-44.0, -62.0),
        ],
        true,
    );
    let mut layers = vec![shape(ring.finish()).colored(Rgb::hex(0xf4_f8ff))];
    layers.push(Layer::wash(glint, Color::from_rgba8(255, 255, 255, 150)));
    for side in [-1.0, 1.0] {
        layers.push(shape(ellipse(side * 72.0, -46.0, 9.0, 15.0)).colored(look.clothes[1]));
    }
    layers
}

fn pointed_hat(look: &Look) -> Vec<Layer> {
    let [main, trim] = look.clothes;
    let cone = curve(
        &[
            (-46.0, -82.0),
            (-30.0, -118.0),
            (-8.0, -146.0),
            (22.0, -166.0),
            (20.0, -142.0),
            (36.0, -114.0),
            (46.0, -82.0),
            (0.0, -92.0),
        ],
        true,
    );
    let band = curve(
        &[
            (-44.0, -84.0),
            (0.0, -94.0),
            (44.0, -84.0),
            (41.0, -97.0),
            (0.0, -107.0),
            (-41.0, -97.0),
        ],
        true,
    );
    let brim = curve(
        &[
            (-76.0, -68.0),
            (-40.0, -86.0),
            (0.0, -92.0),
            (40.0, -86.0),
            (76.0, -68.0),
            (40.0, -73.0),
            (0.0, -79.0),
            (-40.0, -73.0),
        ],
        true,
    );
    vec![
        shape(cone).colored(main),
        shape(band).colored(trim),
        shape(brim).colored(main),
        shape(star(-2.0, -122.0, 10.0, 4.8, 5, 0.2)).colored(trim),
        shape(star(17.0, -140.0, 6.0, 2.9, 5, 0.0)).colored(trim),
    ]
}

/// A crown with its band bent around the hair.
fn band_with_tips(tips: &[(f32, f32)], half: f32, base: f32) -> Option<Path> {
    let mut path = PathBuilder::new();
    path.move_to(-half, base);
    for pair in tips.windows(2) {
        let (tip, next) = (pair[0], pair[1]);
        path.line_to(tip.0, tip.1);
        path.line_to(
            (tip.0 + next.0) / 2.0,
            base - 15.0 - (half - (tip.0 + next.0).abs() / 2.0) * 0.06,
        );
    }
    let last = tips[tips.len() - 1];
    path.line_to(last.0, last.1);
    path.line_to(half, base);
    path.quad_to(0.0, base - 9.0, -half, base);
    path.close();
    path.finish()
}

fn tiara(gem: Rgb) -> Vec<Layer> {
    let tips = [
        (-35.0, -115.0),
        (-19.0, -124.0),
        (0.0, -134.0),
        (19.0, -124.0),
        (35.0, -115.0),
    ];
    let mut layers = vec![shape(band_with_tips(&tips, 31.0, -93.0)).colored(GOLD)];
    for (x, y) in tips {
        layers.push(shape(circle(x, y, 4.4)).colored(Rgb::WHITE));
    }
    layers.push(shape(polygon(&[(0.0, -117.0), (7.0, -108.0), (0.0, -99.0), (-7.0, -108.0)])).colored(gem));
    for side in [-1.0, 1.0] {
        layers.push(shape(circle(side * 18.0, -103.0, 4.2)).colored(Rgb::hex(0x3f_c8ff)));
    }
    layers
}

fn crown() -> Vec<Layer> {
    let tips = [
        (-42.0, -124.0),
        (-20.0, -126.0),
        (0.0, -134.0),
        (20.0, -126.0),
        (42.0, -124.0),
    ];
    let mut layers = vec![shape(band_with_tips(&tips, 37.0, -90.0)).colored(GOLD)];
    for ((x, y), color) in tips
        .into_iter()
        .zip([0x3f_c8ff, 0xf0_4f6b, 0x3f_c8ff, 0xf0_4f6b, 0x3f_c8ff])
    {
        layers.push(shape(circle(x, y, 4.8)).colored(Rgb::hex(color)));
    }
    for (x, color) in [(-18.0, 0x2f_b573), (0.0, 0xf0_4f6b), (18.0, 0x2f_b573)] {
        layers.push(shape(circle(x, -103.0, 5.0)).colored(Rgb::hex(color)));
    }
    layers
}

fn dome(half: f32, top: f32, base: f32) -> Option<Path> {
    let mut dome = PathBuilder::new();
    dome.move_to(-half, base);
    dome.cubic_to(-half, top - 10.0, half, top - 10.0, half, base);
    dome.close();
    dome.finish()
}

fn fire_helmet() -> Vec<Layer> {
    let brim = curve(
        &[
            (-68.0, -70.0),
            (-40.0, -84.0),
            (0.0, -88.0),
            (40.0, -84.0),
            (68.0, -70.0),
            (40.0, -71.0),
            (0.0, -75.0),
            (-40.0, -71.0),
        ],
        true,
    );
    let mut layers = vec![shape(dome(52.0, -132.0, -76.0)).colored(RED)];
    for side in [-1.0, 1.0] {
        layers.push(line(curve(
            &[(side * 12.0, -124.0), (side * 28.0, -108.0), (side * 35.0, -84.0)],
            false,
        )));
    }
    layers.push(shape(ellipse(0.0, -122.0, 8.0, 5.0)).colored(RED.lighter(0.2)));
    layers.push(shape(brim).colored(RED.lighter(0.08)));
    let shield = polygon(&[
        (-15.0, -119.0),
        (0.0, -124.0),
        (15.0, -119.0),
        (13.0, -98.0),
        (0.0, -87.0),
        (-13.0, -98.0),
    ]);
    layers.push(shape(shield).colored(GOLD));
    let flame = curve(
        &[
            (0.0, -116.0),
            (6.5, -104.0),
            (4.0, -96.0),
            (-4.0, -96.0),
            (-6.5, -104.0),
        ],
        true,
    );
    layers.push(Layer::mark(flame, RED));
    layers
}

fn hard_hat() -> Vec<Layer> {
    let yellow = Rgb::hex(0xff_c21f);
    let brim = curve(
        &[
            (-60.0, -71.0),
            (0.0, -85.0),
            (60.0, -71.0),
            (40.0, -68.0),
            (0.0, -74.0),
            (-40.0, -68.0),
        ],
        true,
    );
    let ridge = curve(
        &[
            (-8.0, -76.0),
            (-9.0, -110.0),
            (0.0, -130.0),
            (9.0, -110.0),
            (8.0, -76.0),
        ],
        true,
    );
    vec![
        shape(dome(53.0, -128.0, -74.0)).colored(yellow),
        shape(ridge).colored(yellow.lighter(0.3)),
        line(curve(&[(-28.0, -78.0), (-30.0, -98.0), (-22.0, -112.0)], false)),
        line(curve(&[(28.0, -78.0), (30.0, -98.0), (22.0, -112.0)], false)),
        shape(brim).colored(yellow),
    ]
}

fn police_cap() -> Vec<Layer> {
    let top = curve(
        &[
            (-50.0, -92.0),
            (-62.0, -114.0),
            (-30.0, -128.0),
            (0.0, -131.0),
            (30.0, -128.0),
            (62.0, -114.0),
            (50.0, -92.0),
        ],
        true,
    );
    let band = curve(
        &[
            (-51.0, -94.0),
            (0.0, -101.0),
            (51.0, -94.0),
            (50.0, -78.0),
            (0.0, -84.0),
            (-50.0, -78.0),
        ],
        true,
    );
    let peak = curve(
        &[
            (-44.0, -80.0),
            (0.0, -88.0),
            (44.0, -80.0),
            (30.0, -71.0),
            (0.0, -68.0),
            (-30.0, -71.0),
        ],
        true,
    );
    vec![
        shape(top).colored(POLICE),
        shape(band).colored(NAVY),
        shape(peak).colored(LEATHER),
        shape(star(0.0, -108.0, 11.0, 5.5, 5, 0.0)).colored(GOLD),
    ]
}

/// Returns what the outfit has in the raised right hand, if the hand is free.
pub(super) fn in_hand(look: &Look) -> Vec<Layer> {
    match look.outfit {
        _ if !look.has_gear => Vec::new(),
        Outfit::Firefighter => hose(),
        Outfit::Fairy | Outfit::Robe => wand(),
        _ => Vec::new(),
    }
}

fn wand() -> Vec<Layer> {
    let stick = polygon(&[(58.0, -6.0), (63.0, -4.0), (82.0, -52.0), (77.0, -54.0)]);
    vec![
        shape(stick).colored(Rgb::hex(0xc9_884f)),
        shape(star(82.0, -64.0, 17.0, 8.0, 5, 0.3)).colored(GOLD),
        shape(star(100.0, -88.0, 6.0, 2.8, 5, 0.0)).colored(GOLD),
        shape(star(66.0, -92.0, 5.0, 2.4, 5, 0.4)).colored(GOLD),
    ]
}

/// The hose of a firefighter with a nozzle in the raised hand, and the water from it.
fn hose() -> Vec<Layer> {
    let hose = curve(
        &[
            (58.0, -14.0),
            (70.0, 30.0),
            (50.0, 80.0),
            (74.0, 150.0),
            (60.0, 152.0),
            (37.0, 82.0),
            (56.0, 32.0),
            (48.0, -10.0),
        ],
        true,
    );
    let nozzle = polygon(&[
        (55.0, -8.0),
        (66.0, -12.0),
        (80.0, -42.0),
        (84.0, -54.0),
        (70.0, -60.0),
        (66.0, -48.0),
    ]);
    let mut layers = vec![shape(hose).colored(Rgb::hex(0xff_8a3c)), shape(nozzle).colored(GOLD)];
    let water = [
        (84.0, -70.0, 7.0),
        (96.0, -82.0, 8.0),
        (80.0, -88.0, 6.0),
        (104.0, -102.0, 6.0),
        (90.0, -106.0, 8.0),
    ];
    for (x, y, size) in water {
        let drop = curve(
            &[
                (x, y - size * 1.5),
                (x + size, y),
                (x + size * 0.6, y + size),
                (x - size * 0.6, y + size),
                (x - size, y),
            ],
            true,
        );
        layers.push(shape(drop).colored(Rgb::hex(0x4f_c8ff)));
    }
    layers
}

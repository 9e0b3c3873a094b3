//! The ship of pirates, for covers in color.

use tiny_skia::PathBuilder;

use super::shapes::{circle, curve, line, polygon, rectangle, segment, shape, solid};
use super::{Figure, Layer};
use crate::color::Rgb;

const HULL: Rgb = Rgb::hex(0xa8_6234);
const DECK: Rgb = Rgb::hex(0xd8_9a58);
const GOLD: Rgb = Rgb::hex(0xff_cf3a);
const SAIL: Rgb = Rgb::hex(0x4a_3f78);
const BONE: Rgb = Rgb::hex(0xff_fbf0);
const FLAG: Rgb = Rgb::hex(0xe8_334a);

/// Returns a galleon under a sail with a skull, fitted into a box and centered on the origin.
pub fn galleon(width: f32, height: f32) -> Figure {
    let mut layers = vec![
        shape(rectangle(47.0, 4.0, 4.0, 74.0)).colored(DECK),
        shape(polygon(&[(49.0, 2.0), (72.0, 8.0), (49.0, 15.0)])).colored(FLAG),
    ];
    layers.extend(sail());
    layers.extend(hull());
    Figure::from_layers(layers).fitted(width, height)
}

fn sail() -> Vec<Layer> {
    let mut cloth = PathBuilder::new();
    cloth.move_to(14.0, 18.0);
    cloth.quad_to(49.0, 12.0, 84.0, 18.0);
    cloth.quad_to(94.0, 42.0, 82.0, 64.0);
    cloth.quad_to(49.0, 56.0, 16.0, 64.0);
    cloth.quad_to(22.0, 42.0, 14.0, 18.0);
    cloth.close();
    let mut layers = vec![
        shape(cloth.finish()).colored(SAIL),
        shape(circle(52.0, 35.0, 12.0)).colored(BONE),
        shape(rectangle(45.5, 44.0, 13.0, 9.0)).colored(BONE),
    ];
    for side in [-1.0, 1.0] {
        layers.push(solid(circle(52.0 + side * 5.0, 35.5, 3.2)));
    }
    layers.push(line(segment((52.0, 47.0), (52.0, 52.0))));
    layers
}

fn hull() -> Vec<Layer> {
    let mut hull = PathBuilder::new();
    hull.move_to(0.0, 56.0);
    hull.line_to(20.0, 58.0);
    hull.line_to(24.0, 74.0);
    hull.line_to(74.0, 74.0);
    hull.line_to(80.0, 64.0);
    hull.line_to(104.0, 60.0);
    hull.cubic_to(98.0, 84.0, 88.0, 100.0, 76.0, 102.0);
    hull.line_to(22.0, 102.0);
    hull.cubic_to(8.0, 98.0, 2.0, 76.0, 0.0, 56.0);
    hull.close();
    let mut layers = vec![
        shape(hull.finish()).colored(HULL),
        line(curve(&[(4.0, 80.0), (50.0, 84.0), (96.0, 79.0)], false)),
    ];
    for x in [26.0, 42.0, 58.0, 74.0] {
        layers.push(shape(circle(x, 92.0, 4.2)).colored(GOLD));
    }
    layers
}

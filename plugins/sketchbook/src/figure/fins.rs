//! The trunk and the tail of a mermaid.

use tiny_skia::PathBuilder;

use super::Layer;
use super::shapes::{curve, ellipse, line, petal, shape, tilted_ellipse};
use crate::color::Rgb;

const TAIL: Rgb = Rgb::hex(0x16_c2a3);
const FLUKE: Rgb = Rgb::hex(0x5f_e0c0);
const SHELL: Rgb = Rgb::hex(0xa0_4fe0);

/// Returns the layers of a body for a head 100 units high, its chin at y = 0. The first is the trunk.
pub(super) fn trunk() -> Vec<Layer> {
    let mut trunk = PathBuilder::new();
    trunk.move_to(-15.0, -12.0);
    trunk.line_to(15.0, -12.0);
    trunk.cubic_to(21.0, 8.0, 14.0, 22.0, 18.0, 40.0);
    trunk.line_to(-18.0, 40.0);
    trunk.cubic_to(-14.0, 22.0, -21.0, 8.0, -15.0, -12.0);
    trunk.close();
    let mut tail = PathBuilder::new();
    tail.move_to(-18.0, 30.0);
    tail.quad_to(0.0, 38.0, 18.0, 30.0);
    tail.cubic_to(24.0, 46.0, 20.0, 68.0, 32.0, 72.0);
    tail.cubic_to(40.0, 74.0, 47.0, 70.0, 51.0, 58.0);
    tail.line_to(60.0, 62.0);
    tail.cubic_to(58.0, 82.0, 44.0, 96.0, 24.0, 95.0);
    tail.cubic_to(-14.0, 94.0, -32.0, 66.0, -18.0, 30.0);
    tail.close();
    let mut layers = vec![shape(trunk.finish())];
    for angle in [-2.2, -0.75] {
        layers.push(shape(petal((55.0, 64.0), 36.0, 26.0, angle)).colored(FLUKE));
    }
    layers.push(shape(tail.finish()).colored(TAIL));
    for (x, y) in [
        (-6.0, 52.0),
        (8.0, 54.0),
        (0.0, 66.0),
        (13.0, 68.0),
        (8.0, 80.0),
        (24.0, 82.0),
    ] {
        layers.push(line(curve(&[(x - 6.0, y), (x, y + 4.5), (x + 6.0, y)], false)));
    }
    for side in [-1.0, 1.0] {
        layers.push(shape(tilted_ellipse(side * 8.0, 11.0, 8.6, 7.4, side * 14.0)).colored(SHELL));
    }
    layers.push(shape(ellipse(0.0, 34.5, 3.6, 3.6)).colored(Rgb::hex(0xff_d84a)));
    layers
}

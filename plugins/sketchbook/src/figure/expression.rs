//! The expression of a face on a cover in color: large shining eyes, an open smile and cheeks.

use tiny_skia::{Color, Path, PathBuilder, Transform};

use super::shapes::{Point, ellipse, rectangle, shape};
use super::{Figure, Layer};
use crate::art::{Eye, Face};
use crate::color::Rgb;

const IRIS_OF_WARM_COATS: Rgb = Rgb::hex(0x2a_93e0);
const IRIS_OF_COLD_COATS: Rgb = Rgb::hex(0xf2_9a1c);
const IRIS_OF_DARK_COATS: Rgb = Rgb::hex(0x9a_5a24);
const PUPIL: Rgb = Rgb::hex(0x17_1326);
const MOUTH: Rgb = Rgb::hex(0x8a_1f33);
const TONGUE: Rgb = Rgb::hex(0xff_6b7d);

/// Puts larger eyes on a traced drawing, and, if it `smiles`, an open mouth and cheeks.
pub fn enliven(figure: &mut Figure, face: &Face, smiles: bool) {
    let sizes: Vec<(f32, f32)> = sizes(&face.eyes);
    let iris = iris(figure.anchors.coat);
    if let ([left, right], Some(body), true) = (face.eyes.as_slice(), figure.layers.first_mut(), smiles) {
        for (eye, side) in [(left, -1.0), (right, 1.0)] {
            let (rx, ry) = sizes[0];
            let cheek = ellipse(eye.at.0 + side * rx * 0.75, eye.at.1 + ry * 1.55, rx * 0.72, rx * 0.48);
            body.tones
                .extend(cheek.map(|path| (path, Color::from_rgba8(255, 70, 110, 120))));
        }
    }
    if let Some((at, width)) = face.mouth.filter(|_| smiles) {
        figure.layers.push(smile(at, width));
    }
    for (eye, (rx, ry)) in face.eyes.iter().zip(sizes) {
        figure.layers.push(open_eye(eye.at, rx, ry, iris));
    }
}

/// Returns the half width and the half height of each eye.
fn sizes(eyes: &[Eye]) -> Vec<(f32, f32)> {
    match eyes {
        [left, right] => {
            let apart = right.at.0 - left.at.0;
            let radius = left.radius.max(right.radius);
            let rx = (radius * 1.75).clamp(apart * 0.21, apart * 0.27).min(radius * 2.2);
            vec![(rx, rx * 1.3); 2]
        }
        // A head seen from the side must keep its outline.
        _ => eyes
            .iter()
            .map(|eye| {
                let rx = (eye.radius * 2.6).min(eye.room).max(eye.radius);
                (rx, rx * 1.12)
            })
            .collect(),
    }
}

fn iris(coat: Option<Rgb>) -> Rgb {
    match coat {
        Some(coat) if coat.luminance() < 0.42 && coat.0 > coat.2 => IRIS_OF_DARK_COATS,
        Some(coat) if coat.0 < coat.1.max(coat.2) => IRIS_OF_COLD_COATS,
        _ => IRIS_OF_WARM_COATS,
    }
}

/// Returns an eye with a colored iris and two highlights.
pub(super) fn open_eye((x, y): Point, rx: f32, ry: f32, iris: Rgb) -> Layer {
    let (x, y) = (x, y + ry * 0.06);
    let spot = |dx: f32, dy: f32, width: f32, height: f32| ellipse(x + dx * rx, y + dy * ry, width * rx, height * ry);
    shape(ellipse(x, y, rx, ry))
        .colored(Rgb::WHITE)
        .toned(spot(0.0, 0.1, 0.84, 0.84), iris.darker(0.35))
        .toned(spot(0.0, 0.16, 0.76, 0.76), iris)
        .toned(spot(0.0, 0.06, 0.56, 0.6), PUPIL)
        .toned(spot(-0.26, -0.3, 0.34, 0.3), Rgb::WHITE)
        .toned(spot(0.3, 0.42, 0.17, 0.15), Rgb::WHITE)
}

/// Returns an open mouth with teeth and a tongue.
pub(super) fn smile((x, y): Point, width: f32) -> Layer {
    let half = width / 2.0;
    let place = Transform::from_scale(half, half).post_translate(x, y);
    let placed = |path: Option<Path>| path.and_then(|path| path.transform(place));
    let mut lips = PathBuilder::new();
    lips.move_to(-1.0, -0.14);
    lips.quad_to(0.0, 0.16, 1.0, -0.14);
    lips.cubic_to(0.95, 0.62, 0.5, 0.96, 0.0, 0.96);
    lips.cubic_to(-0.5, 0.96, -0.95, 0.62, -1.0, -0.14);
    lips.close();
    shape(placed(lips.finish()))
        .colored(MOUTH)
        .trimmed(placed(ellipse(0.0, 0.88, 0.56, 0.42)), TONGUE)
        .toned(placed(rectangle(-1.0, -0.3, 2.0, 0.5)), Rgb::WHITE)
}

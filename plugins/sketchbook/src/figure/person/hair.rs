//! The hair of a person: the part behind the body, and the part over the forehead.

use tiny_skia::{Path, PathBuilder};

use super::halves::rounded;
use super::look::{Look, Outfit};
use crate::figure::Layer;
use crate::figure::shapes::{Point, around, circle, curve, ellipse, line, shape};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hair {
    Long,
    Wavy,
    Bob,
    /// A large cloud of curls.
    Curly,
    /// Short curls.
    Curls,
    Pigtails,
    Short,
    /// Short hair with a tuft.
    Tuft,
    Bun,
    /// Hair at the sides only.
    Bald,
    /// The curl of a baby.
    Wisp,
}

impl Hair {
    /// Returns true for hair below which line art would show only the tips of the ears.
    pub(super) fn covers_ears(self) -> bool {
        matches!(self, Self::Long | Self::Wavy | Self::Bob | Self::Curly)
    }
}

/// A closed outline of bumps around an ellipse.
fn bumps(center: Point, rx: f32, ry: f32, count: usize) -> Option<Path> {
    let points: Vec<(Point, f32)> = around(center.0, center.1, rx, ry, count, 0.13).collect();
    let mut path = PathBuilder::new();
    path.move_to(points[0].0.0, points[0].0.1);
    for index in 0..count {
        let (from, to) = (points[index].0, points[(index + 1) % count].0);
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let (ox, oy) = (dy * 0.62, -dx * 0.62);
        path.cubic_to(from.0 + ox, from.1 + oy, to.0 + ox, to.1 + oy, to.0, to.1);
    }
    path.close();
    path.finish()
}

/// The level down to which line art hides the hair behind the head, between whose edge and that of the hair in front
/// there is no room for a color.
const TUCKED: f32 = -30.0;

/// A symmetric outline of hair, from the points of its left half.
fn hanging(left: &[Point], look: &Look) -> Option<Path> {
    let tucked = |(x, y): &Point| match look.ink {
        Some(_) if *y < TUCKED => (*x * 0.86, *y * 0.92),
        _ => (*x, *y),
    };
    let points: Vec<Point> = left.iter().map(tucked).collect();
    rounded(&points)
}

/// Returns the hair behind the body.
pub(super) fn behind(look: &Look) -> Vec<Layer> {
    if look.outfit == Outfit::Astronaut && look.has_hat {
        return Vec::new();
    }
    let dark = look.hair_color.darker(0.16);
    let path = match look.hair {
        Hair::Long => hanging(
            &[
                (0.0, -108.0),
                (-36.0, -101.0),
                (-55.0, -68.0),
                (-57.0, -24.0),
                (-61.0, 12.0),
                (-60.0, 44.0),
                (-46.0, 56.0),
                (-24.0, 50.0),
            ],
            look,
        ),
        Hair::Wavy => hanging(
            &[
                (0.0, -108.0),
                (-38.0, -102.0),
                (-58.0, -70.0),
                (-55.0, -40.0),
                (-66.0, -14.0),
                (-60.0, 12.0),
                (-70.0, 36.0),
                (-62.0, 60.0),
                (-44.0, 50.0),
                (-20.0, 54.0),
            ],
            look,
        ),
        Hair::Bob => hanging(
            &[
                (0.0, -108.0),
                (-38.0, -101.0),
                (-58.0, -66.0),
                (-60.0, -26.0),
                (-55.0, 2.0),
                (-36.0, 6.0),
                (-14.0, 4.0),
            ],
            look,
        ),
        Hair::Curly => bumps((0.0, -50.0), 60.0, 58.0, 15),
        Hair::Bun => bumps((0.0, -114.0), 17.0, 15.0, 9),
        Hair::Pigtails => {
            let tail = |side: f32| {
                let points = [
                    (50.0, -64.0),
                    (64.0, -70.0),
                    (82.0, -44.0),
                    (84.0, -8.0),
                    (74.0, 8.0),
                    (66.0, -8.0),
                    (56.0, -30.0),
                ];
                let points = points.map(|(x, y)| (side * x, y));
                shape(curve(&points, true)).colored(look.hair_color)
            };
            return vec![tail(-1.0), tail(1.0)];
        }
        Hair::Curls | Hair::Short | Hair::Tuft | Hair::Bald | Hair::Wisp => return Vec::new(),
    };
    vec![shape(path).colored(dark)]
}

/// Returns the hair over the forehead, and what is tied into it.
pub(super) fn front(look: &Look) -> Vec<Layer> {
    let color = look.hair_color;
    let shine = ellipse(-16.0, -95.0, 22.0, 5.0);
    let lock = |points: &[Point]| {
        shape(curve(points, true))
            .colored(color)
            .toned(shine.clone(), color.lighter(0.28))
    };
    let mut layers = Vec::new();
    match look.hair {
        Hair::Long | Hair::Wavy | Hair::Bob => {
            layers.push(lock(&[
                (-14.0, -105.0),
                (-38.0, -97.0),
                (-54.0, -68.0),
                (-54.0, -36.0),
                (-49.0, -14.0),
                (-45.0, -40.0),
                (-37.0, -63.0),
                (-22.0, -76.0),
            ]));
            layers.push(lock(&[
                (-22.0, -103.0),
                (8.0, -109.0),
                (38.0, -99.0),
                (54.0, -68.0),
                (54.0, -36.0),
                (49.0, -14.0),
                (46.0, -40.0),
                (36.0, -66.0),
                (8.0, -76.0),
                (-16.0, -84.0),
            ]));
            layers.push(line(curve(&[(-6.0, -101.0), (24.0, -95.0), (44.0, -66.0)], false)));
        }
        Hair::Curly | Hair::Curls => {
            let fringe = |x: f32, y: f32, radius: f32| shape(circle(x, y, radius)).colored(color);
            layers.extend([
                fringe(-45.0, -64.0, 11.0),
                fringe(45.0, -64.0, 11.0),
                fringe(-34.0, -80.0, 15.0),
                fringe(34.0, -80.0, 15.0),
                fringe(-13.0, -92.0, 17.0),
                fringe(14.0, -92.0, 17.0),
            ]);
        }
        Hair::Pigtails => {
            layers.push(lock(&[
                (0.0, -108.0),
                (-36.0, -100.0),
                (-53.0, -70.0),
                (-50.0, -44.0),
                (-42.0, -60.0),
                (-22.0, -70.0),
                (0.0, -66.0),
                (22.0, -70.0),
                (42.0, -60.0),
                (50.0, -44.0),
                (53.0, -70.0),
                (36.0, -100.0),
            ]));
            for side in [-1.0, 1.0] {
                layers.push(shape(circle(side * 55.0, -63.0, 7.0)).colored(look.clothes[0]));
            }
        }
        Hair::Short | Hair::Tuft => {
            let mut outline = vec![(-48.0, -46.0), (-54.0, -72.0), (-40.0, -98.0), (-14.0, -110.0)];
            if look.hair == Hair::Tuft && !look.has_hat {
                outline.extend([(4.0, -124.0), (6.0, -111.0), (24.0, -116.0)]);
            }
            outline.extend([
                (34.0, -102.0),
                (53.0, -74.0),
                (48.0, -46.0),
                (43.0, -62.0),
                (30.0, -76.0),
                (14.0, -68.0),
                (-2.0, -78.0),
                (-18.0, -67.0),
                (-32.0, -76.0),
                (-42.0, -62.0),
            ]);
            layers.push(lock(&outline));
        }
        Hair::Bun => layers.push(lock(&[
            (0.0, -106.0),
            (-38.0, -98.0),
            (-54.0, -66.0),
            (-49.0, -40.0),
            (-44.0, -62.0),
            (-22.0, -80.0),
            (0.0, -84.0),
            (22.0, -80.0),
            (44.0, -62.0),
            (49.0, -40.0),
            (54.0, -66.0),
            (38.0, -98.0),
        ])),
        Hair::Wisp => layers.push(lock(&[
            (-22.0, -92.0),
            (-6.0, -112.0),
            (16.0, -108.0),
            (20.0, -92.0),
            (8.0, -86.0),
            (10.0, -97.0),
            (-4.0, -99.0),
            (-8.0, -88.0),
        ])),
        Hair::Bald => {
            for side in [-1.0, 1.0] {
                layers.push(shape(bumps((side * 49.0, -56.0), 7.0, 14.0, 7)).colored(color));
            }
            layers.push(moustache(look));
        }
    }
    if look.has_moustache && look.hair != Hair::Bald {
        layers.push(moustache(look));
    }
    if look.outfit == Outfit::Fins {
        layers.extend(starfish());
    }
    layers
}

fn moustache(look: &Look) -> Layer {
    shape(rounded(&[
        (0.0, -23.0),
        (-14.0, -25.0),
        (-27.0, -15.0),
        (-12.0, -13.0),
        (-3.0, -17.0),
    ]))
    .colored(look.hair_color)
}

fn starfish() -> Vec<Layer> {
    use crate::color::Rgb;
    use crate::figure::shapes::star;
    vec![
        shape(star(35.0, -84.0, 17.0, 8.5, 5, 0.3)).colored(Rgb::hex(0xff_c92e)),
        shape(circle(35.0, -84.0, 3.4)).colored(Rgb::hex(0xff_8a2e)),
    ]
}

//! Subjects without a drawing in the catalog, which covers in color draw from shapes.

use tiny_skia::{Color, PathBuilder, Rect};

use super::body::Arm;
use super::expression::open_eye;
use super::galleon::galleon;
use super::person::{Look, person};
use super::shapes::{Point, circle, curve, ellipse, line, polygon, rectangle, rounded, segment, shape};
use super::{Figure, Layer};
use crate::color::Rgb;

const HIDE: Rgb = Rgb::hex(0x35_b56e);
const PLATE: Rgb = Rgb::hex(0xff_8a3c);
const BASKET: Rgb = Rgb::hex(0x2f_9cf0);
const HOOD: Rgb = Rgb::hex(0x5f_bcff);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sketch {
    /// The ship of pirates.
    Galleon,
    Stegosaurus,
    /// A stroller, with a baby in it if nothing else is on the cover.
    Stroller {
        is_empty: bool,
    },
}

impl Sketch {
    /// Returns the sketch that a word names.
    pub fn named(word: &str) -> Option<Self> {
        match word {
            "stegosaurus" | "stegosauruses" | "stegosaur" => Some(Self::Stegosaurus),
            "stroller" | "strollers" | "pram" | "pushchair" | "buggy" => Some(Self::Stroller { is_empty: true }),
            _ => None,
        }
    }

    pub fn label(self) -> &'static str {
        match self {
            Self::Galleon => "sailboat",
            Self::Stegosaurus => "stegosaurus",
            Self::Stroller { .. } => "stroller",
        }
    }

    /// Returns the name of the setting where the subject is at home.
    pub fn habitat(self) -> &'static str {
        match self {
            Self::Galleon => "sea",
            Self::Stegosaurus => "prehistoric",
            Self::Stroller { .. } => "garden",
        }
    }

    /// Returns the figure, fitted into a box and centered on the origin.
    pub fn figure(self, width: f32, height: f32) -> Figure {
        let figure = match self {
            Self::Galleon => return galleon(width, height),
            Self::Stegosaurus => stegosaurus(),
            Self::Stroller { is_empty } => stroller(is_empty),
        };
        figure.fitted(width, height)
    }
}

fn leg(x: f32, bottom: f32, color: Rgb) -> Vec<Layer> {
    let area = Rect::from_ltrb(x - 11.0, 78.0, x + 11.0, bottom);
    let mut layers = vec![shape(area.and_then(|area| rounded(area, 9.0))).colored(color)];
    for toe in [-7.0, 0.0, 7.0] {
        layers.push(shape(ellipse(x + toe, bottom - 2.0, 3.2, 3.0)).colored(Rgb::hex(0xff_f3d6)));
    }
    layers
}

fn stegosaurus() -> Figure {
    let mut layers = Vec::new();
    for tip in [(203.0, 46.0), (220.0, 52.0)] {
        let base = (tip.0 - 10.0, 76.0);
        layers.push(shape(polygon(&[(base.0 - 7.0, base.1), (base.0 + 6.0, base.1 + 2.0), tip])).colored(PLATE));
    }
    for (x, y, size) in [
        (46.0, 54.0, 11.0),
        (166.0, 58.0, 12.0),
        (61.0, 44.0, 16.0),
        (149.0, 44.0, 17.0),
        (80.0, 32.0, 21.0),
        (128.0, 31.0, 21.0),
        (104.0, 27.0, 25.0),
    ] {
        let plate = [
            (x - size * 0.55, y + 8.0),
            (x - size * 0.8, y - size * 0.6),
            (x, y - size * 1.5),
            (x + size * 0.8, y - size * 0.6),
            (x + size * 0.55, y + 8.0),
        ];
        let inner = plate.map(|(a, b)| (x + (a - x) * 0.5, y - 4.0 + (b - y) * 0.5));
        layers.push(
            shape(polygon(&plate))
                .colored(PLATE)
                .toned(polygon(&inner), PLATE.lighter(0.35)),
        );
    }
    for x in [90.0, 148.0] {
        layers.extend(leg(x, 124.0, HIDE.darker(0.2)));
    }
    for x in [68.0, 126.0] {
        layers.extend(leg(x, 130.0, HIDE));
    }
    const OUTLINE: [Point; 19] = [
        (0.0, 74.0),
        (4.0, 58.0),
        (20.0, 48.0),
        (38.0, 54.0),
        (58.0, 46.0),
        (88.0, 26.0),
        (124.0, 28.0),
        (154.0, 50.0),
        (180.0, 70.0),
        (212.0, 74.0),
        (213.0, 80.0),
        (184.0, 88.0),
        (160.0, 90.0),
        (130.0, 106.0),
        (80.0, 106.0),
        (54.0, 92.0),
        (38.0, 86.0),
        (20.0, 90.0),
        (5.0, 86.0),
    ];
    let belly = ellipse(104.0, 108.0, 58.0, 22.0);
    let mut body = shape(curve(&OUTLINE, true))
        .colored(HIDE)
        .toned(belly, HIDE.lighter(0.45));
    for (x, y, radius) in [
        (86.0, 52.0, 6.0),
        (106.0, 44.0, 5.0),
        (126.0, 54.0, 7.0),
        (150.0, 68.0, 5.0),
    ] {
        body = body.toned(circle(x, y, radius), HIDE.darker(0.18));
    }
    let blush = Color::from_rgba8(255, 70, 110, 130);
    body.tones
        .extend(ellipse(33.0, 76.0, 6.0, 4.0).map(|path| (path, blush)));
    layers.push(body);
    layers.push(line(curve(&[(3.0, 76.0), (12.0, 81.0), (26.0, 78.0)], false)));
    layers.push(line(segment((5.0, 65.0), (7.0, 66.0))));
    layers.push(open_eye((22.0, 63.0), 8.0, 9.5, Rgb::hex(0xf2_9a1c)));
    with_feature(layers, 84.0)
}

fn with_feature(layers: Vec<Layer>, level: f32) -> Figure {
    let mut figure = Figure::from_layers(layers);
    figure.anchors.lowest_feature = Some(level);
    figure
}

fn stroller(is_empty: bool) -> Figure {
    let handle = curve(
        &[
            (94.0, 62.0),
            (112.0, 34.0),
            (126.0, 22.0),
            (130.0, 27.0),
            (118.0, 40.0),
            (102.0, 66.0),
        ],
        true,
    );
    let mut layers = vec![shape(handle).colored(Rgb::hex(0x6a_4fc0))];
    if !is_empty && let Some(look) = Look::of("baby", None, 1, 5) {
        let baby = person(&look, [Arm::Raised; 2]);
        let place = tiny_skia::Transform::from_scale(0.5, 0.5).post_translate(68.0, 58.0);
        layers.extend(baby.transformed(place).layers.into_iter().filter(above_basket));
    }
    let mut hood = PathBuilder::new();
    hood.move_to(40.0, 60.0);
    hood.line_to(36.0, 2.0);
    hood.cubic_to(8.0, 4.0, -6.0, 30.0, -2.0, 60.0);
    hood.close();
    layers.push(shape(hood.finish()).colored(HOOD));
    layers.push(line(curve(&[(38.0, 60.0), (24.0, 30.0), (22.0, 6.0)], false)));
    layers.push(line(curve(&[(38.0, 60.0), (12.0, 42.0), (6.0, 22.0)], false)));
    for (from, to) in [((26.0, 94.0), (74.0, 118.0)), ((76.0, 94.0), (26.0, 118.0))] {
        let rod = polygon(&[from, (from.0 + 5.0, from.1), (to.0 + 5.0, to.1), to]);
        layers.push(shape(rod).colored(Rgb::hex(0x8f_9cc8)));
    }
    let mut basket = PathBuilder::new();
    basket.move_to(-4.0, 56.0);
    basket.line_to(104.0, 56.0);
    basket.cubic_to(104.0, 88.0, 86.0, 100.0, 50.0, 100.0);
    basket.cubic_to(14.0, 100.0, -4.0, 88.0, -4.0, 56.0);
    basket.close();
    let trim = rectangle(-10.0, 56.0, 130.0, 10.0);
    let mut basket = shape(basket.finish()).colored(BASKET).toned(trim, Rgb::hex(0xff_d23f));
    for (x, y) in [(18.0, 78.0), (42.0, 86.0), (64.0, 78.0), (86.0, 84.0)] {
        basket = basket.toned(circle(x, y, 5.0), BASKET.lighter(0.6));
    }
    layers.push(basket);
    for x in [22.0, 80.0] {
        layers.push(shape(circle(x, 120.0, 17.0)).colored(Rgb::hex(0x5a_5f88)));
        layers.push(shape(circle(x, 120.0, 9.0)).colored(Rgb::hex(0xff_d23f)));
    }
    if is_empty {
        Figure::from_layers(layers)
    } else {
        with_feature(layers, 60.0)
    }
}

/// Returns true for a part of a baby that the basket does not hide.
fn above_basket(layer: &Layer) -> bool {
    let path = layer.fill.as_ref().or(layer.line.as_ref()).or(layer.solid.as_ref());
    let bounds = path.map(tiny_skia::Path::bounds);
    let bounds = bounds.or_else(|| layer.tones.first().map(|(path, _)| path.bounds()));
    bounds.is_none_or(|bounds| bounds.bottom() < 98.0)
}

//! What a character wears: hats, bows, scarves, glasses, a badge.

use fastrand::Rng;
use tiny_skia::{PathBuilder, Rect};

use super::shapes::{circle, curve, ellipse, line, petal, polygon, segment, shape, star};
use super::{Figure, Layer};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trait {
    PartyHat,
    TopHat,
    Crown,
    Beanie,
    Flower,
    Bow,
    Scarf,
    BowTie,
    Badge,
    Glasses,
}

/// Words of a description that name a trait.
const NAMED: &[(&str, Trait)] = &[
    ("hat", Trait::TopHat),
    ("cap", Trait::Beanie),
    ("beanie", Trait::Beanie),
    ("crown", Trait::Crown),
    ("tiara", Trait::Crown),
    ("flower", Trait::Flower),
    ("bow", Trait::Bow),
    ("ribbon", Trait::Bow),
    ("scarf", Trait::Scarf),
    ("tie", Trait::BowTie),
    ("bowtie", Trait::BowTie),
    ("badge", Trait::Badge),
    ("star", Trait::Badge),
    ("glasses", Trait::Glasses),
    ("spectacles", Trait::Glasses),
    ("party", Trait::PartyHat),
    ("king", Trait::Crown),
    ("queen", Trait::Crown),
    ("princess", Trait::Crown),
    ("wizard", Trait::PartyHat),
    ("explorer", Trait::Scarf),
    ("winter", Trait::Scarf),
];

const HEADWEAR: &[Trait] = &[
    Trait::PartyHat,
    Trait::TopHat,
    Trait::Crown,
    Trait::Beanie,
    Trait::Flower,
    Trait::Bow,
];
const NECKWEAR: &[Trait] = &[Trait::Scarf, Trait::BowTie, Trait::Badge];

impl Trait {
    pub fn on_head(self) -> bool {
        HEADWEAR.contains(&self)
    }

    /// What the description names, completed by the seed: one for the head, one for the neck.
    pub fn chosen(words: &[String], rng: &mut Rng) -> Vec<Self> {
        let named: Vec<Self> = NAMED
            .iter()
            .filter(|(word, _)| words.iter().any(|known| known == word))
            .map(|(_, item)| *item)
            .collect();
        let seeded = [
            HEADWEAR[rng.usize(0..HEADWEAR.len())],
            NECKWEAR[rng.usize(0..NECKWEAR.len())],
        ];
        if named.is_empty() {
            // One seeded trait is enough to know a character by; two make it hard to read.
            return vec![seeded[rng.usize(0..2)]];
        }
        let mut worn: Vec<Self> = Vec::new();
        for item in named {
            if !worn
                .iter()
                .any(|known| known.on_head() == item.on_head() && *known != Self::Glasses && item != Self::Glasses)
            {
                worn.push(item);
            }
        }
        worn
    }
}

/// Puts an item on a figure, where the figure's head is known or can be told from its eyes.
pub fn wear(figure: &mut Figure, item: Trait) {
    let whole = figure.bounds();
    let head = figure.anchors.head.unwrap_or_else(|| head_from_eyes(figure, &whole));
    let (x, top, size) = ((head.left() + head.right()) / 2.0, head.top(), head.width());
    let neck = (x, head.bottom());
    let known_body = figure.anchors.head.is_some();
    let layers = match item {
        Trait::PartyHat => party_hat(x, top + size * 0.10, size * 0.44),
        Trait::TopHat => top_hat(x, top + size * 0.10, size * 0.42),
        Trait::Crown => crown(x, top + size * 0.12, size * 0.44),
        Trait::Beanie => beanie(x, top + size * 0.16, size * 0.5),
        Trait::Flower => flower(x + size * 0.3, top + size * 0.14, size * 0.17),
        Trait::Bow => bow(x + size * 0.27, top + size * 0.12, size * 0.2),
        Trait::Scarf if known_body => scarf((neck.0, neck.1 + size * 0.06), size * 0.33),
        Trait::BowTie if known_body => bow((neck.0, neck.1 + size * 0.04).0, neck.1 + size * 0.04, size * 0.16),
        Trait::Badge if known_body => vec![shape(star(x, neck.1 + size * 0.26, size * 0.13, size * 0.06, 5, 0.0))],
        // Without a neck a small hat is the surer mark.
        Trait::Scarf | Trait::BowTie | Trait::Badge => party_hat(x, top + size * 0.10, size * 0.4),
        Trait::Glasses => glasses(figure),
    };
    figure.layers.extend(layers);
}

/// A head around the eyes: three times their distance wide, or a third of the figure.
fn head_from_eyes(figure: &Figure, whole: &Rect) -> Rect {
    let eyes = &figure.anchors.eyes;
    let width = match eyes.as_slice() {
        [a, b] => ((a.0 - b.0).abs() * 2.6).clamp(whole.width() * 0.25, whole.width()),
        _ => whole.width() * 0.36,
    };
    let x = match eyes.as_slice() {
        [] => (whole.left() + whole.right()) / 2.0,
        some => some.iter().map(|eye| eye.0).sum::<f32>() / some.len() as f32,
    };
    let top = top_above(figure, x).unwrap_or(whole.top());
    Rect::from_xywh(x - width / 2.0, top, width, width).unwrap_or(*whole)
}

/// Where the silhouette begins above a column.
fn top_above(figure: &Figure, x: f32) -> Option<f32> {
    let path = figure.layers.iter().find_map(|layer| layer.fill.as_ref())?;
    let near = path.bounds().width() * 0.05;
    path.points()
        .iter()
        .filter(|point| (point.x - x).abs() < near)
        .map(|point| point.y)
        .min_by(f32::total_cmp)
}

fn party_hat(x: f32, base: f32, width: f32) -> Vec<Layer> {
    let height = width * 1.05;
    let at = |share: f32, side: f32| (x + side * width * 0.5 * (1.0 - share), base - height * share);
    vec![
        shape(polygon(&[at(0.0, -1.0), at(1.0, 0.0), at(0.0, 1.0)])),
        line(segment(at(0.33, -1.0), at(0.2, 1.0))),
        line(segment(at(0.66, -1.0), at(0.53, 1.0))),
        shape(circle(x, base - height, width * 0.13)),
    ]
}

fn top_hat(x: f32, base: f32, width: f32) -> Vec<Layer> {
    let mut crown = PathBuilder::new();
    crown.move_to(x - width * 0.42, base);
    crown.line_to(x - width * 0.48, base - width * 0.72);
    crown.quad_to(x, base - width * 0.84, x + width * 0.48, base - width * 0.72);
    crown.line_to(x + width * 0.42, base);
    crown.close();
    vec![
        shape(crown.finish()),
        line(curve(
            &[
                (x - width * 0.44, base - width * 0.24),
                (x, base - width * 0.18),
                (x + width * 0.44, base - width * 0.24),
            ],
            false,
        )),
        shape(ellipse(x, base, width * 0.78, width * 0.15)),
    ]
}

fn crown(x: f32, base: f32, width: f32) -> Vec<Layer> {
    let (half, tall) = (width / 2.0, width * 0.55);
    let points = [
        (x - half, base),
        (x - half * 1.12, base - tall),
        (x - half * 0.5, base - tall * 0.5),
        (x, base - tall * 1.15),
        (x + half * 0.5, base - tall * 0.5),
        (x + half * 1.12, base - tall),
        (x + half, base),
    ];
    let mut layers = vec![
        shape(polygon(&points)),
        line(segment((x - half, base - tall * 0.25), (x + half, base - tall * 0.25))),
    ];
    for tip in [1, 3, 5] {
        layers.push(shape(circle(points[tip].0, points[tip].1, width * 0.07)));
    }
    layers
}

fn beanie(x: f32, base: f32, width: f32) -> Vec<Layer> {
    let half = width / 2.0;
    let mut dome = PathBuilder::new();
    dome.move_to(x - half, base);
    dome.cubic_to(
        x - half,
        base - width * 0.75,
        x + half,
        base - width * 0.75,
        x + half,
        base,
    );
    dome.close();
    let brim = Rect::from_xywh(x - half * 1.1, base - width * 0.1, width * 1.1, width * 0.2);
    vec![
        shape(circle(x, base - width * 0.6, width * 0.12)),
        shape(dome.finish()),
        shape(brim.and_then(|brim| super::shapes::rounded(brim, width * 0.1))),
    ]
}

fn flower(x: f32, y: f32, size: f32) -> Vec<Layer> {
    let mut layers: Vec<Layer> = (0..6)
        .map(|index| shape(petal((x, y), size, size * 0.75, index as f32 * 1.047)))
        .collect();
    layers.push(shape(circle(x, y, size * 0.34)));
    layers
}

fn bow(x: f32, y: f32, size: f32) -> Vec<Layer> {
    let wing = |side: f32| {
        let mut path = PathBuilder::new();
        path.move_to(x, y);
        path.cubic_to(
            x + side * size * 0.6,
            y - size * 0.9,
            x + side * size * 1.35,
            y - size * 0.7,
            x + side * size * 1.2,
            y,
        );
        path.cubic_to(
            x + side * size * 1.35,
            y + size * 0.7,
            x + side * size * 0.6,
            y + size * 0.9,
            x,
            y,
        );
        path.close();
        shape(path.finish())
    };
    vec![wing(-1.0), wing(1.0), shape(ellipse(x, y, size * 0.27, size * 0.34))]
}

fn scarf(neck: (f32, f32), half: f32) -> Vec<Layer> {
    let (x, y) = neck;
    let (tall, end) = (half * 0.34, half * 1.15);
    let tail = [
        (x + half * 0.3, y),
        (x + half * 0.72, y),
        (x + half * 0.82, y + end),
        (x + half * 0.36, y + end),
    ];
    let mut layers = vec![shape(polygon(&tail))];
    for share in [0.6, 0.8] {
        layers.push(line(segment(
            (x + half * (0.3 + 0.06 * share), y + end * share),
            (x + half * (0.72 + 0.1 * share), y + end * share),
        )));
    }
    let band = Rect::from_xywh(x - half, y - tall * 0.6, half * 2.0, tall * 1.5);
    layers.push(shape(band.and_then(|band| super::shapes::rounded(band, tall * 0.7))));
    layers
}

fn glasses(figure: &Figure) -> Vec<Layer> {
    let [a, b] = figure.anchors.eyes.as_slice() else {
        return Vec::new();
    };
    let apart = (a.0 - b.0).abs();
    let radius = apart * 0.36;
    let (left, right) = if a.0 < b.0 { (a, b) } else { (b, a) };
    vec![
        line(circle(left.0, left.1, radius)),
        line(circle(right.0, right.1, radius)),
        line(segment((left.0 + radius, left.1), (right.0 - radius, right.1))),
    ]
}

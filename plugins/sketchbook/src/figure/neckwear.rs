//! Neckwear: items around a neck or hanging from it.

use tiny_skia::{PathBuilder, Rect, Transform};

use super::hats::bow;
use super::landmarks::Neck;
use super::shapes::{Point, circle, curve, ellipse, line, polygon, rounded, segment, shape, star};
use super::{Figure, Layer};

impl Neck {
    pub(super) fn half(&self) -> f32 {
        (self.left.0 - self.right.0).hypot(self.left.1 - self.right.1) / 2.0
    }

    /// Returns a point on the line across the neck: -1 is its left end, 1 its right end.
    pub(super) fn at(&self, share: f32) -> Point {
        let way = (share + 1.0) / 2.0;
        (
            self.left.0 + (self.right.0 - self.left.0) * way,
            self.left.1 + (self.right.1 - self.left.1) * way,
        )
    }

    /// Moves layers that were designed around the origin, from `-half` to `half`, onto the line across the neck.
    fn across(&self, layers: Vec<Layer>) -> Vec<Layer> {
        let (x, y) = self.at(0.0);
        let turn = (self.right.1 - self.left.1)
            .atan2(self.right.0 - self.left.0)
            .to_degrees();
        Figure::from_layers(layers)
            .transformed(Transform::from_rotate(turn).post_translate(x, y))
            .layers
    }
}

pub(super) fn scarf(neck: &Neck) -> Vec<Layer> {
    let half = neck.half() * 1.06;
    let tall = half * 0.34;
    // The loose end hangs straight down, in whatever direction the neck leans.
    let from = neck.at(if neck.throat == 0.0 { 0.5 } else { neck.throat * 0.62 });
    let (wide, end) = (half * 0.21, half * 1.05);
    let lean = half * 0.08 * if neck.throat < 0.0 { -1.0 } else { 1.0 };
    let edge = |side: f32, way: f32| {
        (
            from.0 + side * wide * (1.0 + 0.12 * way) + lean * way,
            from.1 + end * way,
        )
    };
    let mut layers = vec![shape(polygon(&[
        edge(-1.0, 0.0),
        edge(1.0, 0.0),
        edge(1.0, 1.0),
        edge(-1.0, 1.0),
    ]))];
    for way in [0.62, 0.81] {
        layers.push(line(segment(edge(-1.0, way), edge(1.0, way))));
    }
    let mut band = PathBuilder::new();
    let sag = tall * 0.35;
    band.move_to(-half, -tall * 0.5);
    band.quad_to(0.0, -tall * 0.5 + sag * 2.0, half, -tall * 0.5);
    band.cubic_to(
        half + tall * 0.7,
        -tall * 0.3,
        half + tall * 0.6,
        tall * 0.75,
        half - tall * 0.1,
        tall * 0.62,
    );
    band.quad_to(0.0, tall * 0.62 + sag * 2.0, -half + tall * 0.1, tall * 0.62);
    band.cubic_to(
        -half - tall * 0.6,
        tall * 0.75,
        -half - tall * 0.7,
        -tall * 0.3,
        -half,
        -tall * 0.5,
    );
    band.close();
    layers.extend(neck.across(vec![shape(band.finish())]));
    layers
}

/// A triangle of cloth with dots.
pub(super) fn bandana(neck: &Neck) -> Vec<Layer> {
    let half = neck.half() * 1.02;
    let mut cloth = PathBuilder::new();
    cloth.move_to(-half, -half * 0.12);
    cloth.quad_to(0.0, half * 0.14, half, -half * 0.12);
    cloth.quad_to(half * 0.62, half * 0.5, 0.0, half * 0.86);
    cloth.quad_to(-half * 0.62, half * 0.5, -half, -half * 0.12);
    cloth.close();
    let mut layers = vec![shape(cloth.finish())];
    layers.push(line(curve(
        &[
            (-half * 0.94, half * 0.06),
            (0.0, half * 0.28),
            (half * 0.94, half * 0.06),
        ],
        false,
    )));
    layers.push(shape(circle(0.0, half * 0.52, half * 0.1)));
    hung(neck, layers)
}

pub(super) fn bow_tie(neck: &Neck) -> Vec<Layer> {
    let (x, y) = neck.at(neck.throat * 0.6);
    bow(x, y, neck.half() * 0.48)
}

pub(super) fn necktie(neck: &Neck) -> Vec<Layer> {
    let size = neck.half();
    let (x, y) = neck.at(neck.throat * 0.7);
    let blade = [
        (x - size * 0.13, y),
        (x + size * 0.13, y),
        (x + size * 0.3, y + size * 0.95),
        (x, y + size * 1.25),
        (x - size * 0.3, y + size * 0.95),
    ];
    let knot = [
        (x - size * 0.24, y - size * 0.16),
        (x + size * 0.24, y - size * 0.16),
        (x + size * 0.15, y + size * 0.14),
        (x - size * 0.15, y + size * 0.14),
    ];
    vec![
        shape(polygon(&blade)),
        line(segment(
            (x - size * 0.2, y + size * 0.42),
            (x + size * 0.24, y + size * 0.62),
        )),
        line(segment(
            (x - size * 0.25, y + size * 0.68),
            (x + size * 0.29, y + size * 0.88),
        )),
        shape(polygon(&knot)),
    ]
}

/// A band with a round pendant, no wider than the neck.
pub(super) fn necklace(neck: &Neck) -> Vec<Layer> {
    let half = neck.half() * neck.slim * 1.02;
    let tall = half * 0.2;
    let mut band = PathBuilder::new();
    band.move_to(-half, -tall * 0.5);
    band.quad_to(0.0, tall, half, -tall * 0.5);
    band.line_to(half, tall * 0.5);
    band.quad_to(0.0, tall * 2.2, -half, tall * 0.5);
    band.close();
    let mut layers = neck.across(vec![shape(band.finish())]);
    let (x, y) = neck.at(neck.throat * 0.6);
    let drop = if neck.throat == 0.0 { tall * 2.3 } else { tall * 1.6 };
    layers.push(shape(circle(x, y + drop, half * 0.24)));
    layers.push(line(segment((x - half * 0.1, y + drop), (x + half * 0.1, y + drop))));
    layers
}

/// The depth of a band around the neck of a procedural body, in hundredths of the head's height below the chin: of its
/// upper edge, and of its lower edge.
pub(super) type Sag = (f32, f32);
pub(super) const COLLAR: Sag = (2.0, 10.5);
pub(super) const NECKLACE: Sag = (6.0, 10.5);

/// A band around the neck of a procedural body, with a round tag. It belongs below the face, whose chin hides its ends.
pub(super) fn band_below_chin(chin: Point, unit: f32, (upper, lower): Sag) -> Vec<Layer> {
    // The half width of the trunk at the height of the chin, and the height of the ends above it.
    const HALF: f32 = 24.0;
    const ENDS: f32 = 10.0;
    const TAG: f32 = 5.5;
    let place = |x: f32, y: f32| (chin.0 + x * unit, chin.1 + y * unit);
    // The middle of such a curve is halfway between its ends and its control point.
    let (left, right) = (place(-HALF, -ENDS), place(HALF, -ENDS));
    let (over, under) = (place(0.0, 2.0 * upper + ENDS), place(0.0, 2.0 * lower + ENDS));
    let mut band = PathBuilder::new();
    band.move_to(left.0, left.1);
    band.quad_to(over.0, over.1, right.0, right.1);
    band.quad_to(under.0, under.1, left.0, left.1);
    band.close();
    let (x, y) = place(0.0, lower + TAG * 0.7);
    vec![shape(band.finish()), shape(circle(x, y, TAG * unit))]
}

pub(super) fn badge(neck: &Neck) -> Vec<Layer> {
    let (x, y) = neck.at(neck.throat * 0.45);
    let size = neck.half();
    vec![shape(star(x, y + size * 0.62, size * 0.4, size * 0.19, 5, 0.0))]
}

/// The front of a cape: its collar and its clasp. The rest hangs behind the figure.
pub(super) fn clasp(neck: &Neck) -> Vec<Layer> {
    let half = neck.half();
    let band = Rect::from_xywh(-half * 1.05, -half * 0.16, half * 2.1, half * 0.32);
    let mut layers = neck.across(vec![shape(band.and_then(|band| rounded(band, half * 0.14)))]);
    let (x, y) = neck.at(neck.throat * 0.5);
    layers.push(shape(ellipse(x, y, half * 0.2, half * 0.2)));
    layers
}

/// A cape behind a figure, from its neck down to a height.
pub(super) fn cape(neck: &Neck, floor: f32, reach: f32) -> Vec<Layer> {
    let half = neck.half();
    let (left, right) = (neck.left, neck.right);
    // The cape blows away from the throat.
    let back = -neck.throat;
    let spread = |side: f32| reach * (1.0 + 0.5 * back * side);
    let (x, _) = neck.at(0.0);
    let mut path = PathBuilder::new();
    path.move_to(left.0, left.1);
    path.cubic_to(
        left.0 - half * 0.4,
        left.1 + half,
        x - spread(-1.0),
        floor - half * 1.2,
        x - spread(-1.0),
        floor,
    );
    let wave = reach * 0.18;
    path.cubic_to(
        x - spread(-1.0) * 0.6,
        floor + wave,
        x - spread(-1.0) * 0.3,
        floor - wave,
        x,
        floor,
    );
    path.cubic_to(
        x + spread(1.0) * 0.3,
        floor + wave,
        x + spread(1.0) * 0.6,
        floor - wave,
        x + spread(1.0),
        floor,
    );
    path.cubic_to(
        x + spread(1.0),
        floor - half * 1.2,
        right.0 + half * 0.4,
        right.1 + half,
        right.0,
        right.1,
    );
    path.close();
    vec![shape(path.finish())]
}

/// Moves layers to the middle of the neck and turns them with it, unless the neck leans far: then they hang straight.
fn hung(neck: &Neck, layers: Vec<Layer>) -> Vec<Layer> {
    let slope = (neck.right.1 - neck.left.1)
        .atan2(neck.right.0 - neck.left.0)
        .to_degrees();
    let (x, y) = neck.at(neck.throat * 0.35);
    Figure::from_layers(layers)
        .transformed(Transform::from_rotate(slope.clamp(-35.0, 35.0)).post_translate(x, y))
        .layers
}

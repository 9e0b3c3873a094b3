//! Positions of the head, the neck and the hands of a drawing, measured by eye on the drawings that may be a character.

use tiny_skia::Transform;

use super::Figure;
use super::shapes::Point;
use super::silhouette::Silhouette;
use crate::catalog::entry;

/// The measured positions of one drawing, as fractions of its width and height.
#[derive(Clone, Copy, Debug)]
pub struct Build {
    /// The middle of the head.
    pub head: Point,
    pub neck: Point,
    /// The part that grips things: a paw, a beak, a mouth or the tip of a trunk.
    pub hand: Point,
    /// True if the subject sits or stands on two legs, and so has two hands in front of its body.
    pub upright: bool,
}

/// The position of a hat.
#[derive(Clone, Copy, Debug)]
pub struct Crown {
    /// The top of the skull, between the ears.
    pub top: Point,
    /// The width of the head.
    pub width: f32,
    /// The rotation of the hat, in degrees clockwise.
    pub tilt: f32,
    /// The direction of the face: -1 to the left, 1 to the right or to the front.
    pub facing: f32,
}

/// The line across a neck.
#[derive(Clone, Copy, Debug)]
pub struct Neck {
    pub left: Point,
    pub right: Point,
    /// The position of the throat: -1 at the left end, 1 at the right end, 0 in the middle.
    pub throat: f32,
    /// The fraction of the line that the neck itself takes up: less than 1 if the line was widened.
    pub slim: f32,
}

impl Neck {
    /// Returns the neck widened to at least `half` on each side, so that a scarf is visible on a thin neck.
    fn at_least(self, half: f32) -> Self {
        let way = self.half().max(0.01);
        let share = (half / way).max(1.0);
        Self {
            left: self.at(-share),
            right: self.at(share),
            slim: self.slim / share,
            ..self
        }
    }
}

/// A place where a thing can be held.
#[derive(Clone, Copy, Debug)]
pub struct Hand {
    pub at: Point,
    /// The direction away from the body: -1 to the left, 1 to the right, 0 for two hands in front of the body.
    pub outwards: f32,
    /// A hundredth of the height of the head, in pixels: the unit in which held things are measured.
    pub unit: f32,
}

#[derive(Clone, Debug)]
pub struct Landmarks {
    pub crown: Crown,
    pub neck: Option<Neck>,
    pub hand: Hand,
    /// Half the width of the body at the height of the hands.
    pub half_at_hand: f32,
    pub eyes: Vec<Point>,
}

impl Landmarks {
    /// Applies a transform that may move, scale and mirror, but not rotate.
    pub fn transformed(&self, transform: Transform) -> Self {
        let place = |(x, y): Point| {
            let mut point = tiny_skia::Point::from_xy(x, y);
            transform.map_point(&mut point);
            (point.x, point.y)
        };
        let scale = transform.sy;
        let flip = (transform.sx * transform.sy).signum();
        let neck = self.neck.map(|neck| {
            let (left, right) = (place(neck.left), place(neck.right));
            let (left, right) = if flip < 0.0 { (right, left) } else { (left, right) };
            Neck {
                left,
                right,
                throat: neck.throat * flip,
                slim: neck.slim,
            }
        });
        Self {
            crown: Crown {
                top: place(self.crown.top),
                width: self.crown.width * scale,
                tilt: self.crown.tilt * flip,
                facing: self.crown.facing * flip,
            },
            neck,
            hand: Hand {
                at: place(self.hand.at),
                outwards: self.hand.outwards * flip,
                unit: self.hand.unit * scale,
            },
            half_at_hand: self.half_at_hand * scale,
            eyes: self.eyes.iter().map(|eye| place(*eye)).collect(),
        }
    }

    /// Returns the landmarks of a face on a procedural body, which begins at the chin.
    pub(super) fn embodied(face: &Figure) -> Self {
        let bounds = face.bounds();
        let size = bounds.width();
        let x = (bounds.left() + bounds.right()) / 2.0;
        let silhouette = face
            .layers
            .first()
            .and_then(|layer| layer.fill.as_ref())
            .and_then(Silhouette::from_outline);
        let forehead = (x, bounds.top() + bounds.height() * 0.5);
        let top = silhouette.map_or(bounds.top(), |silhouette| silhouette.edge(forehead, (0.0, -1.0)).1);
        let level = bounds.bottom() + size * 0.05;
        Self {
            crown: Crown {
                top: (x, top),
                width: size,
                tilt: 0.0,
                facing: 1.0,
            },
            neck: Some(Neck {
                left: (x - size * 0.31, level),
                right: (x + size * 0.31, level),
                throat: 0.0,
                slim: 1.0,
            }),
            hand: Hand {
                at: (x, bounds.bottom()),
                outwards: 0.0,
                unit: bounds.height() / 100.0,
            },
            half_at_hand: 0.0,
            eyes: face.anchors.eyes.clone(),
        }
    }

    pub fn known(label: &str) -> bool {
        build_of(label).is_some()
    }

    /// Returns the landmarks of a figure made from the drawing of a label. `None` if the figure has no outline.
    pub fn for_drawing(label: &str, figure: &Figure) -> Option<Self> {
        let outline = figure.layers.first()?.fill.as_ref()?;
        let silhouette = Silhouette::from_outline(outline)?;
        let bounds = figure.bounds();
        let place = |(x, y): Point| (bounds.left() + bounds.width() * x, bounds.top() + bounds.height() * y);
        let size = bounds.height().max(bounds.width() * 0.8);
        let Some(build) = build_of(label) else {
            return Some(Self::guessed(figure, &silhouette));
        };
        let (head, neck, hand) = (place(build.head), place(build.neck), place(build.hand));
        let facing = if build.upright { 1.0 } else { (hand.0 - head.0).signum() };
        let crown = crown(&silhouette, head, neck, facing, size);
        Some(Self {
            crown,
            eyes: eyes_of(figure, head, crown.width),
            neck: across(&silhouette, head, neck, hand, size).map(|neck| neck.at_least(crown.width * 0.34)),
            hand: Hand {
                at: hand,
                outwards: if build.upright { 0.0 } else { (hand.0 - neck.0).signum() },
                unit: size / 190.0,
            },
            half_at_hand: half_width(&silhouette, hand, size),
        })
    }

    /// Guesses the landmarks of a drawing that was not measured: around the eyes, or at the middle of the top.
    fn guessed(figure: &Figure, silhouette: &Silhouette) -> Self {
        let bounds = figure.bounds();
        let middle = (bounds.left() + bounds.right()) / 2.0;
        let eyes = &figure.anchors.eyes;
        let count = eyes.len().max(1) as f32;
        let x = eyes
            .iter()
            .map(|eye| eye.0)
            .reduce(|a, b| a + b)
            .map_or(middle, |sum| sum / count);
        let y = eyes.first().map_or(bounds.top() + bounds.height() * 0.25, |eye| eye.1);
        let width = match eyes.as_slice() {
            [a, b] => ((a.0 - b.0).abs() * 2.6).clamp(bounds.width() * 0.25, bounds.width()),
            _ => bounds.width() * 0.36,
        };
        let top = silhouette.edge((x, y), (0.0, -1.0));
        let throat = (x, y + width * 0.62);
        let half = width * 0.34;
        Self {
            crown: Crown {
                top,
                width,
                tilt: 0.0,
                facing: 1.0,
            },
            neck: (throat.1 < bounds.bottom() - width * 0.1).then_some(Neck {
                left: (x - half, throat.1),
                right: (x + half, throat.1),
                throat: 0.0,
                slim: 1.0,
            }),
            hand: Hand {
                at: (middle, bounds.top() + bounds.height() * 0.7),
                outwards: 0.0,
                unit: bounds.height().max(bounds.width() * 0.8) / 190.0,
            },
            half_at_hand: bounds.width() * 0.25,
            eyes: eyes.clone(),
        }
    }
}

fn build_of(label: &str) -> Option<&'static Build> {
    entry(label).and_then(|entry| entry.build.as_ref())
}

fn crown(silhouette: &Silhouette, head: Point, neck: Point, facing: f32, size: f32) -> Crown {
    let (left, right) = (silhouette.edge(head, (-1.0, 0.0)), silhouette.edge(head, (1.0, 0.0)));
    // The nearer edge limits the width: towards the other edge may be the animal's back.
    let half = (head.0 - left.0).min(right.0 - head.0).clamp(size * 0.06, size * 0.24);
    let top = silhouette.edge(head, (0.0, -1.0));
    // Antlers, horns and combs are not part of the skull.
    let y = top.1.max(head.1 - half * 1.5);
    Crown {
        top: (head.0, y),
        width: half * 2.0,
        // On a head that looks sideways, a hat is tilted to the back of the head.
        tilt: if (neck.0 - head.0).abs() > size * 0.05 {
            (neck.0 - head.0).signum() * 8.0
        } else {
            0.0
        },
        facing,
    }
}

/// Returns the eyes of a head: the round spots of the drawing that are nearest to the middle of the head and level.
fn eyes_of(figure: &Figure, head: Point, width: f32) -> Vec<Point> {
    let apart = |eye: &Point| (eye.0 - head.0).hypot(eye.1 - head.1);
    let mut eyes: Vec<Point> = figure
        .anchors
        .eyes
        .iter()
        .copied()
        .filter(|eye| apart(eye) < width * 1.3)
        .collect();
    eyes.sort_by(|a, b| apart(a).total_cmp(&apart(b)));
    if let [first, second, ..] = eyes.as_slice()
        && (first.1 - second.1).abs() > (first.0 - second.0).abs() * 0.5
    {
        eyes.truncate(1);
    }
    eyes.truncate(2);
    // A spot far above the head is the tip of a horn, and some eyes are too small to be found.
    if eyes.first().is_none_or(|eye| head.1 - eye.1 > width * 0.4) {
        return vec![head];
    }
    eyes
}

fn half_width(silhouette: &Silhouette, hand: Point, size: f32) -> f32 {
    let (left, right) = (silhouette.edge(hand, (-1.0, 0.0)), silhouette.edge(hand, (1.0, 0.0)));
    ((right.0 - left.0) / 2.0).clamp(size * 0.08, size * 0.3)
}

/// Returns the line across the neck at a right angle to the direction from head to neck.
fn across(silhouette: &Silhouette, head: Point, neck: Point, hand: Point, size: f32) -> Option<Neck> {
    let (dx, dy) = (neck.0 - head.0, neck.1 - head.1);
    let length = dx.hypot(dy);
    if length < 1.0 {
        return None;
    }
    let side = (dy / length, -dx / length);
    let (side, back) = if side.0 >= 0.0 {
        (side, (-side.0, -side.1))
    } else {
        ((-side.0, -side.1), side)
    };
    let limit = size * 0.24;
    let reach = |towards: Point| {
        let edge = silhouette.edge(neck, towards);
        let way = (edge.0 - neck.0).hypot(edge.1 - neck.1).min(limit);
        (neck.0 + towards.0 * way, neck.1 + towards.1 * way)
    };
    let (left, right) = (reach(back), reach(side));
    let near = |end: Point| (end.0 - hand.0).hypot(end.1 - hand.1);
    let (a, b) = (near(left), near(right));
    let throat = if (a - b).abs() < 0.2 * (a + b) {
        0.0
    } else {
        (a - b).signum()
    };
    Some(Neck {
        left,
        right,
        throat,
        slim: 1.0,
    })
}

//! Positions of the head, the neck and the hands of a drawing, measured by eye on the drawings that may be a character.

use tiny_skia::Transform;

use super::Figure;
use super::shapes::Point;
use super::silhouette::Silhouette;

/// The measured positions of one drawing, as fractions of its width and height.
struct Build {
    label: &'static str,
    /// The middle of the head.
    head: Point,
    neck: Point,
    /// The part that grips things: a paw, a beak, a mouth or the tip of a trunk.
    hand: Point,
    /// True if the subject sits or stands on two legs, and so has two hands in front of its body.
    upright: bool,
}

const fn build(label: &'static str, head: Point, neck: Point, hand: Point) -> Build {
    Build {
        label,
        head,
        neck,
        hand,
        upright: false,
    }
}

const fn upright(label: &'static str, head: Point, neck: Point, hand: Point) -> Build {
    Build {
        label,
        head,
        neck,
        hand,
        upright: true,
    }
}

#[rustfmt::skip]
const BUILDS: &[Build] = &[
    build("baby chick", (0.32, 0.24), (0.36, 0.46), (0.03, 0.29)),
    build("badger", (0.20, 0.32), (0.40, 0.38), (0.03, 0.48)),
    upright("beaver", (0.25, 0.18), (0.27, 0.36), (0.18, 0.52)),
    build("bird", (0.22, 0.24), (0.28, 0.48), (0.03, 0.34)),
    build("bison", (0.13, 0.42), (0.32, 0.45), (0.10, 0.58)),
    build("black bird", (0.28, 0.13), (0.24, 0.32), (0.62, 0.13)),
    build("black cat", (0.18, 0.36), (0.30, 0.52), (0.03, 0.44)),
    build("bug", (0.16, 0.30), (0.42, 0.36), (0.04, 0.40)),
    build("camel", (0.24, 0.20), (0.26, 0.42), (0.03, 0.27)),
    upright("chipmunk", (0.22, 0.34), (0.28, 0.48), (0.16, 0.64)),
    build("crane bird", (0.30, 0.10), (0.32, 0.26), (0.02, 0.16)),
    build("crocodile", (0.42, 0.80), (0.52, 0.66), (0.06, 0.88)),
    build("deer", (0.28, 0.30), (0.34, 0.45), (0.06, 0.37)),
    build("dodo", (0.27, 0.10), (0.34, 0.28), (0.04, 0.12)),
    build("dolphin", (0.26, 0.26), (0.50, 0.34), (0.03, 0.48)),
    build("dove", (0.24, 0.42), (0.36, 0.56), (0.08, 0.45)),
    build("dragon", (0.30, 0.20), (0.42, 0.42), (0.14, 0.54)),
    build("duck", (0.34, 0.15), (0.37, 0.37), (0.04, 0.17)),
    build("eagle", (0.22, 0.52), (0.34, 0.62), (0.11, 0.58)),
    build("elephant", (0.34, 0.34), (0.56, 0.48), (0.15, 0.82)),
    build("ewe", (0.30, 0.38), (0.34, 0.64), (0.30, 0.60)),
    build("flamingo", (0.32, 0.07), (0.40, 0.17), (0.06, 0.10)),
    upright("ghost", (0.50, 0.28), (0.50, 0.66), (0.50, 0.80)),
    build("giraffe", (0.18, 0.15), (0.26, 0.30), (0.05, 0.20)),
    build("goat", (0.22, 0.38), (0.36, 0.48), (0.05, 0.46)),
    build("goose", (0.24, 0.08), (0.31, 0.26), (0.04, 0.13)),
    build("gorilla", (0.15, 0.14), (0.24, 0.28), (0.05, 0.27)),
    upright("hatching chick", (0.50, 0.25), (0.50, 0.47), (0.50, 0.72)),
    build("hedgehog", (0.24, 0.56), (0.36, 0.66), (0.12, 0.74)),
    build("hippopotamus", (0.24, 0.32), (0.46, 0.42), (0.05, 0.58)),
    build("honeybee", (0.25, 0.42), (0.44, 0.52), (0.12, 0.74)),
    build("horse", (0.16, 0.17), (0.27, 0.30), (0.04, 0.22)),
    build("kangaroo", (0.17, 0.30), (0.25, 0.44), (0.34, 0.62)),
    build("leopard", (0.18, 0.22), (0.32, 0.36), (0.03, 0.40)),
    build("lizard", (0.16, 0.16), (0.27, 0.30), (0.08, 0.52)),
    build("llama", (0.18, 0.16), (0.23, 0.32), (0.04, 0.20)),
    build("mammoth", (0.28, 0.28), (0.50, 0.42), (0.14, 0.66)),
    build("moose", (0.34, 0.58), (0.64, 0.78), (0.08, 0.70)),
    build("octopus", (0.56, 0.24), (0.50, 0.50), (0.10, 0.60)),
    upright("orangutan", (0.50, 0.20), (0.50, 0.50), (0.50, 0.72)),
    build("ostrich", (0.24, 0.10), (0.26, 0.26), (0.04, 0.14)),
    build("otter", (0.20, 0.32), (0.18, 0.48), (0.38, 0.57)),
    upright("owl", (0.50, 0.28), (0.50, 0.50), (0.50, 0.72)),
    build("ox", (0.18, 0.24), (0.34, 0.36), (0.03, 0.34)),
    build("parrot", (0.28, 0.17), (0.33, 0.36), (0.06, 0.29)),
    build("peacock", (0.49, 0.26), (0.49, 0.42), (0.41, 0.29)),
    upright("penguin", (0.42, 0.14), (0.48, 0.28), (0.40, 0.58)),
    build("raccoon", (0.16, 0.38), (0.30, 0.46), (0.03, 0.52)),
    build("rhinoceros", (0.30, 0.42), (0.46, 0.38), (0.19, 0.68)),
    build("rooster", (0.22, 0.24), (0.28, 0.42), (0.04, 0.29)),
    build("sauropod", (0.22, 0.12), (0.12, 0.30), (0.32, 0.13)),
    upright("seal", (0.33, 0.20), (0.33, 0.46), (0.33, 0.64)),
    build("shark", (0.28, 0.40), (0.52, 0.40), (0.10, 0.62)),
    build("skunk", (0.17, 0.70), (0.32, 0.74), (0.05, 0.80)),
    build("sloth", (0.20, 0.40), (0.22, 0.58), (0.22, 0.62)),
    build("snail", (0.22, 0.54), (0.22, 0.68), (0.04, 0.56)),
    build("snake", (0.40, 0.15), (0.42, 0.36), (0.16, 0.26)),
    upright("snowman", (0.50, 0.40), (0.50, 0.56), (0.50, 0.74)),
    build("swan", (0.24, 0.10), (0.27, 0.30), (0.05, 0.22)),
    build("triceratops", (0.22, 0.40), (0.48, 0.42), (0.04, 0.62)),
    build("t-rex", (0.24, 0.16), (0.34, 0.36), (0.20, 0.54)),
    upright("teddy bear", (0.50, 0.28), (0.50, 0.50), (0.50, 0.68)),
    build("turkey", (0.18, 0.14), (0.20, 0.36), (0.05, 0.18)),
    build("turtle", (0.22, 0.40), (0.36, 0.58), (0.06, 0.54)),
    build("unicorn", (0.38, 0.44), (0.60, 0.72), (0.08, 0.68)),
    build("whale", (0.34, 0.52), (0.60, 0.60), (0.03, 0.44)),
    build("zebra", (0.20, 0.22), (0.34, 0.34), (0.04, 0.33)),
];

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
}

impl Neck {
    /// Returns the neck widened to at least `half` on each side, so that a collar is visible on a thin neck.
    fn at_least(self, half: f32) -> Self {
        let way = self.half().max(0.01);
        let share = (half / way).max(1.0);
        Self {
            left: self.at(-share),
            right: self.at(share),
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
        BUILDS.iter().any(|build| build.label == label)
    }

    /// Returns the landmarks of a figure made from the drawing of a label. `None` if the figure has no outline.
    pub fn for_drawing(label: &str, figure: &Figure) -> Option<Self> {
        let outline = figure.layers.first()?.fill.as_ref()?;
        let silhouette = Silhouette::from_outline(outline)?;
        let bounds = figure.bounds();
        let place = |(x, y): Point| (bounds.left() + bounds.width() * x, bounds.top() + bounds.height() * y);
        let size = bounds.height().max(bounds.width() * 0.8);
        let Some(build) = BUILDS.iter().find(|build| build.label == label) else {
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
    Some(Neck { left, right, throat })
}

#[cfg(test)]
mod tests {
    use super::BUILDS;
    use crate::art::Catalog;

    #[test]
    fn every_build_belongs_to_a_drawing() {
        for build in BUILDS {
            assert!(Catalog::get().has(build.label), "{}", build.label);
        }
    }
}

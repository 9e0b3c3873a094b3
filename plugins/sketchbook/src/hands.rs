//! Hands, paws and beaks, and the way they hold a thing.

use tiny_skia::{Rect, Transform};

use crate::cast::Actor;
use crate::figure::landmarks::Landmarks;
use crate::figure::shapes::{Point, capsule, ellipse, line, segment, shape};
use crate::figure::{Figure, Layer, person};
use crate::grip::Grip;
use crate::style::Style;

/// A thing in the hands of a subject.
#[derive(Clone, Debug)]
pub(crate) struct Held {
    pub(crate) actor: Actor,
    pub(crate) grip: Grip,
    pub(crate) count: usize,
    /// The hand that holds the thing: -1 is the left, 1 the right.
    pub(crate) side: f32,
}

/// The kind of body that the hands belong to.
#[derive(Clone, Copy, Debug)]
enum Build {
    /// A procedural body with arms in a pose. `reach` is the distance of the shoulders from the middle of the body.
    Body { reach: f32, dressed: bool },
    /// A drawing that sits or stands upright.
    Upright,
    /// A drawing seen from the side, which holds things with its mouth, its trunk or a paw.
    Side,
    /// A person cut off at the chest.
    Bust,
    /// A person, whose arms are drawn with the body.
    Person,
}

pub(crate) struct Hands {
    build: Build,
    /// The midpoint between two hands, or the position of the only hand.
    at: Point,
    /// The side on which a single thing is held: -1 is the left, 1 the right.
    side: f32,
    unit: f32,
    /// Half the width of the body at the height of the hands.
    half: f32,
    /// The bounds of the figure without the things that it wears and holds.
    bounds: Rect,
}

impl Hands {
    pub(crate) fn for_actor(actor: &Actor, figure: &Figure, landmarks: &Landmarks) -> Self {
        let bounds = figure.bounds();
        let hand = landmarks.hand;
        match actor {
            Actor::Embodied(_, species, _) => Self {
                build: Build::Body {
                    reach: species.reach(),
                    dressed: species.is_dressed(),
                },
                at: (hand.at.0, hand.at.1 + 35.0 * hand.unit),
                side: 1.0,
                unit: hand.unit,
                half: 0.0,
                bounds,
            },
            Actor::Drawn(drawing) if drawing.is_bust() && drawing.group == 1 => Self {
                build: Build::Bust,
                at: (
                    (bounds.left() + bounds.right()) / 2.0,
                    bounds.bottom() - bounds.height() * 0.17,
                ),
                side: 1.0,
                unit: bounds.height() * 0.0064,
                half: bounds.width() * 0.36,
                bounds,
            },
            Actor::Drawn(_) => Self {
                build: if hand.outwards == 0.0 {
                    Build::Upright
                } else {
                    Build::Side
                },
                at: hand.at,
                side: if hand.outwards == 0.0 { 1.0 } else { hand.outwards },
                unit: hand.unit,
                half: landmarks.half_at_hand,
                bounds,
            },
        }
    }

    /// Returns the hands of a person, whose arms are drawn with the body.
    pub(crate) fn for_person(figure: &Figure, landmarks: &Landmarks) -> Self {
        let hand = landmarks.hand;
        Self {
            build: Build::Person,
            at: (hand.at.0, hand.at.1 + person::IN_FRONT.1 * hand.unit),
            side: 1.0,
            unit: hand.unit,
            half: 0.0,
            bounds: figure.bounds(),
        }
    }

    /// Puts a thing into the hands. The order of the layers decides which lines hide which.
    pub(crate) fn hold(&self, figure: &mut Figure, held: &Held, style: &Style) {
        let side = match self.build {
            Build::Side => self.side,
            _ => held.side,
        };
        match held.grip {
            Grip::Raised { .. } => self.raise(figure, held, side, style),
            Grip::Lowered { at, height } => {
                let hand = self.lowered(side);
                let thing = held.actor.figure(height * self.unit * 1.2, height * self.unit, style);
                figure.layers.extend(taken(&thing, at, hand, side, 0.0).layers);
                figure.layers.extend(self.closed(hand, side));
            }
            Grip::Front { width, height } => {
                let thing = held.actor.figure(width * self.unit, height * self.unit, style);
                self.before_body(figure, &thing);
            }
        }
        let coat = figure.anchors.coat;
        let plain = |layer: &&mut Layer| layer.fill.is_some() && layer.color.is_none();
        for layer in figure.layers.iter_mut().filter(plain) {
            layer.color = coat;
        }
    }

    fn raise(&self, figure: &mut Figure, held: &Held, side: f32, style: &Style) {
        let Grip::Raised { at, height, turn } = held.grip else {
            return;
        };
        let hand = self.raised(side);
        // The thing is turned farther away from a face that is seen from the side.
        let turn = match self.build {
            Build::Side => turn.abs() + 18.0,
            // Hair would hide what is upright.
            Build::Person => turn + 10.0,
            _ => turn,
        };
        let thing = held.actor.figure(height * self.unit * 1.1, height * self.unit, style);
        let things = (0..held.count).flat_map(|copy| {
            let spread = (copy as f32 - (held.count - 1) as f32 / 2.0) * 22.0;
            taken(&thing, at, hand, side, turn + spread).layers
        });
        if matches!(self.build, Build::Bust) {
            figure.layers.extend(things);
        } else {
            // The arm of a procedural body, or a muzzle, is drawn over the handle.
            figure.put_behind(things.collect());
        }
        if !matches!(self.build, Build::Body { .. } | Build::Person) {
            figure.layers.extend(self.closed(hand, side));
        }
    }

    /// Holds a thing in front of the body, with a hand on each side, or in the mouth or paw of a figure seen from the
    /// side.
    fn before_body(&self, figure: &mut Figure, thing: &Figure) {
        let bounds = thing.bounds();
        let (half, tall) = (bounds.width() / 2.0, bounds.height());
        let (x, y) = match self.build {
            Build::Side => (
                self.at.0 + self.side * (half - 9.0 * self.unit),
                self.at.1 + tall * 0.12,
            ),
            _ => self.at,
        };
        let moved = thing.moved(
            x - (bounds.left() + bounds.right()) / 2.0,
            y - (bounds.top() + bounds.bottom()) / 2.0,
        );
        figure.layers.extend(moved.layers);
        for side in [-1.0, 1.0] {
            let hand = (x + side * (half - 1.5 * self.unit), y + tall * 0.16);
            figure.layers.extend(self.closed(hand, side));
        }
    }

    /// Returns the layers of a hand in front of the thing that it holds.
    fn closed(&self, hand: Point, side: f32) -> Vec<Layer> {
        match self.build {
            Build::Side => Vec::new(),
            Build::Bust => self.sleeve(hand, side),
            Build::Body { dressed, .. } => paw(hand, side, self.unit, dressed),
            Build::Upright => paw(hand, side, self.unit, false),
            Build::Person => paw(hand, side, self.unit, true),
        }
    }

    /// Returns the forearm of a person cut off at the chest: from the lower edge of the drawing to the hand.
    fn sleeve(&self, hand: Point, side: f32) -> Vec<Layer> {
        let unit = self.unit;
        let elbow = (hand.0 + side * 17.0 * unit, self.bounds.bottom() - 9.0 * unit);
        let wrist = (hand.0 + side * 6.0 * unit, hand.1 + 3.0 * unit);
        vec![
            shape(capsule(elbow, wrist, 8.5 * unit)),
            shape(ellipse(hand.0, hand.1, 9.5 * unit, 8.5 * unit)),
        ]
    }

    fn raised(&self, side: f32) -> Point {
        match self.build {
            Build::Body { reach, .. } => (
                self.at.0 + side * (reach + 33.0) * self.unit,
                self.at.1 - 57.0 * self.unit,
            ),
            Build::Side => self.at,
            // Just outside the body, so that the handle is visible.
            Build::Upright => (
                self.at.0 + side * (self.half + 4.0 * self.unit),
                self.at.1 - 8.0 * self.unit,
            ),
            Build::Bust => (self.at.0 + side * self.half, self.at.1 - 6.0 * self.unit),
            Build::Person => self.hand_of_person(person::RAISED, side),
        }
    }

    fn lowered(&self, side: f32) -> Point {
        match self.build {
            Build::Body { reach, .. } => (
                self.at.0 + side * (reach + 4.0) * self.unit,
                self.at.1 + 7.0 * self.unit,
            ),
            Build::Side => self.at,
            Build::Upright | Build::Bust => (self.at.0 + side * self.half, self.at.1 - 10.0 * self.unit),
            Build::Person => self.hand_of_person(person::ON_HIP, side),
        }
    }

    fn hand_of_person(&self, (x, y): Point, side: f32) -> Point {
        let level = y - person::IN_FRONT.1;
        (self.at.0 + side * x * self.unit, self.at.1 + level * self.unit)
    }
}

/// Moves a thing so that a point of its box is in the hand, mirrored if necessary so that most of it is on the outer
/// side.
fn taken(thing: &Figure, at: (f32, f32), hand: Point, side: f32, turn: f32) -> Figure {
    let bounds = thing.bounds();
    let inwards = (0.5 - at.0) * side < 0.0;
    let mirror = if inwards { -1.0 } else { 1.0 };
    let point = (
        bounds.left() + bounds.width() * at.0,
        bounds.top() + bounds.height() * at.1,
    );
    thing.transformed(
        Transform::from_translate(-point.0, -point.1)
            .post_scale(mirror, 1.0)
            .post_concat(Transform::from_rotate(turn * side))
            .post_translate(hand.0, hand.1),
    )
}

/// Returns the layers of a plain hand (`dressed`) or of a paw with its toes.
fn paw((x, y): Point, side: f32, unit: f32, dressed: bool) -> Vec<Layer> {
    let (rx, ry) = (10.0 * unit, 8.5 * unit);
    let mut layers = vec![shape(ellipse(x, y, rx, ry))];
    if !dressed {
        for toe in [-0.34, 0.3] {
            let level = y + ry * toe;
            layers.push(line(segment(
                (x - side * rx * 0.95 * (1.0_f32 - toe * toe).sqrt(), level),
                (x - side * rx * 0.3, level),
            )));
        }
    }
    layers
}

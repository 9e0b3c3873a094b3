//! Hands, paws and beaks, and how they take a thing.

use tiny_skia::{Rect, Transform};

use crate::cast::Actor;
use crate::figure::landmarks::Landmarks;
use crate::figure::shapes::{Point, capsule, ellipse, line, segment, shape};
use crate::figure::{Figure, Layer};
use crate::grip::Grip;
use crate::player::Held;
use crate::style::Style;

/// What kind of hands there are.
#[derive(Clone, Copy, Debug)]
enum Build {
    /// A body of ours, with arms in a pose; `reach` is where they begin.
    Body { reach: f32, dressed: bool },
    /// A drawing that sits or stands up.
    Upright,
    /// A drawing seen from the side: it takes things with its mouth, its trunk or a paw.
    Side,
    /// A person cut off at the chest.
    Bust,
}

pub(crate) struct Hands {
    build: Build,
    /// The middle between two hands, or the one there is.
    at: Point,
    /// Where a single thing is taken: -1 on the left, 1 on the right.
    side: f32,
    unit: f32,
    /// Half the width where the hands are.
    half: f32,
    /// Of the figure itself, without what it wears and holds.
    bounds: Rect,
}

impl Hands {
    pub(crate) fn of(actor: &Actor, figure: &Figure, landmarks: &Landmarks) -> Self {
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

    /// Puts a thing into the hands: lines that it hides, and lines that hide it, follow from the order.
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
    }

    fn raise(&self, figure: &mut Figure, held: &Held, side: f32, style: &Style) {
        let Grip::Raised { at, height, turn } = held.grip else {
            return;
        };
        let hand = self.raised(side);
        // Farther away from a face that is seen from the side.
        let turn = match self.build {
            Build::Side => turn.abs() + 18.0,
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
            // The arm of a body of ours lies over the handle, and so does a muzzle.
            figure.layers.splice(0..0, things);
        }
        if !matches!(self.build, Build::Body { .. }) {
            figure.layers.extend(self.closed(hand, side));
        }
    }

    /// Both hands at the sides of a thing; whoever has but a mouth has it there.
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

    /// A hand over what it holds.
    fn closed(&self, hand: Point, side: f32) -> Vec<Layer> {
        match self.build {
            Build::Side => Vec::new(),
            Build::Bust => self.sleeve(hand, side),
            Build::Body { dressed, .. } => paw(hand, side, self.unit, dressed),
            Build::Upright => paw(hand, side, self.unit, false),
        }
    }

    /// The forearm of somebody cut off at the chest: from the lower edge to a hand.
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
            // Just outside, so that the handle is seen.
            Build::Upright => (
                self.at.0 + side * (self.half + 4.0 * self.unit),
                self.at.1 - 8.0 * self.unit,
            ),
            Build::Bust => (self.at.0 + side * self.half, self.at.1 - 6.0 * self.unit),
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
        }
    }
}

/// A thing with a point of its box in the hand; most of it is on the outer side.
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

/// A hand over what it holds: a plain one, or a paw with its toes.
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

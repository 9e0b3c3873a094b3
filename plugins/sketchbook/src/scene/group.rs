//! A group of people on a cover in color: large, close together, and of different heights.

use tiny_skia::{Rect, Transform};

use super::compose::{Placed, Scene};
use super::cover::{CALM_SHARE, Part};
use crate::figure::Figure;
use crate::figure::body::Arm;
use crate::figure::person::HAT_WIDTH;
use crate::player::Player;

/// The width of a portrait sheet compared with its height.
const PORTRAIT: f32 = 0.75;

/// The maximum number of adults and of children in a group.
const MAX_IN_ROW: usize = 3;

/// A place in a group: the middle and the level of the chin as shares of the sheet, and the height of the head as a
/// share of the height of the sheet. The last places are in front of the others.
#[derive(Clone, Copy, Debug)]
struct Spot {
    x: f32,
    chin: f32,
    head: f32,
    /// The rank from the back to the front.
    rank: u8,
}

const fn spot(x: f32, chin: f32, head: f32, rank: u8) -> Spot {
    Spot { x, chin, head, rank }
}

/// The places of the adults, the first of which is the hero's, and of the children.
type Places = (&'static [Spot], &'static [Spot]);

const PAIR: &[Spot] = &[spot(0.32, 0.57, 0.25, 1), spot(0.68, 0.575, 0.25, 0)];
const THREE: &[Spot] = &[
    spot(0.5, 0.60, 0.255, 2),
    spot(0.19, 0.60, 0.205, 0),
    spot(0.81, 0.60, 0.205, 1),
];
const ONE_AND_CHILD: Places = (&[spot(0.34, 0.55, 0.24, 0)], &[spot(0.67, 0.70, 0.225, 1)]);
const ONE_AND_CHILDREN: Places = (
    &[spot(0.5, 0.545, 0.235, 0)],
    &[
        spot(0.2, 0.69, 0.2, 1),
        spot(0.8, 0.69, 0.2, 1),
        spot(0.5, 0.71, 0.18, 2),
    ],
);
const PAIR_AND_CHILD: Places = (
    &[spot(0.29, 0.55, 0.24, 0), spot(0.71, 0.54, 0.24, 0)],
    &[spot(0.5, 0.715, 0.215, 1)],
);
const PAIR_AND_CHILDREN: Places = (
    &[spot(0.27, 0.515, 0.205, 0), spot(0.73, 0.51, 0.21, 0)],
    &[spot(0.36, 0.70, 0.18, 1), spot(0.64, 0.70, 0.18, 1)],
);
const THREE_AND_CHILD: Places = (
    &[
        spot(0.5, 0.50, 0.19, 0),
        spot(0.2, 0.52, 0.19, 1),
        spot(0.8, 0.52, 0.19, 1),
    ],
    PAIR_AND_CHILD.1,
);

/// Returns the places of up to four people, at most three of whom are adults and at most three children.
fn places(adults: usize, children: usize) -> Places {
    match (adults, children) {
        (0, 0..=2) => (&[], PAIR),
        (0, _) => (&[], THREE),
        (1, 1) => ONE_AND_CHILD,
        (1, _) => ONE_AND_CHILDREN,
        (2, 0) => (PAIR, &[]),
        (2, 1) => PAIR_AND_CHILD,
        (2, _) => PAIR_AND_CHILDREN,
        (_, 0) => (THREE, &[]),
        (..) => THREE_AND_CHILD,
    }
}

impl Scene<'_> {
    /// Returns the number of parts that are people of the group: the first ones.
    pub(super) fn people(&self, parts: &[Part]) -> usize {
        let (mut adults, mut children) = (0, 0);
        for part in parts {
            let Some(player) = part.player().filter(|player| player.is_person()) else {
                break;
            };
            let row = if player.is_child() { &mut children } else { &mut adults };
            if *row == MAX_IN_ROW {
                break;
            }
            *row += 1;
        }
        adults + children
    }

    /// Places a group of people. Returns its bounds.
    pub(super) fn gather(&mut self, group: &[Part]) -> Rect {
        let style = *self.style();
        let is_child = |part: &Part| part.player().is_some_and(Player::is_child);
        let children = group.iter().filter(|part| is_child(part)).count();
        let (adults, young) = places(group.len() - children, children);
        let (mut adults, mut young) = (adults.iter(), young.iter());
        let mut all: Option<Rect> = None;
        for part in group {
            let row = if is_child(part) { &mut young } else { &mut adults };
            let (Some(spot), Some(player)) = (row.next(), part.player()) else {
                continue;
            };
            let inner = if children > 0 && !is_child(part) && spot.x != 0.5 {
                Arm::Around
            } else {
                Arm::Down
            };
            let arms = match spot.x {
                _ if is_child(part) && group.len() > children => [Arm::Raised; 2],
                x if x < 0.5 => [Arm::Raised, inner],
                x if x > 0.5 => [inner, Arm::Raised],
                _ if group.len() == 3 && children == 0 => [Arm::Around; 2],
                _ => [Arm::Down, Arm::Raised],
            };
            // What the person on the left holds is on its outer side. A character is never mirrored.
            let is_mirrored = spot.x < 0.5 && player.holds_something() && matches!(part, Part::Player(..));
            let figure = player.clone().with_arms(arms).figure(1000.0, 1000.0, &style);
            let flip = if is_mirrored { -1.0 } else { 1.0 };
            let figure = self.at_spot(&figure.transformed(Transform::from_scale(flip, 1.0)), *spot);
            let figure = self.within(figure, part);
            let bounds = figure.bounds();
            all = all.map_or(Some(bounds), |all| union(all, bounds));
            self.stand(figure, part.label(), spot.rank);
        }
        all.unwrap_or(self.area)
    }

    /// Moves a person to its place, smaller if its hat would reach the title.
    fn at_spot(&self, figure: &Figure, spot: Spot) -> Figure {
        let (width, height) = (self.brief.width as f32, self.brief.height as f32);
        let (chin, unit, middle) = match &figure.anchors.landmarks {
            Some(landmarks) => (
                landmarks.hand.at.1,
                landmarks.crown.width / HAT_WIDTH,
                landmarks.hand.at.0,
            ),
            None => (0.0, 1.0, 0.0),
        };
        // The shape of the sheet changes neither the size nor the distances of the people.
        let tall = height.min(width / PORTRAIT);
        let x = width / 2.0 + (spot.x - 0.5) * width.min(tall * PORTRAIT);
        let y = height * spot.chin;
        let room = y - height * CALM_SHARE;
        let scale = (tall * spot.head / 100.0 / unit).min(room / (chin - figure.bounds().top()).max(1.0));
        figure.transformed(
            Transform::from_translate(-middle, -chin)
                .post_scale(scale, scale)
                .post_translate(x, y),
        )
    }

    /// Moves a person into the sheet, and mirrors it before if it holds a thing that would reach beyond. A character is
    /// never mirrored.
    fn within(&self, mut figure: Figure, part: &Part) -> Figure {
        let (width, edge) = (self.brief.width as f32, self.brief.width as f32 * 0.012);
        let (left, right) = (edge, width - edge);
        let is_out = figure.bounds().left() < left || figure.bounds().right() > right;
        let holds = part.player().is_some_and(Player::holds_something) && matches!(part, Part::Player(..));
        if let Some(landmarks) = figure.anchors.landmarks.as_ref().filter(|_| is_out && holds) {
            let middle = landmarks.hand.at.0;
            figure = figure.transformed(Transform::from_scale(-1.0, 1.0).post_translate(middle * 2.0, 0.0));
        }
        let bounds = figure.bounds();
        let way = (left - bounds.left()).max(0.0) + (right - bounds.right()).min(0.0);
        figure.moved(way, 0.0)
    }

    fn stand(&mut self, figure: Figure, label: &str, rank: u8) {
        self.taken.take(&figure);
        let depth = self.brief.height as f32 * (0.9 + f32::from(rank) * 0.0001);
        self.placed.push(Placed::new(depth, figure));
        self.label_last(label);
    }
}

pub(super) fn union(a: Rect, b: Rect) -> Option<Rect> {
    Rect::from_ltrb(
        a.left().min(b.left()),
        a.top().min(b.top()),
        a.right().max(b.right()),
        a.bottom().max(b.bottom()),
    )
}

//! The other subjects of an ornamental page, each on a separate medallion where the ornament leaves room.

use fastrand::Rng;
use tiny_skia::Transform;

use super::Design;
use crate::cast::Actor;
use crate::figure::Figure;
use crate::figure::shapes::{circle, shape};
use crate::player::Player;

impl Design<'_> {
    /// Returns the labels of all subjects except the hero.
    pub(super) fn others(&self) -> Vec<&str> {
        let subjects = self.brief.wish.subjects.iter();
        subjects
            .skip(usize::from(self.brief.characters.is_empty()))
            .map(|subject| subject.label.as_str())
            .collect()
    }

    /// Places the other subjects around an ornament of a given radius: in the corners, or in a row on the side that an
    /// off-center ornament leaves free.
    pub(super) fn companions(&self, figures: &mut Vec<Figure>, rng: &mut Rng, radius: f32) {
        let others = self.others();
        if others.is_empty() {
            return;
        }
        let unit = self.brief.style.unit;
        let (width, height) = (self.area.width(), self.area.height());
        let middle = (
            (self.area.left() + self.area.right()) / 2.0,
            (self.area.top() + self.area.bottom()) / 2.0,
        );
        let moved = (self.center.0 - middle.0, self.center.1 - middle.1);
        let upright = height >= width;
        let (away, across) = if upright { (moved.1, width) } else { (moved.0, height) };
        let long = width.max(height) / 2.0;
        let room = long + away.abs() - radius;
        let size = (room * 0.46).clamp(unit * 9.0, unit * 14.5).min(across * 0.32 / 2.4);
        let far = long - size * 1.25;
        // Positions along the long side of the page, then across it.
        let mut spots: Vec<(f32, f32)> = Vec::new();
        if away.abs() > long * 0.06 {
            let side = -away.signum();
            spots.extend([-0.32, 0.0, 0.32].map(|share| (side * far, share * across)));
        } else {
            for side in [-1.0, 1.0] {
                spots.extend([-0.29, 0.29].map(|share| (side * far, share * across)));
            }
            if rng.u8(0..3) == 0 {
                // Two medallions on a diagonal are enough.
                spots = vec![spots[0], spots[3]];
            }
        }
        for (index, (along, across)) in spots.into_iter().enumerate() {
            let (dx, dy) = if upright { (across, along) } else { (along, across) };
            let at = (middle.0 + dx, middle.1 + dy);
            figures.extend(self.medal(others[index % others.len()], at, size, rng));
        }
    }

    /// Returns a drawing on a round medal.
    pub(super) fn medal(&self, label: &str, (x, y): (f32, f32), size: f32, rng: &mut Rng) -> Option<Figure> {
        let actor = Actor::choose(label, &self.brief.style, rng)?;
        let mut medal = Figure::from_layers(vec![shape(circle(x, y, size * 1.12)), shape(circle(x, y, size))]);
        let player = Player::new(label, actor).with_number(self.brief.number_of(label, 0));
        let figure = player.figure(size * 1.36, size * 1.36, &self.brief.style);
        let bounds = figure.bounds();
        let flip = if rng.bool() { -1.0 } else { 1.0 };
        let centered = figure.moved(
            -(bounds.left() + bounds.right()) / 2.0,
            -(bounds.top() + bounds.bottom()) / 2.0,
        );
        medal.join(centered.transformed(Transform::from_scale(flip, 1.0).post_translate(x, y)));
        Some(medal)
    }
}

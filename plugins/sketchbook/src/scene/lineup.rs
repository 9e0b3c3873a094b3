//! The people of a page: next to each other on the ground, children in front of adults.

use tiny_skia::{Rect, Transform};

use super::compose::{MAX_CHARACTERS, Placed, Scene};
use super::group::union;
use crate::bulk::is_airborne;
use crate::characters::Portrait;
use crate::figure::Figure;
use crate::figure::body::Arm;
use crate::player::{Player, is_person};

/// A person in a group on a page.
pub(super) struct Member {
    player: Player,
    pub(super) label: String,
    /// True for a character, which is never mirrored.
    is_character: bool,
    /// True if the prompt asks for a posture.
    is_posed: bool,
}

/// The height of a child compared with that of an adult.
const CHILD: f32 = 0.74;
/// The same for children in front of adults.
const CHILD_IN_FRONT: f32 = 0.66;
/// The height of a baby compared with that of another child.
const BABY: f32 = 0.8;
/// The level of the feet of the people in front below that of others, as a share of the height of the page.
const IN_FRONT: f32 = 0.1;
/// The distance between neighbors compared with their width.
const IN_ROW: f32 = 0.9;
/// The same for people behind others.
const BEHIND: f32 = 1.1;
/// The maximum number of people in a row on an upright sheet, and on a wide one.
const MAX_IN_ROW: (usize, usize) = (3, 5);
/// The maximum number of people in two rows.
const MAX_IN_ROWS: usize = 5;

impl Member {
    fn is_child(&self) -> bool {
        self.player.is_child()
    }
}

/// Returns true for a person on the ground.
fn stands(label: &str) -> bool {
    is_person(label) && !is_airborne(label)
}

impl<'a> Scene<'a> {
    /// Returns the characters that the picture shows: the first ones, and more of them if they are people who have room
    /// next to each other.
    pub(super) fn cast(&self) -> &'a [Portrait] {
        let characters = &self.brief.characters;
        (MAX_CHARACTERS + 1..=MAX_IN_ROWS)
            .rev()
            .filter_map(|count| characters.get(..count))
            .find(|people| self.have_room(people))
            .unwrap_or(&characters[..characters.len().min(MAX_CHARACTERS)])
    }

    /// Returns true if these characters stand together, without other people, and no row is too long.
    fn have_room(&self, people: &[Portrait]) -> bool {
        let is_company = people.iter().all(|portrait| stands(&portrait.label));
        let mut subjects = self.brief.wish.subjects.iter();
        if self.stage.afloat || !is_company || subjects.any(|subject| stands(&subject.label)) {
            return false;
        }
        let is_child = |portrait: &&Portrait| portrait.player().is_some_and(Player::is_child);
        let children = people.iter().filter(is_child).count();
        children.max(people.len() - children) <= self.most_in_row()
    }

    /// Returns the people who stand together, if the page shows two or more and there is room for all. Empty if a
    /// character of another kind is the hero.
    pub(super) fn company(&mut self) -> Vec<Member> {
        let brief = self.brief;
        let mut group = Vec::new();
        let is_led = brief.characters.first().is_some_and(|hero| !is_person(&hero.label));
        if self.stage.afloat || is_led {
            return group;
        }
        for (portrait, has) in self.cast().iter().zip(&brief.wish.named) {
            if let Some(player) = portrait.player().filter(|_| stands(&portrait.label)) {
                group.push(Member {
                    player: player.clone(),
                    label: portrait.label.clone(),
                    is_character: true,
                    is_posed: has.posture.is_some(),
                });
            }
        }
        let people = || brief.wish.subjects.iter().filter(|subject| stands(&subject.label));
        let all = group.len() + people().map(|subject| subject.count).sum::<usize>();
        if !(2..=MAX_IN_ROWS).contains(&all) {
            return Vec::new();
        }
        for subject in people() {
            for copy in 0..subject.count {
                let number = brief.number_of(&subject.label, copy);
                let Some(player) = Player::for_subject(subject, number, &brief.style, self.rng) else {
                    continue;
                };
                group.push(Member {
                    player,
                    label: subject.label.clone(),
                    is_character: false,
                    is_posed: subject.has.posture.is_some(),
                });
            }
        }
        group
    }

    /// Places a group. Returns the bounds of its first person.
    pub(super) fn line_up(&mut self, group: &[Member], tallest: f32) -> Option<Rect> {
        let (area, page) = (self.area, self.brief.height as f32);
        let is_mixed = group.iter().any(Member::is_child) && !group.iter().all(Member::is_child);
        let rows = self.rows(group);
        let is_mirrored = self.rng.bool();
        let (rise, child) = if rows.len() > 1 {
            (page * IN_FRONT, CHILD_IN_FRONT)
        } else {
            (0.0, CHILD)
        };
        let feet = area.bottom() - area.height() * (0.05 + 0.07 * self.rng.f32()) - rise;
        let height_of = |member: &Member| {
            tallest
                * match member.label.as_str() {
                    _ if !is_mixed || !member.is_child() => 1.0,
                    "baby" => child * BABY,
                    _ => child,
                }
        };
        let mut figures: Vec<(usize, Figure)> = Vec::new();
        for (rank, mut row) in rows.into_iter().enumerate() {
            if is_mirrored {
                row.reverse();
            }
            let distance = if rank == 0 && rise > 0.0 { BEHIND } else { IN_ROW };
            figures.extend(self.row(group, &row, (feet + rise * rank as f32, distance), height_of));
        }
        let all = figures
            .iter()
            .map(|(_, figure)| figure.bounds())
            .reduce(|a, b| union(a, b).unwrap_or(a))?;
        let room = area.width() - self.style().unit * 5.0;
        let scale = (room / all.width()).min(1.0);
        let slack = (room - all.width() * scale) / 2.0;
        let middle = (area.left() + area.right()) / 2.0 + self.jitter() * slack * 0.6;
        let place = Transform::from_translate(-(all.left() + all.right()) / 2.0, -feet)
            .post_scale(scale, scale)
            .post_translate(middle, feet);
        let mut first = None;
        for (index, figure) in &figures {
            let figure = figure.transformed(place);
            let bounds = figure.bounds();
            if *index == 0 {
                first = Some(bounds);
            }
            self.taken.take(&figure);
            self.placed.push(Placed::new(bounds.bottom(), figure));
            self.label_last(&group[*index].label);
        }
        first
    }

    /// Returns the people of a row with their indices, around the origin, with their feet at a level and this distance
    /// between neighbors compared with their width.
    fn row(
        &self,
        group: &[Member],
        row: &[usize],
        (level, distance): (f32, f32),
        height_of: impl Fn(&Member) -> f32,
    ) -> Vec<(usize, Figure)> {
        let last = row.len().saturating_sub(1) as f32;
        let mut standing = Vec::new();
        let mut edge = 0.0;
        for (place, index) in row.iter().enumerate() {
            let member = &group[*index];
            let figure = self.member(member, place as f32 - last / 2.0, height_of(member));
            let bounds = figure.bounds();
            let air = bounds.width() * (distance - 1.0) / 2.0;
            // Neighbors on a level would look cut out.
            let level = level + self.brief.height as f32 * 0.012 * (place % 2) as f32;
            standing.push((
                *index,
                figure.moved(edge + air - bounds.left(), level - bounds.bottom()),
            ));
            edge += bounds.width() + air * 2.0;
        }
        let centered = standing.into_iter();
        centered
            .map(|(index, figure)| (index, figure.moved(-edge / 2.0, 0.0)))
            .collect()
    }

    /// Returns the indices of the people of each row from the back to the front, and from the left to the right.
    fn rows(&self, group: &[Member]) -> Vec<Vec<usize>> {
        let (mut adults, children): (Vec<usize>, Vec<usize>) =
            (0..group.len()).partition(|index| !group[*index].is_child());
        if group.len() <= self.most_in_row() {
            // Children are between adults.
            let after = adults.split_off(adults.len().div_ceil(2));
            return vec![adults.into_iter().chain(children).chain(after).collect()];
        }
        if adults.is_empty() || children.is_empty() {
            let all: Vec<usize> = adults.into_iter().chain(children).collect();
            let (front, back) = all.split_at(all.len().div_ceil(2));
            return vec![back.to_vec(), front.to_vec()];
        }
        vec![adults, children]
    }

    fn most_in_row(&self) -> usize {
        if self.area.width() > self.area.height() {
            MAX_IN_ROW.1
        } else {
            MAX_IN_ROW.0
        }
    }

    /// Returns the figure of a person at one side of the group, its free hands and what it holds on the outer side.
    fn member(&self, member: &Member, side: f32, height: f32) -> Figure {
        let player = member.player.clone();
        let arms = match side {
            x if x < -0.01 => [Arm::Raised, Arm::Down],
            x if x > 0.01 => [Arm::Down, Arm::Raised],
            _ if member.is_child() => [Arm::Raised; 2],
            _ => [Arm::Down; 2],
        };
        let player = if member.is_posed || player.has_gear() {
            player
        } else {
            player.with_arms(arms)
        };
        let figure = player.figure(self.area.width() * 0.6, height, self.style());
        let holds = player.holds_something() || player.has_gear();
        if side < 0.0 && holds && !member.is_character {
            return figure.transformed(Transform::from_scale(-1.0, 1.0));
        }
        figure
    }
}

//! The composition of a cover in color: one large hero below the title, and smaller companions at its sides.

use linepress_plugin_sdk::v1::image::Audience;
use tiny_skia::{Rect, Transform};

use super::bank::{swims, walks};
use super::compose::{MAX_CHARACTERS, Placed, Scene};
use super::faces;
use super::occupancy::Surfaces;
use crate::bulk::{Bulk, bulk, is_airborne, is_celestial};
use crate::cast::Actor;
use crate::characters::Portrait;
use crate::figure::Figure;
use crate::figure::sketch::Sketch;
use crate::player::Player;
use crate::setting::{Ground, Setting};
use crate::words::is_animate;

/// The upper share of a cover, where the title is printed and nothing has an outline.
pub const CALM_SHARE: f32 = 0.29;
/// The share of the height above which the hero's face and hands are. The subtitle is printed below it.
pub const FEATURES_SHARE: f32 = 0.73;
/// The level of the feet of a hero that needs all the room, as a share of the height.
const FEET: f32 = 0.955;
/// The level of the feet of a hero that is lower than that.
const SHORT_FEET: f32 = 0.84;
/// The lower end of the part in which a hero in the air or in water is.
const AFLOAT: f32 = 0.8;
/// The maximum share of a procedural body that the lower edge cuts off.
const MAX_CUT: f32 = 0.22;
/// The hero's share of the width if its height allows that.
const HERO_WIDTH: f32 = 0.75;
/// The same for a drawing seen from the side, which companions stand next to.
const SHARED_WIDTH: f32 = 0.7;
/// The same for a drawing that is much wider than it is high.
const LYING_WIDTH: f32 = 0.84;

/// The part of a figure that the picture shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stance {
    /// A body that the lower edge may cut off below the waist.
    Body,
    /// A drawing cut off at the chest.
    Bust,
    /// A drawing that is shown as a whole.
    Whole,
    /// A drawing in the air or in water.
    Afloat,
}

/// A figure on the cover, before it has a place.
pub(super) enum Part<'a> {
    Portrait(&'a Portrait),
    Player(Box<Player>, &'a str),
    Sketch(Sketch),
}

impl Part<'_> {
    pub(super) fn label(&self) -> &str {
        match self {
            Self::Portrait(portrait) => &portrait.label,
            Self::Player(_, label) => label,
            Self::Sketch(sketch) => sketch.label(),
        }
    }

    /// Returns the name of a character, and the label of anything else.
    fn name(&self) -> &str {
        match self {
            Self::Portrait(portrait) => &portrait.name,
            Self::Player(..) | Self::Sketch(_) => self.label(),
        }
    }

    pub(super) fn player(&self) -> Option<&Player> {
        match self {
            Self::Portrait(portrait) => portrait.player(),
            Self::Player(player, _) => Some(player),
            Self::Sketch(_) => None,
        }
    }

    fn actor(&self) -> Option<&Actor> {
        match self {
            Self::Portrait(portrait) => portrait.actor(),
            Self::Player(player, _) => Some(player.actor()),
            Self::Sketch(_) => None,
        }
    }

    fn bulk(&self) -> Bulk {
        if matches!(self, Self::Sketch(Sketch::Galleon)) {
            return Bulk::Huge;
        }
        bulk(self.label(), self.actor().map_or(3, Actor::group))
    }
}

/// The labels that the ship of pirates replaces.
const SHIPS: &[&str] = &["sailboat", "ship", "passenger ship", "motor boat"];

/// A place next to the hero: the middle and the level of the feet as shares of the sheet, and whether it is nearer to
/// the viewer than the hero.
type Slot = (f32, f32, bool);

/// The level of the feet of a companion that is nearer than the hero: hardly below the upper edge of the subtitle.
const BESIDE_FEET: f32 = 0.85;

/// The minimum level of the feet of a companion on the bank of the water behind the hero.
const BANK_FEET: f32 = 0.79;

const BESIDE: &[Slot] = &[
    (0.13, BESIDE_FEET, true),
    (0.87, BESIDE_FEET, true),
    (0.13, 0.70, false),
    (0.87, 0.70, false),
];
const BEHIND: &[Slot] = &[
    (0.15, 0.70, false),
    (0.85, 0.70, false),
    (0.13, BESIDE_FEET, true),
    (0.87, BESIDE_FEET, true),
];
const ABOVE: &[Slot] = &[
    (0.14, 0.50, false),
    (0.86, 0.50, false),
    (0.13, 0.72, false),
    (0.87, 0.72, false),
];

/// The places in the water behind the hero.
const IN_WATER: &[Slot] = &[
    (0.13, 0.73, false),
    (0.87, 0.73, false),
    (0.25, 0.745, false),
    (0.75, 0.745, false),
];

/// Above this limit on the overlap, a companion may hide a face, and its own face may be hidden.
const LAST_RESORT: f32 = 0.5;
/// The maximum share of a face that is hidden before.
const MAX_HIDDEN_FACE: f32 = 0.04;

/// Places before the hero for a companion that has no other place with a free face.
const BEFORE: &[Slot] = &[(0.3, BESIDE_FEET, true), (0.7, BESIDE_FEET, true)];

/// The attempts to place a companion: the maximum overlap, and the sizes to try.
const ROUNDS: &[(f32, &[f32])] = &[(0.12, &[1.0, 0.85, 0.72]), (0.3, &[0.85, 0.62]), (0.55, &[0.6])];

impl<'a> Scene<'a> {
    /// Places the hero and its companions. Returns the bounds of the hero.
    pub(super) fn star(&mut self, setting: &Setting) -> Option<Rect> {
        let mut parts = self.parts(setting);
        if parts.is_empty() {
            return None;
        }
        let people = self.people(&parts);
        let bounds = if people > 1 {
            let group: Vec<Part> = parts.drain(..people).collect();
            self.labels.extend(group.iter().map(|part| part.label().to_string()));
            self.gather(&group)
        } else {
            let hero = parts.remove(0);
            self.labels.push(hero.label().to_string());
            self.place_hero(&hero, parts.len())
        };
        let first = usize::from(self.rng.bool());
        for (index, part) in parts.iter().enumerate() {
            if !self.accompany(part, first + index) {
                self.missing.push(part.name().to_string());
            }
            self.labels.push(part.label().to_string());
        }
        Some(bounds)
    }

    /// Returns the hero, which is alive if any subject is, and its companions.
    fn parts(&mut self, setting: &Setting) -> Vec<Part<'a>> {
        let brief = self.brief;
        let most = if brief.style.audience == Audience::Toddler {
            2
        } else {
            3
        };
        let (cast, others) = brief.characters.split_at(brief.characters.len().min(MAX_CHARACTERS));
        self.omit(others);
        let mut parts: Vec<Part<'a>> = cast.iter().map(Part::Portrait).collect();
        let mut subjects: Vec<_> = brief.wish.subjects.iter().collect();
        subjects.sort_by_key(|subject| (is_celestial(&subject.label), !is_animate(&subject.label)));
        for subject in subjects {
            for copy in 0..subject.count.min(most) {
                let number = brief.number_of(&subject.label, copy);
                let Some(player) = Player::for_subject(subject, number, &brief.style, self.rng) else {
                    continue;
                };
                let mut player = player.with_skin(brief.skin_of(&subject.label, copy));
                if setting.name == "party" && parts.is_empty() {
                    player = player.dressed_for_a_party();
                }
                parts.push(Part::Player(Box::new(player), &subject.label));
            }
        }
        let is_baby = |parts: &[Part]| matches!(parts, [Part::Player(_, "baby")]);
        for sketch in &brief.sketches {
            match sketch {
                Sketch::Stroller { .. } => {
                    if is_baby(&parts) {
                        // The stroller comes with its own baby.
                        parts.clear();
                    }
                    let is_empty = !parts.is_empty();
                    parts.insert(parts.len().min(most + 1), Part::Sketch(Sketch::Stroller { is_empty }));
                }
                Sketch::Galleon | Sketch::Stegosaurus => parts.insert(0, Part::Sketch(*sketch)),
            }
        }
        if let [part] = parts.as_slice()
            && let Some(player) = part.player()
            && let Some(label) = player.companion()
            && let Some(actor) = Actor::choose(label, &brief.style, self.rng)
        {
            parts.push(Part::Player(Box::new(Player::new(label, actor)), label));
        }
        if brief.has_pirates() && matches!(setting.ground, Ground::OpenSea | Ground::Shore) {
            parts.retain(|part| !SHIPS.contains(&part.label()));
            parts.insert(parts.len().min(1), Part::Sketch(Sketch::Galleon));
        }
        // A stroller does not take the place of a person.
        let strollers = brief
            .sketches
            .iter()
            .filter(|sketch| matches!(sketch, Sketch::Stroller { .. }));
        let shown = (most + 1 + strollers.count()).min(parts.len());
        for part in parts.split_off(shown) {
            self.omitted.push(part.name().to_string());
        }
        self.put_people_first(&mut parts);
        parts
    }

    /// Moves two or more people to the front, where they are a group, unless the hero is a character of another kind.
    fn put_people_first(&self, parts: &mut [Part]) {
        let is_person = |part: &Part| part.player().is_some_and(Player::is_person);
        let is_led = matches!(parts.first(), Some(hero @ Part::Portrait(_)) if !is_person(hero));
        if !is_led && parts.iter().filter(|part| is_person(part)).count() > 1 {
            parts.sort_by_key(|part| !is_person(part));
        }
    }

    /// Returns the part of a figure that the picture shows.
    fn stance(&self, part: &Part) -> Stance {
        match part.actor() {
            Some(Actor::Embodied(..)) => Stance::Body,
            Some(actor) if actor.is_bust() => Stance::Bust,
            _ if self.stage.afloat || is_airborne(part.label()) => Stance::Afloat,
            _ => Stance::Whole,
        }
    }

    fn traced(&self, part: &Part, width: f32, height: f32) -> Figure {
        let style = *self.style();
        match part {
            Part::Portrait(portrait) => portrait.figure(width, height, &style),
            Part::Player(player, _) => player.figure(width, height, &style),
            Part::Sketch(sketch) => sketch.figure(width, height),
        }
    }

    /// Places the hero with its head below the title. Only a procedural body and a bust reach beyond the lower edge.
    fn place_hero(&mut self, hero: &Part, companions: usize) -> Rect {
        let (width, height) = (self.brief.width as f32, self.brief.height as f32);
        let calm = height * CALM_SHARE;
        let stance = self.stance(hero);
        let wide = match stance {
            Stance::Body | Stance::Bust => HERO_WIDTH,
            _ if companions == 0 => HERO_WIDTH,
            _ => SHARED_WIDTH,
        };
        let room = height * FEET - calm;
        let tall = match stance {
            Stance::Body => (height - calm) / (1.0 - MAX_CUT),
            Stance::Bust => height - calm,
            Stance::Whole => room,
            Stance::Afloat => height * AFLOAT - calm,
        };
        let mut figure = self.traced(hero, (width * wide).min(height * 0.9), height * 4.0);
        if stance == Stance::Whole && figure.bounds().height() < room * 0.75 {
            figure = self.traced(hero, (width * LYING_WIDTH).min(height * 0.9), height * 4.0);
        }
        let mut scale = (tall / figure.bounds().height()).min(1.0);
        if let Some(level) = figure.anchors.lowest_feature.filter(|_| stance != Stance::Bust) {
            scale = scale.min((height * FEATURES_SHARE - calm) / (level - figure.bounds().top()).max(1.0));
        }
        // A character keeps its badge and its bow on the same side.
        let flip = if matches!(hero, Part::Player(..)) && self.rng.bool() {
            -1.0
        } else {
            1.0
        };
        let figure = figure.transformed(Transform::from_scale(scale * flip, scale));
        let bounds = figure.bounds();
        let top = match stance {
            Stance::Bust => height + self.style().pen - bounds.height(),
            Stance::Afloat => calm + (height * AFLOAT - calm - bounds.height()) * 0.45,
            Stance::Whole => (height * SHORT_FEET - bounds.height()).max(calm),
            Stance::Body => calm,
        };
        let lean = match companions {
            1 if stance == Stance::Whole || stance == Stance::Afloat => 0.1,
            _ => 0.0,
        };
        let x = width * (0.5 + lean);
        self.put(figure, hero.label(), (x, top), height * FEET)
    }

    /// Places a companion beside or behind the hero, the smaller the less room there is. Returns false if there is
    /// none.
    fn accompany(&mut self, part: &Part, turn: usize) -> bool {
        let (width, height) = (self.brief.width as f32, self.brief.height as f32);
        let stance = self.stance(part);
        let share = match part.bulk() {
            Bulk::Tiny => 0.15,
            Bulk::Small => 0.20,
            Bulk::Medium => 0.27,
            Bulk::Large => 0.33,
            Bulk::Huge => 0.38,
        };
        let slots = self.slots(part, stance);
        let stands = stance != Stance::Afloat && (!self.is_banked || walks(part.label()));
        for (limit, sizes) in ROUNDS {
            let is_last = *limit > LAST_RESORT;
            if is_last && stands && self.stand_before(part, height * share * 0.7) {
                return true;
            }
            for size in *sizes {
                let figure = self.traced(part, width.min(height * 0.75) * 0.44 * size, height * share * size);
                // A landmark in front of the hero is the last resort.
                let first = if part.bulk() == Bulk::Huge && !is_last {
                    2
                } else {
                    slots.len()
                };
                // Only where there is no other room, a paw or a thing may be in front of a face.
                let may_hide = if is_last { 1.0 } else { MAX_HIDDEN_FACE };
                if let Some((at, depth)) = self.free_slot(&figure, &slots[..first], turn, (*limit, may_hide)) {
                    // A landmark in the distance is behind whatever lives.
                    let is_near = depth >= self.brief.height as f32;
                    let farther = if is_near || is_animate(part.label()) { 1.0 } else { 0.8 };
                    self.put(figure, part.label(), at, depth * farther);
                    return true;
                }
            }
        }
        false
    }

    /// Returns the places for a companion, those to prefer first.
    fn slots(&self, part: &Part, stance: Stance) -> Vec<Slot> {
        if stance == Stance::Afloat || is_celestial(part.label()) {
            return ABOVE.to_vec();
        }
        if self.swims_behind(part) {
            return IN_WATER.to_vec();
        }
        let slots = if part.bulk() == Bulk::Huge { BEHIND } else { BESIDE };
        let lowest = if self.is_banked { BANK_FEET } else { 0.0 };
        slots
            .iter()
            .map(|(x, feet, near)| (*x, feet.max(lowest), *near))
            .collect()
    }

    /// Returns true for a companion in the water behind a hero on its bank.
    fn swims_behind(&self, part: &Part) -> bool {
        self.is_banked && swims(part.label())
    }

    /// Places a companion that lives before the hero, below its face. Returns false if there is no room.
    fn stand_before(&mut self, part: &Part, height: f32) -> bool {
        if !is_animate(part.label()) {
            return false;
        }
        let figure = self.traced(part, height * 1.2, height);
        let found = self.free_slot(&figure, BEFORE, 0, (1.0, MAX_HIDDEN_FACE));
        let Some((at, depth)) = found else { return false };
        self.put(figure, part.label(), at, depth);
        true
    }

    /// Returns the position of the slot where a figure overlaps least of what has a place, and its depth, among those
    /// where the overlap and the hidden share of a face are within the limits. `None` if there is no such slot.
    fn free_slot(
        &self,
        figure: &Figure,
        slots: &[Slot],
        turn: usize,
        (limit, may_hide): (f32, f32),
    ) -> Option<((f32, f32), f32)> {
        let (width, height) = (self.brief.width as f32, self.brief.height as f32);
        let bounds = figure.bounds();
        let (half, edge) = (bounds.width() / 2.0, width * 0.015);
        let surfaces = Surfaces::new(figure, 1.0);
        let spots = (0..slots.len()).map(|step| {
            // The sides alternate.
            let (x, feet, near) = slots[(step & !1) | ((step + turn) & 1)];
            let x = (width * x).clamp(half + edge, (width - half - edge).max(half + edge));
            let at = (x, (height * feet - bounds.height()).max(height * (CALM_SHARE + 0.015)));
            // The hero may hide a little more of what is behind it. Of equal slots, the first is used.
            let share = if near { 1.0 } else { 0.6 };
            Spot {
                hidden: self.taken.overlap(&surfaces, way(&bounds, at)) * share + step as f32 * 0.01,
                of_face: self.hidden_face(figure, at, near),
                at,
                depth: if near { height } else { height * feet * 0.9 },
            }
        });
        least_hidden(spots, limit, may_hide).map(|spot| (spot.at, spot.depth))
    }

    /// Returns the share of a face that is hidden with a figure at a place: of its own, or of a face behind it.
    fn hidden_face(&self, figure: &Figure, at: (f32, f32), near: bool) -> f32 {
        let moved = moved(figure, at);
        if near {
            faces::hidden_by(&moved.bounds(), self.placed.iter().map(|placed| &placed.figure))
        } else {
            faces::hidden(&moved, &self.taken, (0.0, 0.0))
        }
    }

    /// Puts a figure at the middle of its top edge.
    pub(super) fn put(&mut self, figure: Figure, label: &str, at: (f32, f32), depth: f32) -> Rect {
        let placed = moved(&figure, at);
        self.taken.take(&placed);
        let bounds = placed.bounds();
        self.placed.push(Placed::new(depth, placed));
        self.label_last(label);
        bounds
    }
}

/// A place for a companion.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Spot {
    /// The overlap with what has a place.
    hidden: f32,
    /// The hidden share of a face.
    of_face: f32,
    at: (f32, f32),
    depth: f32,
}

/// Returns the first of the spots within the limits at which the least is hidden.
fn least_hidden(spots: impl Iterator<Item = Spot>, limit: f32, may_hide: f32) -> Option<Spot> {
    let sum = |spot: &Spot| spot.hidden + spot.of_face;
    spots
        .filter(|spot| spot.hidden <= limit && spot.of_face <= may_hide)
        .min_by(|a, b| sum(a).total_cmp(&sum(b)))
}

fn moved(figure: &Figure, at: (f32, f32)) -> Figure {
    let (x, y) = way(&figure.bounds(), at);
    figure.moved(x, y)
}

/// Returns the distance that moves the middle of the top edge to a point.
fn way(bounds: &Rect, (x, top): (f32, f32)) -> (f32, f32) {
    (x - (bounds.left() + bounds.right()) / 2.0, top - bounds.top())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spot_beyond_the_limits_does_not_take_the_place_of_one_within_them() {
        let spot = |hidden: f32, of_face: f32| Spot {
            hidden,
            of_face,
            at: (0.0, 0.0),
            depth: 0.0,
        };
        let (on_a_face, free, fuller) = (spot(0.05, 0.06), spot(0.10, 0.0), spot(0.13, 0.0));
        let least = |spots: [Spot; 2]| least_hidden(spots.into_iter(), 0.12, 0.04);
        assert_eq!(least([on_a_face, free]), Some(free));
        assert_eq!(least([fuller, free]), Some(free));
        assert_eq!(least([on_a_face, fuller]), None);
    }
}

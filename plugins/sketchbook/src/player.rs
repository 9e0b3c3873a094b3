//! A subject on a page, with the things that it wears and holds.

use fastrand::Rng;
use tiny_skia::Transform;

use crate::cast::{Actor, faces_of};
use crate::catalog::entry;
use crate::color::SKINS;
use crate::figure::Figure;
use crate::figure::body::{Arm, Pose, Posture, species_in, species_of};
use crate::figure::features::{Feature, Named};
use crate::figure::landmarks::Landmarks;
use crate::figure::person::{HairWish, Look, Outfit, outlined, person};
use crate::figure::traits::{Place, Trait, wear};
use crate::grip::{Grip, grip_of};
use crate::hands::{Hands, Held};
use crate::style::Style;
use crate::words::{Possessions, Subject};

#[derive(Clone, Debug)]
pub struct Player {
    label: String,
    actor: Actor,
    worn: Vec<Trait>,
    held: Vec<Held>,
    /// The clothes of a person's role.
    outfit: Option<Outfit>,
    /// True if the prompt takes off the hat of the role.
    is_bareheaded: bool,
    /// True for one of several people who stand close together.
    is_grouped: bool,
    /// The number of the tone of a person's skin, on a cover in color.
    skin: u64,
    /// The number that chooses the hair and the clothes of a person.
    number: u64,
    /// The hair that the description of a character names.
    hair: HairWish,
    /// True for the beard, and for the moustache, that a text names.
    beard: (bool, bool),
}

/// Returns true for the label of a person with a body of its own.
pub fn is_person(label: &str) -> bool {
    species_in(label).is_some_and(|species| Look::of(species.face, None, 0, 0).is_some())
}

/// Returns true if the drawings of a label show a feature: they have it anyway, or their body can have it.
pub fn shows(label: &str, feature: Feature) -> bool {
    match feature {
        feature if feature.is_natural_for(label) => true,
        Feature::Beard | Feature::Moustache => is_person(label),
        feature => species_of(label).is_some_and(|mut species| species.take(feature)),
    }
}

/// The maximum number of equal things in one grip.
const MAX_THINGS_PER_GRIP: usize = 3;

impl Player {
    pub fn new(label: &str, actor: Actor) -> Self {
        Self {
            label: label.to_string(),
            actor,
            worn: Vec::new(),
            held: Vec::new(),
            outfit: None,
            is_bareheaded: false,
            is_grouped: false,
            skin: 0,
            number: 0,
            hair: HairWish::default(),
            beard: (false, false),
        }
    }

    /// Chooses the tone of the skin by a number.
    pub fn with_skin(mut self, number: u64) -> Self {
        self.skin = number % SKINS.len() as u64;
        self
    }

    /// Chooses the hair and the clothes of a person by a number.
    pub fn with_number(mut self, number: u64) -> Self {
        self.number = number;
        self
    }

    /// Gives a person the hair that a description names.
    pub fn with_hair(mut self, description: &str) -> Self {
        self.hair = HairWish::read(description);
        self
    }

    /// Gives the player the features that a text names, as far as its body can have them.
    pub fn featured(mut self, features: &[Named]) -> Self {
        for Named { feature, .. } in features {
            match feature {
                Feature::Beard => self.beard.0 = true,
                Feature::Moustache => self.beard.1 = true,
                _ => {}
            }
            if let Actor::Embodied(_, species, pose) = &mut self.actor {
                let is_shown = species.take(*feature);
                if is_shown && matches!(feature, Feature::ShortLegs | Feature::LongLegs) {
                    pose.take(Posture::Standing);
                }
            }
        }
        self
    }

    /// Gives a person the clothes of its role.
    pub fn dressed_as(mut self, outfit: Option<Outfit>) -> Self {
        self.outfit = outfit;
        self
    }

    /// Returns the player for a subject of a prompt, with the things that it wears and holds. The number chooses the
    /// appearance of a person. `None` if the label has no drawing.
    pub fn for_subject(subject: &Subject, number: u64, style: &Style, rng: &mut Rng) -> Option<Self> {
        let (label, has) = (&subject.label, &subject.has);
        let look = look_of(label, number);
        // A refinement composes an earlier page again, which took a number from the generator here.
        rng.u64(..);
        if has.is_empty() {
            let actor = Actor::choose(label, style, rng)?;
            let player = Self::new(label, actor).with_number(number);
            return Some(player.dressed_as(has.outfit).wearing(look));
        }
        let actor = Actor::with_hands(label, style, rng)?;
        let mut worn = has.worn.clone();
        let free =
            |item: &&Trait| !has.bare.contains(&item.place()) && worn.iter().all(|known| known.place() != item.place());
        // The clothes of a role are recognized without more.
        let is_in_uniform = has.outfit.is_some();
        let look = look.iter().filter(|item| !is_in_uniform && free(item));
        let look: Vec<Trait> = look.copied().collect();
        worn.extend(look);
        let player = Self::new(label, actor).with_number(number).featured(&has.features);
        let mut player = player.dressed_as(has.outfit).wearing(&worn).posed(has);
        player.is_bareheaded = has.bare.contains(&Place::Head);
        Some(player.holding(has, style, rng))
    }

    /// Changes what a character wears, for one page: an item of the prompt replaces the one at the same place.
    pub fn redressed(mut self, has: &Possessions) -> Self {
        let is_replaced = |place: Place| has.bare.contains(&place) || has.worn.iter().any(|item| item.place() == place);
        self.worn.retain(|item| !is_replaced(item.place()));
        self.wearing(&has.worn)
    }

    /// Puts a procedural body into the posture that the prompt asks for.
    pub fn posed(mut self, has: &Possessions) -> Self {
        if let (Actor::Embodied(_, _, pose), Some((posture, _))) = (&mut self.actor, &has.posture) {
            pose.take(*posture);
        }
        self
    }

    pub fn wearing(mut self, worn: &[Trait]) -> Self {
        let has_lab_coat = || entry(&self.label).is_some_and(|entry| entry.lab_coat);
        if worn.contains(&Trait::LabCoat) && self.outfit != Some(Outfit::Doctor) && has_lab_coat() {
            self.outfit = Some(Outfit::LabCoat);
        }
        self.worn.extend(worn);
        self
    }

    /// Puts a party hat on a bare head.
    pub fn dressed_for_a_party(self) -> Self {
        let has_hat = self.worn.iter().any(|item| item.place() == Place::Head);
        if has_hat || entry(&self.label).is_some_and(|entry| entry.headwear) {
            return self;
        }
        self.wearing(&[Trait::PartyHat])
    }

    /// Gives the player things to hold, the most important first, as many as it has hands for.
    pub fn holding(mut self, has: &Possessions, style: &Style, rng: &mut Rng) -> Self {
        for (label, count) in &has.held {
            // What was put down is chosen as well, so that everything after it remains the same.
            let chosen = Actor::choose(label, style, rng);
            let Some(actor) = chosen.filter(|_| !has.put_down.contains(label)) else {
                continue;
            };
            let Some(grip) = grip_of(label, actor.group()) else {
                continue;
            };
            if self.outfit == Some(Outfit::Firefighter) && label == "bucket" {
                // A hose, which is part of the outfit, shows the trade better.
                continue;
            }
            let both = |grip: &Grip| matches!(grip, Grip::Front { .. });
            if self.held.len() < 2 && (self.held.is_empty() || !both(&grip) && !both(&self.held[0].grip)) {
                // A hanging thing goes on the left, because the tail is on the right.
                let usual = if matches!(grip, Grip::Lowered { .. }) {
                    -1.0
                } else {
                    1.0
                };
                self.held.push(Held {
                    actor,
                    grip,
                    count: (*count).clamp(1, MAX_THINGS_PER_GRIP),
                    side: self.held.first().map_or(usual, |other| -other.side),
                });
            }
        }
        if let Actor::Embodied(_, _, pose) = &mut self.actor {
            pose_for(pose, &self.held);
        }
        self
    }

    pub fn worn(&self) -> &[Trait] {
        &self.worn
    }

    pub fn actor(&self) -> &Actor {
        &self.actor
    }

    /// Returns the figure, centered on the origin and fitted into a box. Hats and held things may extend above the box.
    pub fn figure(&self, width: f32, height: f32, style: &Style) -> Figure {
        if let Some(look) = self.look() {
            return self.dressed(look, width, height, style);
        }
        let mut figure = self.actor.figure(width, height, style);
        if self.actor.group() == 1 {
            figure = figure.with_skin(SKINS[self.skin as usize]);
        }
        if self.worn.is_empty() && self.held.is_empty() {
            return figure;
        }
        let landmarks = figure
            .anchors
            .landmarks
            .clone()
            .or_else(|| Landmarks::for_drawing(&self.label, &figure));
        let Some(landmarks) = landmarks else { return figure };
        let hands = Hands::for_actor(&self.actor, &figure, &landmarks);
        for item in &self.worn {
            wear(&mut figure, *item, &landmarks);
        }
        for held in &self.held {
            hands.hold(&mut figure, held, style);
        }
        self.within(&figure, width, height)
    }

    /// Returns a figure with what it wears and holds, centered on the origin and reduced to a box, above which hats and
    /// held things may extend.
    fn within(&self, figure: &Figure, width: f32, height: f32) -> Figure {
        let bounds = figure.bounds();
        let center = (
            (bounds.left() + bounds.right()) / 2.0,
            (bounds.top() + bounds.bottom()) / 2.0,
        );
        let higher = if self.held.is_empty() { 1.1 } else { 1.28 };
        let scale = (width / bounds.width()).min(height * higher / bounds.height()).min(1.0);
        figure.transformed(Transform::from_translate(-center.0, -center.1).post_scale(scale, scale))
    }
}

/// The people.
impl Player {
    /// Returns true for a person that is drawn with a body of its own.
    pub fn is_person(&self) -> bool {
        self.look().is_some()
    }

    pub fn is_child(&self) -> bool {
        self.look().is_some_and(|look| look.is_child)
    }

    /// Returns the label of what is next to a person that is alone on a cover.
    pub fn companion(&self) -> Option<&'static str> {
        self.look().and_then(|look| look.outfit.companion())
    }

    /// Returns true for a person with a hose or a wand in one hand.
    pub fn has_gear(&self) -> bool {
        self.look().is_some_and(|look| look.has_gear)
    }

    pub fn holds_something(&self) -> bool {
        !self.held.is_empty()
    }

    /// Moves the arms of a person that holds nothing. A firefighter puts down the hose.
    pub fn with_arms(mut self, arms: [Arm; 2]) -> Self {
        self.is_grouped = true;
        if let (Actor::Embodied(_, _, pose), true) = (&mut self.actor, self.held.is_empty()) {
            pose.arms = arms;
        }
        self
    }

    /// Returns the look of a person. `None` for other figures.
    fn look(&self) -> Option<Look> {
        let Actor::Embodied(_, species, _) = &self.actor else {
            return None;
        };
        let outfit = Outfit::of_label(species.label).or(self.outfit);
        let faces = faces_of(species);
        let face = match faces[(self.number / 5 % faces.len() as u64) as usize] {
            "woman" if faces.len() > 1 && self.beard != (false, false) => "man",
            face => face,
        };
        let mut look = Look::of(face, outfit, self.skin, self.number)?;
        let hats = || self.worn.iter().filter(|item| item.place() == Place::Head);
        let usual = look.outfit.usual_hat();
        if self.is_bareheaded || hats().any(|hat| Some(*hat) != usual && *hat != Trait::Bun) {
            look.has_hat = false;
        }
        look = look.with_hair(self.hair).with_beard(self.beard.0, self.beard.1);
        let own = usual.filter(|_| look.has_hat);
        if look.outfit == Outfit::Astronaut || own.iter().chain(hats()).any(|hat| hat.covers_hair()) {
            look = look.under_hat();
        }
        if self.worn.contains(&Trait::Bun) {
            look = look.with_bun();
        }
        look.has_glasses = self.worn.iter().any(|item| item.place() == Place::Eyes);
        look.has_gear = look.outfit.has_gear() && self.held.is_empty() && !self.is_grouped;
        // The gear is in the hand on the right.
        look.grips[1] = look.has_gear;
        for held in &self.held {
            look.grips[usize::from(held.side > 0.0)] = true;
        }
        Some(look)
    }

    /// Returns a person with the things that it wears and holds, fitted into a box.
    fn dressed(&self, look: Look, width: f32, height: f32, style: &Style) -> Figure {
        let mut arms = match &self.actor {
            Actor::Embodied(_, _, pose) => pose.arms,
            Actor::Drawn(_) => [Arm::Down; 2],
        };
        if look.has_gear {
            arms[1] = Arm::Raised;
        }
        if look.outfit == Outfit::Gown && arms == [Arm::Raised; 2] && self.held.is_empty() {
            // A hand at the waist leaves room for the gown above the subtitle.
            arms[0] = Arm::Down;
        }
        let mut figure = if style.colored {
            person(&look, arms)
        } else {
            outlined(&look, arms, (width, height), &style.detail)
        };
        if let Some(landmarks) = figure.anchors.landmarks.clone() {
            let is_own = |item: &Trait| Some(*item) == look.outfit.usual_hat() || *item == Trait::Bun;
            let is_hidden = |item: &Trait| *item == Trait::Badge && look.outfit.has_badge();
            for item in self.worn.iter().filter(|item| !is_own(item) && !is_hidden(item)) {
                wear(&mut figure, *item, &landmarks);
            }
            let hands = Hands::for_person(&figure, &landmarks);
            for held in &self.held {
                hands.hold(&mut figure, held, style);
            }
        }
        if !style.colored {
            return self.within(&figure, width, height);
        }
        figure.fitted(width, height)
    }
}

/// Returns the traits that distinguish people who would otherwise look the same, chosen by a number.
fn look_of(label: &str, number: u64) -> &'static [Trait] {
    let looks: &[&'static [Trait]] = match label {
        "woman" => &[
            &[],
            &[Trait::Bun],
            &[Trait::Glasses],
            &[Trait::Flower],
            &[Trait::Necklace],
        ],
        "man" => &[&[], &[Trait::Glasses], &[Trait::Cap], &[Trait::BowTie]],
        "girl" => &[&[], &[Trait::Bow], &[Trait::Flower], &[Trait::Glasses]],
        "boy" | "child" => &[&[], &[Trait::Cap], &[Trait::Glasses], &[Trait::Beanie]],
        "person" => &[&[], &[Trait::Glasses], &[Trait::Scarf], &[Trait::Beanie]],
        _ => &[&[]],
    };
    looks[(number / 7 % looks.len() as u64) as usize]
}

/// Sets the arms of a procedural body to hold its things.
fn pose_for(pose: &mut Pose, held: &[Held]) {
    for held in held {
        let arm = usize::from(held.side > 0.0);
        match held.grip {
            Grip::Raised { .. } => pose.arms[arm] = Arm::Raised,
            Grip::Lowered { .. } => pose.arms[arm] = Arm::Down,
            Grip::Front { width, height } => {
                let bounds = held.actor.bounds();
                let wide = width.min(height * bounds.width() / bounds.height());
                pose.arms = [Arm::Forward(wide / 2.0); 2];
            }
        }
    }
}

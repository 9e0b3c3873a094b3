//! Characters: a fixed drawing with fixed traits, chosen once from what the character is.

use crate::art::Catalog;
use crate::brief::mix;
use crate::cast::Actor;
use crate::figure::Figure;
use crate::figure::traits::{Place, Trait};
use crate::player::Player;
use crate::style::Style;
use crate::words::{Subject, Wish, is_somebody};
use fastrand::Rng;
use linepress_plugin_sdk::image::Character;

/// A character as it looks on every page.
#[derive(Debug)]
pub struct Portrait {
    pub label: String,
    /// Neither the description nor the name says what the character is: somebody stands in.
    pub is_stand_in: bool,
    /// Nouns of its description that no drawing shows.
    pub unknown: Vec<String>,
    player: Option<Player>,
}

/// Who stands in when neither the description nor the name says what the character is.
const STAND_INS: &[&str] = &[
    "fox", "bear", "rabbit", "cat", "dog", "mouse", "panda", "koala", "frog", "lion", "owl", "tiger",
];

/// Whose drawing wears something on the head already.
const HATTED: &[&str] = &[
    "artist",
    "astronaut",
    "construction worker",
    "cook",
    "detective",
    "farmer",
    "firefighter",
    "guard",
    "mage",
    "mechanic",
    "mrs. claus",
    "ninja",
    "pilot",
    "police officer",
    "prince",
    "princess",
    "santa claus",
    "snowman",
    "student",
];

impl Portrait {
    pub fn of(character: &Character, style: &Style) -> Self {
        // Only what belongs to the character: the page must not change how it looks.
        let seed = mix(
            character.seed,
            &format!("{}\n{}", character.name, character.description),
        );
        let mut rng = Rng::with_seed(seed);
        // "Lily, a brave girl" is no flower; but a flower may be somebody.
        let living = |text: &str| {
            let subjects = Wish::read(text).subjects;
            let plant = |subject: &&Subject| {
                let drawing = Catalog::get().of(&subject.label).next();
                drawing.is_some_and(|drawing| drawing.group == 3)
            };
            let somebody = subjects.iter().find(|subject| is_somebody(&subject.label));
            somebody.or_else(|| subjects.iter().find(plant)).cloned()
        };
        let stand_in = STAND_INS[rng.usize(0..STAND_INS.len())];
        let named = living(&character.description).or_else(|| living(&character.name));
        let is_stand_in = named.is_none();
        let usual = named.as_ref().map_or(&[][..], |subject| &subject.usual.worn);
        let text = format!("{}\n{}", character.description, character.style);
        let mut traits = Trait::chosen(&text, usual, &mut rng);
        let label = named.map_or_else(|| stand_in.to_string(), |subject| subject.label);
        let actor = Actor::with_hands(&label, style, &mut rng);
        if HATTED.contains(&label.as_str()) {
            traits.retain(|item| item.place() != Place::Head);
        }
        let player = actor.map(|actor| Player::new(&label, actor).wearing(&traits));
        Self {
            label,
            is_stand_in,
            unknown: Wish::read(&character.description).unknown,
            player,
        }
    }

    /// Takes things in hand, on one page.
    pub fn take(&mut self, things: &[(String, usize)], style: &Style, seed: u64) {
        let mut rng = Rng::with_seed(seed);
        self.player = self.player.take().map(|player| player.holding(things, style, &mut rng));
    }

    pub fn worn(&self) -> &[Trait] {
        self.player.as_ref().map_or(&[], Player::worn)
    }

    /// The character centered on the origin, fitting into a box.
    pub fn figure(&self, width: f32, height: f32, style: &Style) -> Figure {
        self.player.as_ref().map_or_else(
            || Figure::of(Vec::new()),
            |player| player.figure(width, height * 0.9, style),
        )
    }
}

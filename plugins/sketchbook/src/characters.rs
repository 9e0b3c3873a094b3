//! Characters: a fixed drawing with fixed traits, chosen from the character's seed, name and description.

use crate::art::Drawings;
use crate::cast::Actor;
use crate::catalog::entry;
use crate::figure::Figure;
use crate::figure::features::{self, Named};
use crate::figure::traits::{Place, Trait};
use crate::player::{Player, shows};
use crate::style::Style;
use crate::words::{Possessions, Subject, Wish, is_animate};
use fastrand::Rng;
use linepress_plugin_sdk::v1::image::Character;

/// The appearance of a character, the same on every page.
#[derive(Debug)]
pub struct Portrait {
    pub name: String,
    pub label: String,
    /// True if neither the description nor the name contains a known species, so that another animal replaces it.
    pub is_stand_in: bool,
    /// Nouns of the description without a drawing.
    pub unknown: Vec<String>,
    /// The words for the features that the drawing of the character does not show.
    pub unshown: Vec<String>,
    player: Option<Player>,
}

/// Animals for characters whose description and name do not name a known species.
const STAND_INS: &[&str] = &[
    "fox", "bear", "rabbit", "cat", "dog", "mouse", "panda", "koala", "frog", "lion", "owl", "tiger",
];

impl Portrait {
    pub fn for_character(character: &Character, style: &Style) -> Self {
        // The seed depends on the character alone, so that it looks the same on every page.
        let seed = mixed_seed(
            character.seed,
            &format!("{}\n{}", character.name, character.description),
        );
        let mut rng = Rng::with_seed(seed);
        // "Lily, a brave girl" is not a flower; yet a character may be a flower if nothing animate is named.
        let living = |text: &str| {
            let subjects = Wish::read(text).subjects;
            let plant = |subject: &&Subject| {
                let drawing = Drawings::get().with_label(&subject.label).next();
                drawing.is_some_and(|drawing| drawing.group == 3)
            };
            let animate = subjects.iter().find(|subject| is_animate(&subject.label));
            animate.or_else(|| subjects.iter().find(plant)).cloned()
        };
        let stand_in = STAND_INS[rng.usize(0..STAND_INS.len())];
        let named = living(&character.description).or_else(|| living(&character.name));
        let is_stand_in = named.is_none();
        let usual = named.as_ref().map_or(&[][..], |subject| &subject.usual.worn);
        let outfit = named.as_ref().and_then(|subject| subject.usual.outfit);
        let text = format!("{}\n{}", character.description, character.style);
        let mut traits = Trait::chosen(&text, usual, &mut rng);
        let label = named.map_or_else(|| stand_in.to_string(), |subject| subject.label);
        // The character chooses its own design, the same in all books.
        let own = Style {
            in_book: false,
            ..*style
        };
        let actor = Actor::with_hands(&label, &own, &mut rng);
        if entry(&label).is_some_and(|entry| entry.headwear) {
            traits.retain(|item| item.place() != Place::Head);
        }
        let player = actor.map(|actor| Player::new(&label, actor).with_skin(seed >> 11).with_number(seed >> 21));
        let features = features_of(&text, &label);
        let player = player.map(|player| player.dressed_as(outfit).with_hair(&text).wearing(&traits));
        let player = player.map(|player| player.featured(&features));
        Self {
            name: character.name.clone(),
            is_stand_in,
            unknown: unknown_of(&character.description, &features),
            unshown: unshown_of(&features, &label),
            label,
            player,
        }
    }

    /// Gives the character what it holds and wears on one page, and its posture.
    pub fn take(&mut self, has: &Possessions, style: &Style, seed: u64) {
        let mut rng = Rng::with_seed(seed);
        let player = self.player.take();
        let features = suitable(&has.features, &self.label);
        self.unshown.extend(unshown_of(&features, &self.label));
        self.player = player.map(|player| {
            let player = player.redressed(has).featured(&features).posed(has);
            player.holding(has, style, &mut rng)
        });
    }

    pub fn worn(&self) -> &[Trait] {
        self.player.as_ref().map_or(&[], Player::worn)
    }

    pub fn player(&self) -> Option<&Player> {
        self.player.as_ref()
    }

    pub fn actor(&self) -> Option<&Actor> {
        self.player.as_ref().map(Player::actor)
    }

    /// Returns the character's figure, centered on the origin and fitted into a box.
    pub fn figure(&self, width: f32, height: f32, style: &Style) -> Figure {
        self.player.as_ref().map_or_else(
            || Figure::from_layers(Vec::new()),
            |player| player.figure(width, height * 0.9, style),
        )
    }
}

/// Returns the features that a description names and a subject with the label can have.
fn features_of(text: &str, label: &str) -> Vec<Named> {
    suitable(&features::read(text), label)
}

fn suitable(features: &[Named], label: &str) -> Vec<Named> {
    let suits = |named: &&Named| named.feature.suits(label);
    features.iter().filter(suits).cloned().collect()
}

/// Returns the words of the features that the drawings of the label do not show.
fn unshown_of(features: &[Named], label: &str) -> Vec<String> {
    let unshown = features.iter().filter(|named| !shows(label, named.feature));
    unshown.map(|named| named.words.clone()).collect()
}

/// Returns the nouns of a description without a drawing that are not a part of a feature.
fn unknown_of(description: &str, features: &[Named]) -> Vec<String> {
    let mut unknown = Wish::read(description).unknown;
    let is_part = |word: &String| {
        features
            .iter()
            .any(|named| named.words.split(' ').any(|part| part == word))
    };
    unknown.retain(|word| !is_part(word));
    unknown
}

/// Returns the FNV-1a hash of the text, starting from the seed. The hash is the same on every machine, so that equal
/// requests give equal drawings.
pub fn mixed_seed(seed: u64, text: &str) -> u64 {
    let start = 0xcbf2_9ce4_8422_2325 ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    text.bytes().fold(start, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

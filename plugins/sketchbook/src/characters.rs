//! Characters: a fixed drawing with fixed traits, chosen once from what the character is.

use fastrand::Rng;
use linepress_plugin_sdk::image::Character;
use tiny_skia::Rect;

use crate::art::Catalog;
use crate::brief::mix;
use crate::cast::Actor;
use crate::figure::Figure;
use crate::figure::traits::{Trait, wear};
use crate::style::Style;
use crate::words::{Wish, tokens};

/// A character as it looks on every page.
#[derive(Debug)]
pub struct Portrait {
    pub label: String,
    actor: Option<Actor>,
    traits: Vec<Trait>,
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
        let living = |text: &str| {
            let catalog = Catalog::get();
            Wish::read(text)
                .subjects
                .into_iter()
                .map(|subject| subject.label)
                .find(|label| {
                    catalog
                        .of(label)
                        .next()
                        .is_some_and(|drawing| matches!(drawing.group, 0 | 1 | 3))
                        || *label == "robot"
                        || *label == "teddy bear"
                })
        };
        let stand_in = STAND_INS[rng.usize(0..STAND_INS.len())];
        let label = living(&character.description)
            .or_else(|| living(&character.name))
            .unwrap_or_else(|| stand_in.to_string());
        let actor = Actor::as_character(&label, style, &mut rng);
        let mut traits = Trait::chosen(&tokens(&character.description), &mut rng);
        if HATTED.contains(&label.as_str()) {
            traits.retain(|item| !item.on_head());
            if traits.is_empty() {
                traits.push(Trait::BowTie);
            }
        }
        Self { label, actor, traits }
    }

    /// The character centered on the origin, fitting into a box.
    pub fn figure(&self, width: f32, height: f32, style: &Style) -> Figure {
        let Some(actor) = &self.actor else {
            return Figure::of(Vec::new());
        };
        let mut figure = actor.figure(width, height * 0.9, style);
        for item in &self.traits {
            wear(&mut figure, *item);
        }
        let bounds = figure.bounds();
        let center = center(&bounds);
        let scale = (height / bounds.height()).min(width / bounds.width()).min(1.0);
        figure.transformed(tiny_skia::Transform::from_translate(-center.0, -center.1).post_scale(scale, scale))
    }
}

fn center(bounds: &Rect) -> (f32, f32) {
    (
        (bounds.left() + bounds.right()) / 2.0,
        (bounds.top() + bounds.bottom()) / 2.0,
    )
}

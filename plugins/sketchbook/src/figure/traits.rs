//! Traits, the items that a subject wears: hats, bows, scarves, glasses, a badge.

use fastrand::Rng;
use tiny_skia::Transform;

use super::attire::Attire;
use super::landmarks::{Crown, Landmarks};
use super::{Figure, Layer, eyewear, hats, neckwear};
use crate::color::Rgb;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trait {
    PartyHat,
    TopHat,
    Crown,
    Beanie,
    Cap,
    SunHat,
    WizardHat,
    PirateHat,
    ChefHat,
    Helmet,
    Headphones,
    Flower,
    Bow,
    /// A knot of hair on the top of the head.
    Bun,
    Scarf,
    Bandana,
    BowTie,
    Necktie,
    Necklace,
    /// The collar of an animal.
    Collar,
    Badge,
    Cape,
    /// Only people whose entry in the catalog says so can have one, as an outfit.
    LabCoat,
    Glasses,
    Sunglasses,
    Monocle,
    EyePatch,
}

/// The part of the body on which a trait is worn. Each part has at most one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Head,
    Neck,
    Back,
    Eyes,
}

impl Place {
    pub const ALL: [Self; 4] = [Self::Head, Self::Neck, Self::Back, Self::Eyes];
}

/// Traits to choose from for characters without a description.
const SEEDED: [&[Trait]; 2] = [
    &[
        Trait::PartyHat,
        Trait::TopHat,
        Trait::Crown,
        Trait::Beanie,
        Trait::Flower,
        Trait::Bow,
    ],
    &[Trait::Scarf, Trait::BowTie, Trait::Badge],
];

impl Trait {
    pub const fn place(self) -> Place {
        match self {
            Self::Scarf
            | Self::Bandana
            | Self::BowTie
            | Self::Necktie
            | Self::Necklace
            | Self::Collar
            | Self::Badge => Place::Neck,
            Self::Cape | Self::LabCoat => Place::Back,
            Self::Glasses | Self::Sunglasses | Self::Monocle | Self::EyePatch => Place::Eyes,
            _ => Place::Head,
        }
    }

    /// Returns true for a hat that hides the top of the head.
    pub fn covers_hair(self) -> bool {
        let is_small = matches!(
            self,
            Self::Crown | Self::Headphones | Self::Flower | Self::Bow | Self::Bun
        );
        self.place() == Place::Head && !is_small
    }

    /// Returns the colors of the item, which its parts have in turn.
    const fn colors(self) -> [Rgb; 3] {
        let values = match self {
            Self::PartyHat => [0xff_5fa0, 0xff_d23f, 0x3f_b5f0],
            Self::TopHat => [0x5b_3fa8, 0xff_c83f, 0x5b_3fa8],
            Self::Crown => [0xff_c92e, 0xf0_4f6b, 0x3f_a5f0],
            Self::Beanie => [0xf0_4f4f, 0xff_f4e0, 0xf0_4f4f],
            Self::Cap => [0x2f_7fe8, 0x1f_5fc0, 0xff_d23f],
            Self::SunHat => [0xf2_d28a, 0xff_6f91, 0xf2_d28a],
            Self::WizardHat => [0x6b_46d0, 0xff_d84f, 0x6b_46d0],
            Self::PirateHat => [0x4a_4468, 0xff_ffff, 0xff_c83f],
            Self::ChefHat | Self::LabCoat => [0xff_ffff, 0xe6_eef6, 0xff_ffff],
            Self::Helmet => [0xff_b52e, 0xf0_8a1f, 0xff_ffff],
            Self::Headphones => [0x5a_5f78, 0xf0_4f6b, 0xf0_4f6b],
            Self::Flower => [0xff_6fa8, 0xff_d23f, 0xff_6fa8],
            Self::Bow | Self::Bandana | Self::Scarf => [0xf0_3f5f, 0xff_5f78, 0xd8_2f50],
            Self::Bun => [0x6b_4632, 0x6b_4632, 0x6b_4632],
            Self::BowTie | Self::Necktie => [0x2f_6fe0, 0x1f_56c0, 0x2f_6fe0],
            Self::Necklace | Self::Badge => [0xff_d23f, 0xff_f0a0, 0xff_d23f],
            Self::Cape | Self::Collar => [0xe0_3048, 0xff_c83f, 0xe0_3048],
            Self::Glasses | Self::Monocle => [0xd8_f1ff, 0xd8_f1ff, 0xd8_f1ff],
            Self::Sunglasses | Self::EyePatch => [0x4a_4468, 0x4a_4468, 0x4a_4468],
        };
        [Rgb::hex(values[0]), Rgb::hex(values[1]), Rgb::hex(values[2])]
    }

    fn paint(self, layers: &mut [Layer]) {
        let fills = layers
            .iter_mut()
            .filter(|layer| layer.fill.is_some() && layer.color.is_none());
        for (layer, color) in fills.zip(self.colors().into_iter().cycle()) {
            layer.color = Some(color);
        }
    }

    /// Returns the traits that the text names, then the usual traits of the subject's role. Without a text, returns one
    /// chosen by the seed: one trait is enough to recognize a character, and two would clutter the drawing. A character
    /// that is described gets nothing that its description does not name.
    pub fn chosen(text: &str, usual: &[Self], rng: &mut Rng) -> Vec<Self> {
        let mut attire = Attire::read(text);
        for item in usual {
            let free = !attire.worn.iter().any(|known| known.place() == item.place());
            if free && attire.allows(*item) {
                attire.worn.push(*item);
            }
        }
        let seeded = SEEDED.map(|items| items[rng.usize(0..items.len())]);
        let first = rng.usize(0..2);
        if attire.worn.is_empty() && text.trim().is_empty() {
            return vec![seeded[first]];
        }
        attire.worn
    }
}

/// Puts an item on a figure.
pub fn wear(figure: &mut Figure, item: Trait, landmarks: &Landmarks) {
    let crown = &landmarks.crown;
    if item == Trait::Bun {
        // The bun is drawn behind the head.
        let mut knot = hats::bun(crown.top.0, crown.top.1, crown.width * 0.2);
        item.paint(&mut knot);
        figure.put_behind(knot);
        return;
    }
    let below_chin = match item {
        Trait::Collar => Some(neckwear::COLLAR),
        Trait::Necklace => Some(neckwear::NECKLACE),
        _ => None,
    };
    if let Some(sag) = below_chin.filter(|_| figure.anchors.face.is_some()) {
        // The landmarks of a procedural body have its chin at the hands.
        let mut band = neckwear::band_below_chin(landmarks.hand.at, landmarks.hand.unit, sag);
        item.paint(&mut band);
        figure.put_below_face(band);
        return;
    }
    if let Some(neck) = &landmarks.neck {
        let mut layers = match item {
            Trait::Scarf => neckwear::scarf(neck),
            Trait::Bandana => neckwear::bandana(neck),
            Trait::BowTie => neckwear::bow_tie(neck),
            Trait::Necktie => neckwear::necktie(neck),
            Trait::Necklace | Trait::Collar => neckwear::necklace(neck),
            Trait::Badge => neckwear::badge(neck),
            Trait::Cape => {
                let bounds = figure.bounds();
                let floor = bounds.bottom() - bounds.height() * 0.1;
                let reach = neck.half() * 1.9;
                let mut cape = neckwear::cape(neck, floor, reach);
                item.paint(&mut cape);
                figure.put_behind(cape);
                neckwear::clasp(neck)
            }
            _ => Vec::new(),
        };
        item.paint(&mut layers);
        figure.layers.extend(layers);
    }
    let mut layers = match item.place() {
        Place::Head => on_head(item, crown),
        Place::Eyes => match item {
            Trait::Glasses => eyewear::glasses(&landmarks.eyes, crown),
            Trait::Sunglasses => eyewear::sunglasses(&landmarks.eyes, crown),
            Trait::Monocle => eyewear::monocle(&landmarks.eyes, crown),
            _ => eyewear::eye_patch(&landmarks.eyes, crown),
        },
        // A figure without a neck has no place for the item.
        Place::Neck | Place::Back => Vec::new(),
    };
    item.paint(&mut layers);
    figure.layers.extend(layers);
}

fn on_head(item: Trait, crown: &Crown) -> Vec<Layer> {
    let ((x, top), size) = (crown.top, crown.width);
    let tilted = |layers: Vec<Layer>| {
        Figure::from_layers(layers)
            .transformed(
                Transform::from_translate(-x, -top)
                    .post_scale(crown.facing, 1.0)
                    .post_rotate(crown.tilt)
                    .post_translate(x, top),
            )
            .layers
    };
    tilted(match item {
        Trait::PartyHat => hats::party_hat(x, top + size * 0.05, size * 0.44),
        Trait::TopHat => hats::top_hat(x, top + size * 0.05, size * 0.44),
        Trait::Crown => hats::crown(x, top + size * 0.08, size * 0.46),
        Trait::Beanie => hats::beanie(x, top + size * 0.12, size * 0.56),
        Trait::Cap => hats::cap(x, top + size * 0.12, size * 0.58),
        Trait::SunHat => hats::sun_hat(x, top + size * 0.08, size * 0.7),
        Trait::WizardHat => hats::wizard_hat(x, top + size * 0.07, size * 0.56),
        Trait::PirateHat => hats::pirate_hat(x, top + size * 0.08, size * 0.62),
        Trait::ChefHat => hats::chef_hat(x, top + size * 0.06, size * 0.5),
        Trait::Helmet => hats::helmet(x, top + size * 0.14, size * 0.64),
        Trait::Headphones => hats::headphones(x, top, size * 0.92),
        Trait::Flower => hats::flower(x + size * 0.26, top + size * 0.08, size * 0.17),
        Trait::Bow => hats::bow(x + size * 0.24, top + size * 0.05, size * 0.2),
        _ => Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seeded_trait_is_chosen_only_without_a_description() {
        for seed in 0..40 {
            let chosen = |text: &str| Trait::chosen(text, &[], &mut Rng::with_seed(seed));
            assert_eq!(chosen("a fox with a scarf"), [Trait::Scarf]);
            assert_eq!(chosen("a fox with a scarf and glasses").len(), 2);
            assert_eq!(chosen("\n").len(), 1);
            assert_eq!(chosen(""), chosen(""));
            assert!(chosen("a clever fox").is_empty());
            assert!(chosen("a fox without accessories").is_empty());
        }
    }
}

//! Settings: the places a scene can be set in, with the words that name them, their ground and sky, and their fillers.

mod places;
mod stars;

use places::SETTINGS;

use crate::catalog::{entry, same};

/// The ground, water or air in which the subjects are placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ground {
    Hills,
    Farmland,
    Garden,
    Peaks,
    Snow,
    Dunes,
    Jungle,
    Street,
    Shore,
    OpenSea,
    Pond,
    /// A pond behind the ground on which the subjects are.
    Lakeside,
    Seabed,
    Craters,
    Clouds,
    Room,
    Stage,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sky {
    Day,
    Night,
    Rain,
    Snowfall,
    Space,
    Water,
    Party,
    Wall,
}

/// One place. The lists of fillers are labels of the catalog.
#[derive(Debug)]
pub struct Setting {
    pub name: &'static str,
    /// Words that name this place.
    pub words: &'static [&'static str],
    pub ground: Ground,
    pub sky: Sky,
    /// Fillers in the distance, on the horizon.
    pub far: &'static [&'static str],
    /// Fillers on the ground around the subjects.
    pub near: &'static [&'static str],
    /// Fillers in the air, or in the water above the subjects.
    pub air: &'static [&'static str],
}

/// Words that name a place in a prompt even if the catalog has a drawing with that label.
const ONLY_A_PLACE: &[&str] = &[
    "wood",
    "woods",
    "beach",
    "desert",
    "camping",
    "school",
    "park",
    "home",
    "field",
    "stars",
    "dinosaurs",
    "island",
    "station",
    "cave",
    "pool",
    "hay",
    "trail",
    "road",
    "tropical",
    "show",
    "race",
    "construction",
    "table",
    "room",
    "waves",
    "race",
    "royal",
    "shop",
    "sand",
    "sail",
    "stage",
    "square",
];

/// Words for furniture and meals, whose setting holds only if the prompt names no place.
const INFERRED: &[&str] = &["table", "counter", "feast", "tea party"];

/// Words for a season, an occasion or a mood, which name a setting but no place.
const OCCASIONS: &[&str] = &[
    "ancient",
    "enchanted",
    "fairy tale",
    "fairytale",
    "magic",
    "magical",
    "medieval",
    "royal",
    "spring",
    "springtime",
    "summer",
    "winter",
];

impl Setting {
    /// Returns true if the words only suggest the setting: "at a table" is a kitchen, but "at a table in a forest" is not.
    pub fn is_only_suggested_by(words: &str) -> bool {
        INFERRED.contains(&words)
    }

    /// Returns true if the words name the setting as a place, and not as a season or an occasion.
    pub fn is_a_place(&self, words: &str) -> bool {
        let is_occasion = matches!(
            self.name,
            "night" | "rain" | "autumn" | "christmas" | "halloween" | "party"
        );
        !is_occasion && !OCCASIONS.contains(&words) && !Self::is_only_suggested_by(words)
    }

    /// Returns true if a scene in `place` shows this setting, or if a reader misses nothing of it.
    pub fn is_part_of(&self, place: &Setting) -> bool {
        let is_unmissed = match self.ground {
            Ground::Hills | Ground::Garden | Ground::Farmland => place.ground != Ground::Room,
            Ground::Clouds | Ground::Stage => true,
            Ground::OpenSea | Ground::Shore => matches!(place.ground, Ground::Shore | Ground::Seabed),
            Ground::Snow => place.sky == Sky::Snowfall,
            _ => false,
        };
        is_unmissed || self.ground == place.ground
    }

    pub fn named(word: &str) -> Option<&'static Setting> {
        SETTINGS.iter().find(|setting| setting.words.contains(&word))
    }

    pub fn only_a_place(word: &str) -> bool {
        ONLY_A_PLACE.contains(&word) && word != "dinosaurs"
    }
}

/// Returns true if a setting has the name, at build time.
pub(crate) const fn is_setting(name: &str) -> bool {
    let mut at = 0;
    while at < SETTINGS.len() {
        if same(SETTINGS[at].name, name) {
            return true;
        }
        at += 1;
    }
    false
}

/// Returns the name of the setting in which a subject is shown if the prompt names no place.
pub fn habitat(label: &str, group: u8) -> &'static str {
    entry(label).and_then(|entry| entry.habitat).unwrap_or(match group {
        4 => "kitchen",
        6 | 7 => "room",
        _ => "meadow",
    })
}

#[cfg(test)]
mod tests {
    use super::SETTINGS;
    use crate::art::Drawings;

    #[test]
    fn every_filler_is_in_the_catalog() {
        let catalog = Drawings::get();
        for setting in SETTINGS {
            let fillers = setting.far.iter().chain(setting.near).chain(setting.air);
            for label in fillers.chain(setting.stars()) {
                assert!(catalog.has(label), "{}: {label}", setting.name);
            }
        }
    }
}

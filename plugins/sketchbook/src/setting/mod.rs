//! Settings: the places a scene can be set in, with the words that name them, their ground and sky, and their fillers.

mod habitats;
mod places;

pub use habitats::habitat;
use places::SETTINGS;

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

impl Setting {
    pub fn named(word: &str) -> Option<&'static Setting> {
        SETTINGS.iter().find(|setting| setting.words.contains(&word))
    }

    pub fn only_a_place(word: &str) -> bool {
        ONLY_A_PLACE.contains(&word) && word != "dinosaurs"
    }
}

#[cfg(test)]
mod tests {
    use super::SETTINGS;
    use crate::art::Catalog;

    #[test]
    fn every_subject_with_a_habitat_is_in_the_catalog() {
        for (place, labels) in super::habitats::HABITATS {
            assert!(super::Setting::named(place).is_some(), "{place}");
            let lost: Vec<_> = labels.iter().filter(|label| !Catalog::get().has(label)).collect();
            assert!(lost.is_empty(), "{place}: {lost:?}");
        }
    }

    #[test]
    fn every_filler_is_in_the_catalog() {
        let catalog = Catalog::get();
        for setting in SETTINGS {
            for label in setting.far.iter().chain(setting.near).chain(setting.air) {
                assert!(catalog.has(label), "{}: {label}", setting.name);
            }
        }
    }
}

//! Places a scene can be set in: which words mean them, what their ground and sky are, what stands around.

mod habitats;
mod places;

pub use habitats::habitat;
use places::SETTINGS;

/// What the subjects stand, swim or fly in.
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

/// One place. The lists are labels of the catalog.
#[derive(Debug)]
pub struct Setting {
    pub name: &'static str,
    /// Words that mean this place.
    pub words: &'static [&'static str],
    pub ground: Ground,
    pub sky: Sky,
    /// In the distance, on the horizon.
    pub far: &'static [&'static str],
    /// Around the feet of the subjects.
    pub near: &'static [&'static str],
    /// In the air, or in the water above.
    pub air: &'static [&'static str],
}

/// Words that are a place in a prompt even where the catalog has a drawing of that name.
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
    fn every_subject_at_home_somewhere_is_in_the_catalog() {
        for (place, labels) in super::habitats::HABITATS {
            assert!(super::Setting::named(place).is_some(), "{place}");
            let lost: Vec<_> = labels.iter().filter(|label| !Catalog::get().has(label)).collect();
            assert!(lost.is_empty(), "{place}: {lost:?}");
        }
    }

    #[test]
    fn everything_that_stands_around_is_in_the_catalog() {
        let catalog = Catalog::get();
        for setting in SETTINGS {
            for label in setting.far.iter().chain(setting.near).chain(setting.air) {
                assert!(catalog.has(label), "{}: {label}", setting.name);
            }
        }
    }
}

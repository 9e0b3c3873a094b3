//! Worlds: the curated vocabularies that books are made from, one file each in `worlds/`.

use std::sync::LazyLock;

use serde::Deserialize;

/// The files of all worlds. A theme that does not select a world uses [`ANYWHERE`].
const SOURCES: &[&str] = &[
    include_str!("worlds/animals.toml"),
    include_str!("worlds/anywhere.toml"),
    include_str!("worlds/arctic.toml"),
    include_str!("worlds/autumn.toml"),
    include_str!("worlds/barber.toml"),
    include_str!("worlds/beach.toml"),
    include_str!("worlds/bedtime.toml"),
    include_str!("worlds/bees.toml"),
    include_str!("worlds/birds.toml"),
    include_str!("worlds/camping.toml"),
    include_str!("worlds/castle.toml"),
    include_str!("worlds/christmas.toml"),
    include_str!("worlds/circus.toml"),
    include_str!("worlds/city.toml"),
    include_str!("worlds/computers.toml"),
    include_str!("worlds/crafts.toml"),
    include_str!("worlds/desert.toml"),
    include_str!("worlds/dinosaurs.toml"),
    include_str!("worlds/easter.toml"),
    include_str!("worlds/fantasy.toml"),
    include_str!("worlds/farm.toml"),
    include_str!("worlds/fashion.toml"),
    include_str!("worlds/food.toml"),
    include_str!("worlds/forest.toml"),
    include_str!("worlds/friendship.toml"),
    include_str!("worlds/garden.toml"),
    include_str!("worlds/halloween.toml"),
    include_str!("worlds/heroes.toml"),
    include_str!("worlds/insects.toml"),
    include_str!("worlds/jungle.toml"),
    include_str!("worlds/lake.toml"),
    include_str!("worlds/lights.toml"),
    include_str!("worlds/lunar.toml"),
    include_str!("worlds/market.toml"),
    include_str!("worlds/music.toml"),
    include_str!("worlds/ocean.toml"),
    include_str!("worlds/park.toml"),
    include_str!("worlds/party.toml"),
    include_str!("worlds/patterns.toml"),
    include_str!("worlds/pets.toml"),
    include_str!("worlds/pirates.toml"),
    include_str!("worlds/post.toml"),
    include_str!("worlds/robots.toml"),
    include_str!("worlds/safari.toml"),
    include_str!("worlds/school.toml"),
    include_str!("worlds/science.toml"),
    include_str!("worlds/space.toml"),
    include_str!("worlds/sports.toml"),
    include_str!("worlds/tea.toml"),
    include_str!("worlds/vehicles.toml"),
    include_str!("worlds/weather.toml"),
    include_str!("worlds/winter.toml"),
];

/// The world for a theme that does not select another.
pub(crate) const ANYWHERE: &str = "anywhere";

/// The kind of a subject.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
    Animal,
    Bird,
    Fish,
    Insect,
    Person,
    Vehicle,
    Aircraft,
    Thing,
    Sky,
    Place,
}

impl Kind {
    /// Returns true if the kind can act, such as greet, read or carry.
    pub(crate) fn is_animate(self) -> bool {
        matches!(
            self,
            Self::Animal | Self::Bird | Self::Fish | Self::Insect | Self::Person
        )
    }

    /// Returns true for animals and other animate kinds except people.
    pub(crate) fn is_creature(self) -> bool {
        self.is_animate() && self != Self::Person
    }
}

/// One vocabulary: the subjects, props, places and times of day of its pages.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct World {
    pub name: String,
    /// The adjective of the world: "woodland" in "woodland scenes".
    pub about: String,
    /// Words of a theme that select this world.
    pub keywords: Vec<String>,
    /// Words that suggest this world to a theme that names no place: "summer" is at the beach, but not in "summer in
    /// the forest".
    #[serde(default)]
    pub hints: Vec<String>,
    /// Titles for books whose request has no title.
    pub titles: Vec<String>,
    pub backdrops: Vec<String>,
    pub places: Vec<String>,
    pub props: Vec<String>,
    pub companions: Vec<String>,
    /// Motifs of patterns, in the plural.
    pub motifs: Vec<String>,
    /// Times of day from the first page to the last. Empty for worlds where the time of day is not visible.
    #[serde(default = "day")]
    pub lights: Vec<String>,
    /// True if the pages are ornaments rather than scenes.
    #[serde(default)]
    pub patterns: bool,
    /// True if the keywords select the world only if no other world is selected: "friends" fit everywhere.
    #[serde(default)]
    pub soft: bool,
    /// True for an occasion, whose heroes live in other worlds: a fox at a party still lives in the forest.
    #[serde(default)]
    pub occasion: bool,
    /// True for an occasion that takes place in other worlds, such as a party in the forest.
    #[serde(default)]
    pub event: bool,
    #[serde(rename = "cast")]
    pub casts: Vec<Cast>,
}

/// Heroes of one kind, with their activities.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Cast {
    pub kind: Kind,
    pub heroes: Vec<String>,
    pub activities: Vec<String>,
    /// Places for these heroes, if the places of the world do not suit them.
    #[serde(default)]
    pub places: Vec<String>,
}

fn day() -> Vec<String> {
    [
        "at sunrise",
        "on a sunny morning",
        "on a bright day",
        "on a breezy afternoon",
        "at sunset",
        "under the stars",
    ]
    .map(str::to_owned)
    .to_vec()
}

/// Returns all worlds, which are read once.
pub(crate) fn all() -> &'static [World] {
    static ALL: LazyLock<Vec<World>> = LazyLock::new(read);
    &ALL
}

fn read() -> Vec<World> {
    SOURCES
        .iter()
        .map(|source| toml::from_str(source).expect("the files of the worlds are well-formed"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_file_in_the_folder_is_a_world() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/worlds");
        assert_eq!(std::fs::read_dir(folder).unwrap().count(), SOURCES.len());
        for source in SOURCES {
            toml::from_str::<World>(source).unwrap_or_else(|error| panic!("{error}\n{source}"));
        }
    }

    #[test]
    fn every_world_has_enough_entries() {
        for world in all() {
            let name = &world.name;
            assert!(world.places.len() >= 4, "{name}: places");
            assert!(world.props.len() >= 8, "{name}: props");
            assert!(world.companions.len() >= 7, "{name}: companions");
            assert!(world.motifs.len() >= 6, "{name}: motifs");
            assert!(world.titles.len() >= 4, "{name}: titles");
            let heroes: Vec<_> = world.casts.iter().flat_map(|cast| &cast.heroes).collect();
            assert!(heroes.len() >= 8, "{name}: heroes");
        }
    }

    #[test]
    fn no_world_repeats_itself() {
        for world in all() {
            let casts = world
                .casts
                .iter()
                .flat_map(|cast| [&cast.heroes, &cast.activities, &cast.places]);
            for words in casts.chain([
                &world.keywords,
                &world.hints,
                &world.places,
                &world.props,
                &world.companions,
                &world.motifs,
            ]) {
                let distinct: HashSet<_> = words.iter().collect();
                assert_eq!(distinct.len(), words.len(), "{}: {words:?}", world.name);
            }
        }
    }

    #[test]
    fn places_are_phrases_that_start_with_a_preposition() {
        const PREPOSITIONS: &[&str] = &[
            "above", "among", "at", "behind", "below", "beside", "between", "by", "framed", "in", "inside", "near",
            "next", "on", "over", "under", "within",
        ];
        for world in all() {
            for place in world
                .places
                .iter()
                .chain(&world.backdrops)
                .chain(world.casts.iter().flat_map(|cast| &cast.places))
            {
                let first = place.split(' ').next().unwrap();
                assert!(PREPOSITIONS.contains(&first), "{}: {place}", world.name);
            }
        }
    }
}

//! Terrains: the ground, water or room that a phrase names, so that no prompt sets a kitchen on a forest path.

use crate::words::stems;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Terrain {
    Indoors,
    Wild,
    Height,
    Water,
    Sea,
    Snow,
    Town,
    Sky,
}

/// The words and phrases that name a terrain, in the singular.
const NAMED: &[(Terrain, &[&str])] = &[
    (
        Terrain::Indoors,
        &[
            "bathtub",
            "bedroom",
            "blackboard",
            "bookshelf",
            "chalkboard",
            "classroom",
            "comfy bed",
            "dance floor",
            "disco ball",
            "kitchen",
            "lab",
            "laboratory",
            "piano",
            "room",
            "rug",
            "sofa",
            "soft bed",
            "window",
            "workshop",
        ],
    ),
    (
        Terrain::Wild,
        &[
            "backyard",
            "clearing",
            "countryside",
            "farmyard",
            "field",
            "forest",
            "garden",
            "grass",
            "jungle",
            "meadow",
            "orchard",
            "park",
            "patch",
            "path",
            "rainforest",
            "savanna",
            "vine",
        ],
    ),
    (
        Terrain::Height,
        &["canyon", "cliff", "hill", "mountain", "trail", "volcano"],
    ),
    (
        Terrain::Water,
        &[
            "canoe",
            "lake",
            "pond",
            "pool",
            "river",
            "riverbank",
            "stream",
            "waterfall",
        ],
    ),
    (
        Terrain::Sea,
        &[
            "beach", "coral", "island", "ocean", "reef", "sea", "seabed", "seaside", "shore",
        ],
    ),
    (
        Terrain::Snow,
        &[
            "arctic",
            "frosty",
            "frozen",
            "on the ice",
            "icy",
            "igloo",
            "snow",
            "snowy",
            "snowman",
        ],
    ),
    (
        Terrain::Town,
        &["city", "crossing", "road", "street", "town", "traffic light", "village"],
    ),
    (
        Terrain::Sky,
        &["on a crescent moon", "on a fluffy cloud", "in the cloud"],
    ),
];

/// Buildings, which are a room only for what is inside them.
const BUILDINGS: &[&str] = &["bakery", "house", "kindergarten", "library", "school"];

/// Pairs of different terrains that one picture can show.
const TOGETHER: &[(Terrain, Terrain)] = &[
    (Terrain::Wild, Terrain::Height),
    (Terrain::Wild, Terrain::Water),
    (Terrain::Wild, Terrain::Snow),
    (Terrain::Height, Terrain::Snow),
    (Terrain::Height, Terrain::Town),
    (Terrain::Water, Terrain::Snow),
    (Terrain::Water, Terrain::Town),
    (Terrain::Snow, Terrain::Sea),
    (Terrain::Snow, Terrain::Town),
];

/// Returns true if one picture can show both phrases. A phrase that names no terrain, such as "beside a teapot", fits
/// everywhere.
pub(crate) fn agree(one: &str, other: &str) -> bool {
    let others = terrains(other);
    terrains(one)
        .iter()
        .all(|terrain| others.iter().all(|other| fit(*terrain, *other)))
}

fn fit(one: Terrain, other: Terrain) -> bool {
    one == other || TOGETHER.contains(&(one, other)) || TOGETHER.contains(&(other, one))
}

fn terrains(phrase: &str) -> Vec<Terrain> {
    let words: Vec<String> = stems(phrase).collect();
    let names = |name: &str| {
        let mut windows = words.windows(name.split(' ').count());
        windows.any(|window| window.iter().eq(name.split(' ')))
    };
    let inside = matches!(words.first().map(String::as_str), Some("at" | "in" | "inside")) && !names("in front");
    let in_building = inside && BUILDINGS.iter().any(|building| names(building));
    let named = NAMED.iter().filter(|(_, words)| words.iter().any(|word| names(word)));
    let named = named.map(|(terrain, _)| *terrain);
    named.chain(in_building.then_some(Terrain::Indoors)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_and_a_backdrop_are_of_one_picture() {
        for (place, backdrop, expected) in [
            ("on a leafy path", "in a quiet forest", true),
            ("on a leafy path", "in a sunny kitchen", false),
            ("at the foot of a hill", "in a little bakery", false),
            ("in front of a bakery", "on a friendly street", true),
            ("next to a wooden canoe", "on a mountain trail", false),
            ("next to a wooden canoe", "by a quiet lake", true),
            ("by a still pond", "in a quiet forest", true),
            ("beside a teapot", "in a quiet forest", true),
            ("beside a teapot", "in a sunny kitchen", true),
            ("on a dance floor", "at a garden party", false),
            ("under a palm tree", "in the snow", true),
            ("on a flower bed", "in a sunny garden", true),
            ("on a soft bed", "in a sunny garden", false),
            ("on a fluffy cloud", "in a cozy bedroom", false),
            ("near a little house", "in a green meadow", true),
        ] {
            assert_eq!(agree(place, backdrop), expected, "{place} {backdrop}");
            assert_eq!(agree(backdrop, place), expected, "{backdrop} {place}");
        }
    }

    #[test]
    fn a_backdrop_of_the_world_suits_each_place() {
        for world in crate::world::all() {
            for place in &world.places {
                let suits = world.backdrops.iter().any(|backdrop| agree(place, backdrop));
                assert!(suits, "{}: no backdrop suits {place:?}", world.name);
            }
        }
    }
}

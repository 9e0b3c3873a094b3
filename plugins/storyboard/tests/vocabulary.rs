//! The vocabulary of the worlds, compared with the drawings of the offline image provider.

use std::collections::BTreeSet;
use std::fs;

use serde::Deserialize;
use sketchbook::words::undrawn;

/// Words of the worlds for qualities, quantities and positions, and for scenery that every backdrop has.
const QUALITIES: &str = "\
    african blade blooming blossoming bubbling button checkered clear comfy corner crooked day easter edge end falling fence \
    fishing floating foot fruit future golden green hanging heap heavy hollow landed line morning necked one palm petal picket \
    pile reading record red rising round row rug safety shady shining shopping slice smoking sparkling stack still string striped \
    swimming three top toy two weight white wicker winding window wooden";

/// The verbs of activities whose picture follows from the subject and the object alone: the subject holds, wears or
/// reads the object, or is next to it. No drawing shows a subject that skates, digs or jumps.
const SHOWN_VERBS: &[&str] = &[
    "carry", "catch", "drink", "eat", "find", "fly", "give", "greet", "guard", "hold", "hug", "listen", "look", "meet",
    "munch", "nibble", "play", "read", "share", "sip", "smell", "sniff", "swing", "wait", "watch", "wave", "wear",
    "write",
];

/// Scenery that has no drawing, or only as a whole landscape or room around the subjects.
const HIDDEN_SCENERY: &[&str] = &["cave", "fence", "frozen pond", "rug", "table", "waterfall", "window"];

#[derive(Deserialize)]
struct World {
    name: String,
    backdrops: Vec<String>,
    places: Vec<String>,
    companions: Vec<String>,
    props: Vec<String>,
    cast: Vec<Cast>,
}

#[derive(Deserialize)]
struct Cast {
    heroes: Vec<String>,
    activities: Vec<String>,
    #[serde(default)]
    places: Vec<String>,
}

/// Returns all worlds except the world of pure ornaments.
fn worlds() -> Vec<World> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/worlds");
    let files = fs::read_dir(folder)
        .expect("the folder of worlds")
        .map(|entry| entry.expect("a file").path());
    files
        .map(|path| fs::read_to_string(path).expect("a readable file"))
        .map(|text| toml::from_str::<World>(&text).expect("a world"))
        .filter(|world| world.name != "patterns")
        .collect()
}

#[test]
fn every_noun_of_the_worlds_can_be_drawn() {
    let qualities: BTreeSet<&str> = QUALITIES.split_ascii_whitespace().collect();
    let mut missing = BTreeSet::new();
    for world in worlds() {
        let casts = || world.cast.iter();
        let places = world.places.iter().chain(casts().flat_map(|cast| &cast.places));
        let nouns = casts()
            .flat_map(|cast| &cast.heroes)
            .chain(&world.companions)
            .chain(&world.props);
        // Only the object of an activity is drawn, not its verb.
        let objects = casts()
            .flat_map(|cast| &cast.activities)
            .filter_map(|activity| activity.split_once(' ').map(|(_, object)| object));
        let phrases = places.chain(nouns).map(String::as_str).chain(objects);
        for phrase in phrases {
            let lost: Vec<String> = undrawn(phrase)
                .into_iter()
                .filter(|word| !qualities.contains(word.as_str()))
                .collect();
            if !lost.is_empty() {
                missing.insert(format!("{}: {phrase}: {lost:?}", world.name));
            }
        }
    }
    assert!(missing.is_empty(), "{} {missing:#?}", missing.len());
}

#[test]
fn every_activity_can_be_seen_in_its_picture() {
    let worlds = worlds();
    let casts = worlds.iter().flat_map(|world| &world.cast);
    for activity in casts.flat_map(|cast| &cast.activities) {
        let verb = activity.split(' ').next().expect("an activity has a verb");
        assert!(SHOWN_VERBS.contains(&verb), "{activity}");
    }
}

#[test]
fn no_place_is_named_after_scenery_that_is_not_drawn() {
    for world in worlds() {
        let places = world
            .places
            .iter()
            .chain(world.cast.iter().flat_map(|cast| &cast.places));
        for place in places {
            let hidden = HIDDEN_SCENERY.iter().find(|hidden| place.ends_with(**hidden));
            assert!(hidden.is_none(), "{}: {place}", world.name);
        }
    }
}

#[test]
fn every_world_names_settings_that_can_be_drawn() {
    let (_, settings) = include_str!("../../sketchbook/vocabulary.txt")
        .split_once("# settings")
        .expect("both lists");
    let settings: BTreeSet<&str> = settings.lines().filter(|line| !line.is_empty()).collect();
    for world in worlds() {
        let known = |backdrop: &&String| {
            let words = backdrop.to_lowercase();
            words
                .split([' ', '-'])
                .any(|word| settings.contains(word) || settings.contains(word.trim_end_matches('y')))
        };
        let drawn = world.backdrops.iter().filter(known).count();
        assert!(
            drawn * 2 >= world.backdrops.len(),
            "{}: {:?}",
            world.name,
            world.backdrops
        );
    }
}

//! The worlds speak words that the offline artist can draw.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde::Deserialize;

#[derive(Deserialize)]
struct DrawnAs {
    exceptions: BTreeSet<String>,
    label: BTreeMap<String, String>,
}

#[derive(Deserialize)]
struct World {
    name: String,
    backdrops: Vec<String>,
    companions: Vec<String>,
    props: Vec<String>,
    cast: Vec<Cast>,
}

#[derive(Deserialize)]
struct Cast {
    heroes: Vec<String>,
}

/// The sketchbook's subjects and settings.
fn vocabulary() -> (BTreeSet<&'static str>, BTreeSet<&'static str>) {
    let text = include_str!("../../sketchbook/vocabulary.txt");
    let (subjects, settings) = text.split_once("# settings").expect("both lists");
    let words = |list: &'static str| {
        list.lines()
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
            .collect()
    };
    (words(subjects), words(settings))
}

fn worlds() -> Vec<World> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/worlds");
    let files = fs::read_dir(folder)
        .expect("the folder of worlds")
        .map(|entry| entry.expect("a file").path());
    files
        .map(|path| fs::read_to_string(path).expect("a readable file"))
        .map(|text| toml::from_str(&text).expect("a world"))
        .collect()
}

#[test]
fn every_hero_companion_and_prop_can_be_drawn() {
    let (subjects, _) = vocabulary();
    let drawn_as: DrawnAs = toml::from_str(include_str!("drawn_as.toml")).unwrap();
    let stale: Vec<_> = drawn_as
        .label
        .values()
        .filter(|label| !subjects.contains(label.as_str()))
        .collect();
    assert!(stale.is_empty(), "labels the sketchbook does not know: {stale:?}");
    let mut missing = BTreeSet::new();
    for world in worlds() {
        let heroes = world.cast.into_iter().flat_map(|cast| cast.heroes);
        for noun in heroes.chain(world.companions).chain(world.props) {
            let lower = noun.to_lowercase();
            // "apple pie" and "ball of yarn" hold the word that is drawn.
            let known = subjects.contains(lower.as_str()) || lower.split(' ').any(|word| subjects.contains(word));
            if !known && !drawn_as.label.contains_key(&lower) && !drawn_as.exceptions.contains(&lower) {
                missing.insert(format!("{}: {noun}", world.name));
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
}

#[test]
fn every_world_names_settings_that_can_be_drawn() {
    let (_, settings) = vocabulary();
    for world in worlds().iter().filter(|world| world.name != "patterns") {
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

//! Every seed, whole and damaged, is handled without breaking a rule of its target. `cargo xtask fuzz` goes on from
//! here.
#![expect(clippy::unwrap_used, reason = "a test that panics is a test that fails")]
use linepress_fuzz::{TARGETS, Target};

/// The places at which each seed is damaged.
const DAMAGES: usize = 12;

fn seeds(target: &Target) -> Vec<Vec<u8>> {
    let folder = target.seeds();
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    assert!(!paths.is_empty(), "{} is empty", folder.display());
    paths.iter().map(|path| std::fs::read(path).unwrap()).collect()
}

#[test]
fn every_target_handles_its_seeds_whole_and_damaged() {
    for target in &TARGETS {
        for seed in seeds(target) {
            (target.run)(&seed);
            for damage in 0..DAMAGES {
                let place = seed.len() * damage / DAMAGES;
                (target.run)(&seed[..place]);
                let mut changed = seed.clone();
                if let Some(byte) = changed.get_mut(place) {
                    *byte ^= 1 << (damage % 8);
                }
                (target.run)(&changed);
            }
        }
    }
}

#[test]
fn every_folder_of_seeds_belongs_to_a_target() {
    let all = TARGETS[0].seeds();
    for folder in std::fs::read_dir(all.parent().unwrap()).unwrap() {
        let name = folder.unwrap().file_name().into_string().unwrap();
        assert!(TARGETS.iter().any(|target| target.name == name), "{name}");
    }
}

//! The bank of a pond or of the sea: the ground at the water for subjects that live on land.

use crate::brief::Brief;
use crate::bulk::{Bulk, bulk, is_airborne};
use crate::catalog::entry;
use crate::setting::{Ground, Setting, Sky};
use crate::words::is_animate;

/// Labels that swim although their entries in the catalog name a habitat on land, or none.
const SWIMMERS: &[&str] = &[
    "duck",
    "goose",
    "man swimming",
    "woman swimming",
    "man surfing",
    "woman surfing",
    "man rowing boat",
    "woman rowing boat",
];
/// Swimmers that walk on the bank if the water has no room.
const WADDLERS: &[&str] = &["duck", "goose"];
/// Animals of the water that are as much at home on its bank.
const AMPHIBIANS: &[&str] = &[
    "frog",
    "beaver",
    "otter",
    "crane bird",
    "turtle",
    "crab",
    "lobster",
    "seal",
    "penguin",
    "polar bear",
    "hippopotamus",
    "crocodile",
    "flamingo",
    "snail",
];
/// Things that float on the water.
const AFLOAT: &[&str] = &[
    "sailboat",
    "canoe",
    "speedboat",
    "passenger ship",
    "motor boat",
    "ship",
    "submarine",
    "desert island",
    "lotus",
];
const WATERS: &[&str] = &["pond", "sea", "underwater"];

/// The distance of feet from the horizon as a share of the depth of the ground: in the water, behind a pond, and on the
/// bank from its edge to the lower edge of the picture.
const IN_WATER: (f32, f32) = (0.20, 0.34);
const BEHIND_POND: f32 = 0.03;
const ON_BANK: (f32, f32) = (0.48, 0.92);

/// Returns the setting with a bank in front of its water if the picture shows a subject that lives on land and does not
/// swim.
pub(super) fn banked(place: Setting, brief: &Brief) -> (Setting, bool) {
    let wish = &brief.wish;
    let is_at_sea = brief.style.colored && brief.has_pirates();
    let subjects = wish.subjects.iter().map(|subject| &subject.label);
    let mut labels = brief.characters.iter().map(|portrait| &portrait.label).chain(subjects);
    let is_frozen = place.sky == Sky::Snowfall;
    if is_at_sea || is_frozen || !wish.swimming.is_empty() || !labels.any(|label| lives_on_land(label)) {
        return (place, false);
    }
    match place.ground {
        Ground::Pond => {
            let ground = Ground::Lakeside;
            (Setting { ground, ..place }, true)
        }
        Ground::OpenSea => {
            let beach = Setting::named("beach").expect("the beach is a setting");
            let sky = place.sky;
            (Setting { sky, ..*beach }, true)
        }
        Ground::Shore => (place, true),
        _ => (place, false),
    }
}

/// Returns the level of the feet of a subject at the water, as a share of the depth of the ground.
pub(super) fn level(label: &str, ground: Ground, at: f32) -> f32 {
    let between = |(far, near): (f32, f32)| far + (near - far) * at.clamp(0.0, 1.0);
    if swims(label) {
        between(IN_WATER)
    } else if ground == Ground::Lakeside && !is_animate(label) && bulk(label, 5) == Bulk::Huge {
        BEHIND_POND
    } else {
        between(ON_BANK)
    }
}

fn is_at_home_in_water(label: &str) -> bool {
    let habitat = entry(label).and_then(|entry| entry.habitat);
    SWIMMERS.contains(&label) || habitat.is_some_and(|habitat| WATERS.contains(&habitat))
}

/// Returns true for what swims or floats.
pub(super) fn swims(label: &str) -> bool {
    AFLOAT.contains(&label) || is_animate(label) && is_at_home_in_water(label) && !AMPHIBIANS.contains(&label)
}

/// Returns true for what is on the bank, or can be there.
pub(super) fn walks(label: &str) -> bool {
    !swims(label) || WADDLERS.contains(&label)
}

fn lives_on_land(label: &str) -> bool {
    is_animate(label) && !is_airborne(label) && !is_at_home_in_water(label) && !AMPHIBIANS.contains(&label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn animals_are_in_the_water_or_on_its_bank() {
        for (label, lives, in_water) in [
            ("fox", true, false),
            ("girl", true, false),
            ("rabbit", true, false),
            ("duck", false, true),
            ("sailboat", false, true),
            ("mermaid", false, true),
            ("frog", false, false),
            ("oyster", false, false),
            ("butterfly", false, false),
            ("deciduous tree", false, false),
        ] {
            assert_eq!((lives_on_land(label), swims(label)), (lives, in_water), "{label}");
        }
        assert!(walks("fox") && walks("duck") && !walks("dolphin"));
        assert!(level("fox", Ground::Lakeside, 0.0) > level("duck", Ground::Lakeside, 1.0));
        assert!(level("house", Ground::Lakeside, 0.2) < level("duck", Ground::Lakeside, 0.0));
    }
}

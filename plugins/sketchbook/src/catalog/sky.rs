//! Space, the sky and the weather.

use super::entry::{Entry, drawing};
use crate::bulk::Bulk::{Huge, Tiny};

#[rustfmt::skip]
pub(super) const DRAWINGS: &[Entry] = &[
    drawing("satellite")
        .words(&["space station", "space telescope", "probe", "space probe"]).airborne().habitat("space"),
    drawing("rocket")
        .words(&["spaceship", "rocket ship", "spacecraft", "shuttle", "space shuttle", "space rocket"]).bulk(Huge)
        .airborne().habitat("space"),
    drawing("flying saucer").words(&["ufo"]).airborne().habitat("space"),
    drawing("comet").words(&["meteor", "asteroid", "meteorite"]).airborne().habitat("space"),
    drawing("satellite antenna"),
    drawing("telescope").habitat("space"),
    drawing("full moon").celestial(),
    drawing("crescent moon").words(&["moon"]).celestial().habitat("space"),
    drawing("last quarter moon face").celestial(),
    drawing("sun").words(&["sunshine"]).celestial(),
    drawing("full moon face").celestial(),
    drawing("sun with face").celestial(),
    drawing("ringed planet").words(&["saturn", "planet", "solar system", "jupiter"]).habitat("space"),
    drawing("star").words(&["starfish", "sea star"]).bulk(Tiny).celestial().habitat("space"),
    drawing("glowing star").words(&["falling star", "shooting star"]).celestial().habitat("space"),
    drawing("sparkles").celestial(),
    drawing("cloud").celestial().habitat("sky"),
    drawing("sun behind cloud").celestial(),
    drawing("cloud with lightning and rain").words(&["thunderstorm"]).celestial(),
    drawing("sun behind small cloud").celestial(),
    drawing("sun behind large cloud").celestial(),
    drawing("sun behind rain cloud").celestial(),
    drawing("cloud with rain").words(&["raincloud", "rain cloud"]).celestial(),
    drawing("cloud with snow").celestial(),
    drawing("cloud with lightning").celestial(),
    drawing("tornado").words(&["whirlwind", "twister"]),
    drawing("rainbow").celestial().habitat("sky"),
    // The drawing of a closed umbrella is mostly specks: "closed umbrella" is an open one.
    drawing("closed umbrella").without_name(),
    drawing("umbrella").words(&["closed umbrella"]).raised(0.48, 0.84, 132.0, -10.0),
    drawing("umbrella on ground"),
    drawing("high voltage").words(&["lightning", "lightning bolt"]).celestial(),
    drawing("snowflake").bulk(Tiny).celestial().habitat("winter"),
    drawing("snowman")
        .animate().habitat("winter").headwear().upright_landmarks((0.50, 0.40), (0.50, 0.56), (0.50, 0.74)),
    drawing("snowman without snow").animate().habitat("winter"),
    drawing("fire").words(&["flame", "campfire", "bonfire"]),
    drawing("droplet").words(&["dewdrop", "raindrop"]).bulk(Tiny).celestial(),
];

//! Things of the household.

use super::entry::{Entry, drawing};
use crate::bulk::Bulk::Tiny;

#[rustfmt::skip]
pub(super) const DRAWINGS: &[Entry] = &[
    drawing("chopsticks"),
    drawing("fork and knife with plate").words(&["plate"]),
    drawing("fork and knife"),
    drawing("spoon").raised(0.85, 0.85, 66.0, 0.0),
    drawing("kitchen knife"),
    drawing("jar").words(&["jam"]),
    drawing("amphora").words(&["vase"]),
    drawing("bellhop bell"),
    drawing("hourglass done").words(&["hourglass"]),
    drawing("alarm clock").words(&["clock"]),
    drawing("stopwatch").front(36.0, 42.0),
    drawing("timer clock"),
    drawing("mantelpiece clock"),
    drawing("candle").words(&["candlestick"]).raised(0.50, 0.86, 62.0, 0.0),
    drawing("light bulb"),
    drawing("flashlight").words(&["torch"]).raised(0.80, 0.80, 64.0, 0.0),
    drawing("lantern")
        .words(&["night light", "storm lantern", "oil lantern", "hanging lantern", "ramadan lantern"])
        .lowered(0.50, 0.03, 54.0),
    drawing("coin").words(&["gold coin", "money", "gold", "treasure coin"]).bulk(Tiny),
    drawing("money bag"),
    drawing("locked"),
    drawing("unlocked"),
    drawing("key").bulk(Tiny).raised(0.14, 0.88, 58.0, 0.0),
    drawing("old key"),
    drawing("door").words(&["gate"]),
    drawing("mirror").words(&["magic mirror", "hand mirror"]),
    drawing("window"),
    drawing("bed"),
    drawing("couch and lamp").words(&["sofa", "couch"]),
    drawing("chair").words(&["armchair"]),
    drawing("shower"),
    drawing("bathtub").words(&["bath"]),
    drawing("lotion bottle"),
    drawing("soap"),
    drawing("toothbrush").raised(0.70, 0.30, 62.0, 0.0),
    drawing("sponge"),
    drawing("wastebasket"),
];

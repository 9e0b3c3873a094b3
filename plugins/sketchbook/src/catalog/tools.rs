//! Tools of workshops and gardens.

use super::entry::{Entry, drawing};
use crate::bulk::Bulk::Small;

#[rustfmt::skip]
pub(super) const DRAWINGS: &[Entry] = &[
    drawing("hammer").habitat("workshop").raised(0.85, 0.85, 66.0, 0.0),
    drawing("axe").raised(0.85, 0.88, 76.0, 0.0),
    drawing("pick").words(&["pickaxe"]).raised(0.85, 0.85, 86.0, 0.0),
    drawing("hammer and wrench"),
    drawing("carpentry saw").words(&["saw", "hand saw"]).habitat("workshop").raised(0.15, 0.80, 70.0, 0.0),
    drawing("wrench").habitat("workshop").raised(0.80, 0.85, 66.0, 0.0),
    drawing("screwdriver").habitat("workshop").raised(0.80, 0.85, 62.0, 0.0),
    drawing("nut and bolt"),
    drawing("gear").words(&["cog", "gears"]).habitat("workshop"),
    drawing("clamp"),
    drawing("balance scale"),
    drawing("link"),
    drawing("hook"),
    drawing("toolbox").words(&["toolkit", "tool box"]).habitat("workshop").lowered(0.50, 0.08, 48.0),
    drawing("magnet"),
    drawing("ladder"),
    drawing("shovel").words(&["spade"]).raised(0.70, 0.30, 110.0, 0.0),
    drawing("anvil").bulk(Small).habitat("workshop"),
    drawing("broom").raised(0.62, 0.38, 130.0, 0.0),
    drawing("basket").words(&["picnic basket"]).bulk(Small).lowered(0.50, 0.05, 60.0),
    drawing("bucket").words(&["pail"]).bulk(Small).habitat("beach"),
    drawing("fire extinguisher"),
];

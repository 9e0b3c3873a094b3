//! Plants: flowers, trees, leaves and mushrooms, with wood and rocks.

use super::entry::{Entry, drawing};
use crate::bulk::Bulk::{Huge, Small, Tiny};

#[rustfmt::skip]
pub(super) const DRAWINGS: &[Entry] = &[
    drawing("bouquet").words(&["flower bouquet"]).inanimate().raised(0.78, 0.82, 82.0, 0.0),
    drawing("cherry blossom").words(&["sakura", "cherry blossom tree"]).inanimate(),
    drawing("lotus").words(&["lily", "water lily", "lily pad"]).inanimate().habitat("pond"),
    drawing("rosette").inanimate(),
    drawing("rose").words(&["peony", "carnation"]).bulk(Tiny).inanimate().raised(0.50, 0.88, 72.0, 14.0),
    drawing("hibiscus").words(&["poppy", "orchid"]).bulk(Small).inanimate().raised(0.50, 0.85, 60.0, 14.0),
    drawing("sunflower").bulk(Small).inanimate().raised(0.50, 0.92, 84.0, 14.0),
    drawing("blossom")
        .words(&["flower", "wildflower", "daisy", "dandelion", "marigold", "chrysanthemum"]).bulk(Tiny).inanimate(),
    drawing("tulip").bulk(Tiny).inanimate().raised(0.50, 0.90, 72.0, 14.0),
    drawing("hyacinth").words(&["bluebell", "lavender", "lilac"]).inanimate().raised(0.50, 0.92, 72.0, 14.0),
    drawing("seedling").words(&["sprout", "sapling"]).bulk(Tiny).inanimate(),
    drawing("potted plant").words(&["plant", "bonsai"]).bulk(Small).inanimate(),
    drawing("evergreen tree").words(&["pine", "pine tree", "fir", "fir tree", "spruce"]).bulk(Huge).inanimate(),
    drawing("deciduous tree")
        .words(&[
            "tree", "oak", "oak tree", "maple", "apple tree", "willow", "birch", "cherry tree", "olive tree", "baobab",
        ]).bulk(Huge).inanimate(),
    drawing("palm tree").words(&["palm", "coconut tree"]).bulk(Huge).inanimate().habitat("beach"),
    drawing("cactus").words(&["cacti"]).bulk(Small).inanimate().habitat("desert"),
    drawing("sheaf of rice").words(&["wheat"]).inanimate(),
    drawing("herb").words(&["fern", "sprig"]).bulk(Small).inanimate().raised(0.50, 0.90, 60.0, 14.0),
    drawing("shamrock").bulk(Tiny).inanimate(),
    drawing("four leaf clover").words(&["clover"]).bulk(Tiny).inanimate().raised(0.50, 0.92, 56.0, 12.0),
    drawing("maple leaf").words(&["autumn leaf"]).bulk(Tiny).inanimate().raised(0.50, 0.94, 60.0, 12.0),
    drawing("fallen leaf").words(&["leaf"]).bulk(Tiny).inanimate().only_detailed().raised(0.50, 0.92, 56.0, 12.0),
    drawing("leaf fluttering in wind").airborne().inanimate(),
    drawing("mushroom").words(&["toadstool", "fungus"]).bulk(Tiny).inanimate().habitat("forest"),
    drawing("brown mushroom").bulk(Tiny).inanimate(),
    drawing("leafless tree").words(&["bare tree"]).bulk(Huge).inanimate(),
    drawing("wood")
        .words(&["log", "mossy log", "stump", "tree stump", "firewood", "tree trunk", "firewood pile", "plank"])
        .bulk(Small).inanimate(),
    drawing("rock").words(&["boulder", "stone", "pebble"]).bulk(Small).inanimate(),
];

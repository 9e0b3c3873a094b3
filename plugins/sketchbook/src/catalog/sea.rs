//! The sea: its animals, shells, and things to swim and dive with.

use super::entry::{Entry, drawing};
use crate::bulk::Bulk::{Huge, Large, Small, Tiny};

#[rustfmt::skip]
pub(super) const DRAWINGS: &[Entry] = &[
    drawing("spouting whale").words(&["humpback whale"]).bulk(Huge).habitat("underwater"),
    drawing("whale")
        .words(&["blue whale", "beluga"]).bulk(Huge).habitat("underwater")
        .landmarks((0.34, 0.52), (0.60, 0.60), (0.03, 0.44)),
    drawing("dolphin")
        .words(&["porpoise"]).bulk(Large).habitat("underwater").landmarks((0.26, 0.26), (0.50, 0.34), (0.03, 0.48)),
    drawing("orca").words(&["killer whale"]).habitat("underwater"),
    drawing("seal")
        .words(&["sea lion"]).habitat("underwater").only_simple()
        .upright_landmarks((0.33, 0.20), (0.33, 0.46), (0.33, 0.64)),
    drawing("fish")
        .words(&["goldfish", "lantern fish", "salmon", "trout", "carp", "koi", "koi fish", "tuna"]).bulk(Small)
        .habitat("underwater").only_detailed(),
    drawing("tropical fish").words(&["clownfish", "angelfish"]).bulk(Small).habitat("underwater").only_detailed(),
    drawing("blowfish").words(&["pufferfish", "puffer fish"]).habitat("underwater"),
    drawing("shark")
        .words(&["great white shark", "hammerhead"]).bulk(Large).habitat("underwater")
        .landmarks((0.28, 0.40), (0.52, 0.40), (0.10, 0.62)),
    drawing("octopus")
        .words(&["kraken"]).bulk(Large).habitat("underwater").only_detailed()
        .landmarks((0.56, 0.24), (0.50, 0.50), (0.10, 0.60)),
    drawing("seahorse").words(&["sea horse"]).bulk(Small).habitat("underwater"),
    drawing("spiral shell")
        .words(&["seashell", "shell", "conch", "scallop", "bed of shells"]).bulk(Tiny).inanimate()
        .habitat("underwater"),
    drawing("coral").words(&["coral reef"]).inanimate().habitat("underwater"),
    drawing("jellyfish").words(&["jelly fish"]).habitat("underwater"),
    drawing("crab").words(&["hermit crab"]).bulk(Small).habitat("underwater"),
    drawing("lobster").words(&["crayfish"]).habitat("underwater"),
    drawing("shrimp").words(&["prawn"]).bulk(Small).habitat("underwater"),
    drawing("squid").words(&["cuttlefish"]).habitat("underwater"),
    drawing("oyster").words(&["clam", "pearl", "mussel"]).bulk(Small).inanimate().habitat("underwater"),
    drawing("water wave").words(&["wave"]),
    drawing("ring buoy").words(&["life ring", "lifebuoy", "buoy"]).front(46.0, 46.0),
    drawing("anchor").habitat("sea"),
    drawing("diving mask").words(&["snorkel"]).habitat("underwater"),
    drawing("treasure chest").words(&["treasure", "treasure box"]),
];

//! Animals of woods, fields and gardens.

use super::entry::{Entry, drawing};
use crate::bulk::Bulk::{Large, Small, Tiny};
use crate::figure::body::{Coat, Tail};

#[rustfmt::skip]
pub(super) const DRAWINGS: &[Entry] = &[
    drawing("wolf")
        .words(&["wolf cub", "coyote", "dingo"]).habitat("forest").only_simple().face(Tail::Bushy, Coat::Belly),
    drawing("fox")
        .words(&["fox cub", "vixen", "arctic fox", "fennec", "fennec fox"]).habitat("forest")
        .face(Tail::Bushy, Coat::Belly),
    drawing("raccoon").habitat("forest").landmarks((0.16, 0.38), (0.30, 0.46), (0.03, 0.52)),
    drawing("moose")
        .words(&["elk", "moose calf"]).bulk(Large).habitat("forest").head_only()
        .landmarks((0.34, 0.58), (0.64, 0.78), (0.08, 0.70)),
    drawing("deer")
        .words(&["stag", "fawn", "doe", "reindeer", "impala"]).bulk(Large).habitat("forest").only_detailed()
        .landmarks((0.28, 0.30), (0.34, 0.45), (0.06, 0.37)),
    drawing("chipmunk")
        .words(&["squirrel", "red squirrel"]).bulk(Small).habitat("forest").only_detailed()
        .upright_landmarks((0.22, 0.34), (0.28, 0.48), (0.16, 0.64)),
    drawing("beaver").habitat("pond").only_detailed().upright_landmarks((0.25, 0.18), (0.27, 0.36), (0.18, 0.52)),
    drawing("hedgehog")
        .bulk(Small).habitat("forest").only_detailed().landmarks((0.24, 0.56), (0.36, 0.66), (0.12, 0.74)),
    drawing("bat").bulk(Small).airborne().habitat("halloween"),
    drawing("bear")
        .words(&["bear cub", "grizzly", "grizzly bear", "brown bear", "black bear"]).bulk(Large).habitat("forest")
        .only_simple().face(Tail::Stub, Coat::Belly),
    drawing("otter").habitat("pond").landmarks((0.20, 0.32), (0.18, 0.48), (0.38, 0.57)),
    drawing("skunk").habitat("forest").landmarks((0.17, 0.70), (0.32, 0.74), (0.05, 0.80)),
    drawing("badger").habitat("forest").landmarks((0.20, 0.32), (0.40, 0.38), (0.03, 0.48)),
    drawing("bird")
        .words(&[
            "canary", "songbird", "robin", "sparrow", "bluebird", "finch", "woodpecker", "hummingbird", "swallow",
            "hoopoe", "nightingale", "kingfisher",
        ]).bulk(Small).airborne().landmarks((0.22, 0.24), (0.28, 0.48), (0.03, 0.34)),
    drawing("eagle")
        .words(&["hawk", "falcon", "vulture", "condor"]).airborne().habitat("sky")
        .landmarks((0.22, 0.52), (0.34, 0.62), (0.11, 0.58)),
    drawing("swan").habitat("pond").landmarks((0.24, 0.10), (0.27, 0.30), (0.05, 0.22)),
    drawing("owl")
        .words(&["owlet"]).habitat("forest").only_detailed()
        .upright_landmarks((0.50, 0.28), (0.50, 0.50), (0.50, 0.72)),
    drawing("feather").bulk(Tiny).airborne().inanimate().raised(0.12, 0.92, 70.0, 0.0),
    drawing("peacock").landmarks((0.49, 0.26), (0.49, 0.42), (0.41, 0.29)),
    drawing("black bird")
        .words(&["raven", "crow", "blackbird", "magpie", "jackdaw", "rook"]).bulk(Small).airborne()
        .landmarks((0.28, 0.13), (0.24, 0.32), (0.62, 0.13)),
    drawing("crane bird")
        .words(&["stork", "heron", "egret", "ibis"]).bulk(Large).habitat("pond")
        .landmarks((0.30, 0.10), (0.32, 0.26), (0.02, 0.16)),
    drawing("frog").words(&["toad"]).bulk(Small).habitat("pond").face(Tail::None, Coat::Belly),
    drawing("turtle")
        .words(&["tortoise", "sea turtle"]).habitat("underwater").only_detailed()
        .landmarks((0.22, 0.40), (0.36, 0.58), (0.06, 0.54)),
    drawing("lizard")
        .words(&["gecko", "chameleon", "iguana"]).bulk(Small).habitat("desert")
        .landmarks((0.16, 0.16), (0.27, 0.30), (0.08, 0.52)),
    drawing("snail").words(&["sea snail"]).bulk(Tiny).landmarks((0.22, 0.54), (0.22, 0.68), (0.04, 0.56)),
    drawing("butterfly").bulk(Tiny).airborne(),
    drawing("bug").words(&["caterpillar"]).bulk(Tiny).landmarks((0.16, 0.30), (0.42, 0.36), (0.04, 0.40)),
    drawing("ant").bulk(Tiny),
    drawing("honeybee")
        .words(&["bee", "bumblebee", "bumble bee", "wasp", "hornet"]).bulk(Tiny).airborne()
        .landmarks((0.25, 0.42), (0.44, 0.52), (0.12, 0.74)),
    drawing("beetle").words(&["firefly"]).bulk(Tiny),
    drawing("lady beetle").words(&["ladybug", "ladybird"]).bulk(Tiny),
    drawing("cricket").words(&["grasshopper", "locust"]).bulk(Tiny).only_detailed(),
    drawing("spider").bulk(Tiny).habitat("halloween"),
    drawing("spider web").words(&["spiderweb", "cobweb"]).bulk(Small).inanimate().habitat("halloween"),
    drawing("fly").bulk(Tiny).airborne(),
    drawing("mosquito").words(&["gnat"]).bulk(Tiny).airborne(),
    drawing("worm").words(&["earthworm"]).bulk(Tiny).only_detailed(),
    drawing("empty nest").inanimate(),
    drawing("nest with eggs").words(&["nest", "bird nest", "birds nest"]).bulk(Small).inanimate(),
];

//! Wild animals of the world.

use super::entry::{Entry, drawing};
use crate::bulk::Bulk::{Huge, Large, Small};
use crate::figure::body::{Coat, Tail};

#[rustfmt::skip]
pub(super) const DRAWINGS: &[Entry] = &[
    drawing("monkey face"),
    drawing("monkey")
        .words(&["chimp", "chimpanzee", "gibbon", "baboon"]).habitat("jungle").only_detailed()
        .body("monkey face", Tail::Long, Coat::Belly),
    drawing("gorilla")
        .words(&["ape"]).bulk(Large).habitat("jungle").landmarks((0.15, 0.14), (0.24, 0.28), (0.05, 0.27)),
    drawing("orangutan").habitat("jungle").upright_landmarks((0.50, 0.20), (0.50, 0.50), (0.50, 0.72)),
    drawing("lion").words(&["lioness", "lion cub"]).bulk(Large).habitat("savanna").face(Tail::Tuft, Coat::Belly),
    drawing("tiger face"),
    drawing("tiger")
        .words(&["tiger cub"]).bulk(Large).habitat("jungle").only_detailed()
        .body("tiger face", Tail::Long, Coat::Stripes),
    drawing("leopard")
        .words(&["cheetah", "jaguar", "panther", "snow leopard", "puma", "lynx", "bobcat", "caracal"])
        .habitat("savanna").only_detailed().landmarks((0.18, 0.22), (0.32, 0.36), (0.03, 0.40)),
    drawing("zebra").bulk(Large).habitat("savanna").landmarks((0.20, 0.22), (0.34, 0.34), (0.04, 0.33)),
    drawing("bison")
        .words(&["buffalo"]).bulk(Large).habitat("savanna").landmarks((0.13, 0.42), (0.32, 0.45), (0.10, 0.58)),
    drawing("camel")
        .words(&["dromedary"]).bulk(Large).habitat("desert").only_detailed()
        .landmarks((0.24, 0.20), (0.26, 0.42), (0.03, 0.27)),
    drawing("two-hump camel").words(&["two hump camel", "bactrian camel"]).habitat("desert"),
    drawing("giraffe")
        .bulk(Huge).habitat("savanna").only_detailed().landmarks((0.18, 0.15), (0.26, 0.30), (0.05, 0.20)),
    drawing("elephant")
        .bulk(Huge).habitat("savanna").only_detailed().landmarks((0.34, 0.34), (0.56, 0.48), (0.15, 0.82)),
    drawing("rhinoceros")
        .words(&["rhino"]).bulk(Large).habitat("savanna").only_detailed()
        .landmarks((0.30, 0.42), (0.46, 0.38), (0.19, 0.68)),
    drawing("hippopotamus")
        .words(&["hippo"]).bulk(Large).habitat("savanna").only_detailed()
        .landmarks((0.24, 0.32), (0.46, 0.42), (0.05, 0.58)),
    drawing("polar bear").bulk(Large).habitat("winter").face(Tail::Stub, Coat::Belly),
    drawing("koala").words(&["koala bear"]).habitat("jungle").face(Tail::None, Coat::Belly),
    drawing("panda").words(&["panda bear", "panda cub"]).habitat("jungle").face(Tail::None, Coat::Belly),
    drawing("sloth").habitat("jungle").landmarks((0.20, 0.40), (0.22, 0.58), (0.22, 0.62)),
    drawing("kangaroo")
        .words(&["joey", "wallaby"]).habitat("savanna").only_detailed()
        .landmarks((0.17, 0.30), (0.25, 0.44), (0.34, 0.62)),
    drawing("penguin").habitat("winter").upright_landmarks((0.42, 0.14), (0.48, 0.28), (0.40, 0.58)),
    drawing("flamingo").habitat("jungle").landmarks((0.32, 0.07), (0.40, 0.17), (0.06, 0.10)),
    drawing("ostrich")
        .words(&["emu", "rhea"]).bulk(Large).habitat("savanna").landmarks((0.24, 0.10), (0.26, 0.26), (0.04, 0.14)),
    drawing("crocodile")
        .words(&["alligator", "caiman"]).bulk(Large).habitat("jungle")
        .landmarks((0.42, 0.80), (0.52, 0.66), (0.06, 0.88)),
    drawing("snake")
        .words(&["serpent", "cobra", "python", "boa", "viper", "rattlesnake"]).habitat("jungle").only_detailed()
        .landmarks((0.40, 0.15), (0.42, 0.36), (0.16, 0.26)),
    drawing("scorpion").bulk(Small).habitat("desert"),
];

//! Pets and the animals of the farm.

use super::entry::{Entry, drawing};
use crate::bulk::Bulk::{Large, Small};
use crate::figure::body::{Coat, Tail};

#[rustfmt::skip]
pub(super) const DRAWINGS: &[Entry] = &[
    drawing("dog face"),
    drawing("dog")
        .words(&[
            "pup", "puppy", "doggy", "hound", "terrier", "boxer dog", "corgi", "husky", "dachshund", "bulldog",
            "collie", "beagle", "greyhound", "retriever", "golden retriever", "spaniel", "dalmatian", "chihuahua",
            "pug", "sheepdog",
        ]).only_detailed().body("dog face", Tail::Long, Coat::Belly),
    drawing("guide dog").words(&["labrador"]),
    drawing("service dog"),
    drawing("poodle"),
    drawing("cat face"),
    drawing("cat")
        .words(&["kitty", "kitten", "kitty cat", "tomcat", "puss in boots"]).only_detailed()
        .body("cat face", Tail::Long, Coat::Belly),
    drawing("black cat").habitat("halloween").landmarks((0.18, 0.36), (0.30, 0.52), (0.03, 0.44)),
    drawing("horse face").head_only(),
    drawing("donkey").words(&["mule"]).habitat("farm").only_simple(),
    drawing("horse")
        .words(&["pony", "foal", "stallion", "mare"]).bulk(Large).habitat("farm").only_simple()
        .landmarks((0.16, 0.17), (0.27, 0.30), (0.04, 0.22)),
    drawing("cow face"),
    drawing("ox")
        .words(&["bull"]).bulk(Large).habitat("farm").only_detailed()
        .landmarks((0.18, 0.24), (0.34, 0.36), (0.03, 0.34)),
    drawing("water buffalo").only_detailed(),
    drawing("cow")
        .words(&["calf", "cattle"]).bulk(Large).habitat("farm").only_detailed()
        .body("cow face", Tail::Tuft, Coat::Patches),
    drawing("pig face"),
    drawing("pig")
        .words(&["piglet", "hog", "boar", "wild boar"]).habitat("farm").only_detailed()
        .body("pig face", Tail::Curly, Coat::Belly),
    drawing("ram").habitat("farm"),
    drawing("ewe").words(&["sheep", "lamb"]).habitat("farm").landmarks((0.30, 0.38), (0.34, 0.64), (0.30, 0.60)),
    drawing("goat")
        .words(&["goat kid", "billy goat"]).habitat("farm").only_detailed()
        .landmarks((0.22, 0.38), (0.36, 0.48), (0.05, 0.46)),
    drawing("llama")
        .words(&["alpaca", "guanaco", "vicuna"]).bulk(Large).habitat("desert").only_detailed()
        .landmarks((0.18, 0.16), (0.23, 0.32), (0.04, 0.20)),
    drawing("mouse face"),
    drawing("mouse").words(&["dormouse"]).bulk(Small).body("mouse face", Tail::Long, Coat::Belly),
    drawing("rat").bulk(Small),
    drawing("hamster").words(&["guinea pig", "gerbil"]).bulk(Small).face(Tail::Stub, Coat::Belly),
    drawing("rabbit face"),
    drawing("rabbit")
        .words(&["bunny", "bunny rabbit", "hare"]).habitat("forest").body("rabbit face", Tail::Stub, Coat::Belly),
    drawing("turkey")
        .words(&["turkey bird", "turkey cock"]).habitat("farm").only_detailed()
        .landmarks((0.18, 0.14), (0.20, 0.36), (0.05, 0.18)),
    // The drawing of a chicken is a face: "chicken" is the rooster.
    drawing("chicken").without_name(),
    drawing("rooster")
        .words(&["chicken", "hen", "cockerel"]).habitat("farm").only_detailed()
        .landmarks((0.22, 0.24), (0.28, 0.42), (0.04, 0.29)),
    drawing("hatching chick").bulk(Small).habitat("farm").upright_landmarks((0.50, 0.25), (0.50, 0.47), (0.50, 0.72)),
    drawing("baby chick")
        .words(&["chick", "duckling", "gosling"]).bulk(Small).habitat("farm")
        .landmarks((0.32, 0.24), (0.36, 0.46), (0.03, 0.29)),
    drawing("front-facing baby chick").words(&["front facing baby chick"]),
    drawing("dove")
        .words(&["pigeon", "seagull", "gull", "sea gull"]).bulk(Small).airborne().habitat("sky")
        .landmarks((0.24, 0.42), (0.36, 0.56), (0.08, 0.45)),
    drawing("duck")
        .words(&["mallard"]).habitat("farm").only_detailed().landmarks((0.34, 0.15), (0.37, 0.37), (0.04, 0.17)),
    drawing("parrot")
        .words(&["parakeet", "budgie", "macaw", "cockatoo"]).habitat("jungle")
        .landmarks((0.28, 0.17), (0.33, 0.36), (0.06, 0.29)),
    drawing("goose").habitat("farm").landmarks((0.24, 0.08), (0.31, 0.26), (0.04, 0.13)),
    drawing("beehive").words(&["bee hive", "hive"]).bulk(Small).habitat("meadow"),
];

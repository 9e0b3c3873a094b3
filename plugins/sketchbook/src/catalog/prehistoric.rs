//! Dinosaurs and other extinct animals.

use super::entry::{Entry, drawing};
use crate::bulk::Bulk::{Huge, Large, Tiny};

#[rustfmt::skip]
pub(super) const DRAWINGS: &[Entry] = &[
    drawing("sauropod")
        .words(&["dinosaur", "dino", "brontosaurus", "brachiosaurus", "diplodocus", "long neck", "baby dinosaur"])
        .bulk(Huge).habitat("prehistoric").only_detailed().landmarks((0.22, 0.12), (0.12, 0.30), (0.32, 0.13)),
    drawing("t-rex")
        .words(&["t rex", "tyrannosaurus", "tyrannosaurus rex", "trex", "t rex dinosaur", "velociraptor", "raptor"])
        .bulk(Huge).habitat("prehistoric").only_detailed().landmarks((0.24, 0.16), (0.34, 0.36), (0.20, 0.54)),
    drawing("triceratops").bulk(Large).habitat("prehistoric").landmarks((0.22, 0.40), (0.48, 0.42), (0.04, 0.62)),
    drawing("pterodactyl").words(&["pterosaur", "pteranodon", "flying dinosaur"]).airborne().habitat("prehistoric"),
    drawing("mammoth")
        .words(&["woolly mammoth"]).bulk(Huge).habitat("winter").only_detailed()
        .landmarks((0.28, 0.28), (0.50, 0.42), (0.14, 0.66)),
    drawing("dodo").habitat("prehistoric").landmarks((0.27, 0.10), (0.34, 0.28), (0.04, 0.12)),
    drawing("bone").bulk(Tiny),
    drawing("footprints"),
];

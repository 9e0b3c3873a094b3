//! Toys, games and the arts.

use super::entry::{Entry, drawing};
use crate::bulk::Bulk::Tiny;

#[rustfmt::skip]
pub(super) const DRAWINGS: &[Entry] = &[
    drawing("yo-yo").words(&["yo yo"]),
    drawing("kite").words(&["kite string"]).airborne().habitat("sky").raised(0.80, 0.96, 110.0, 8.0),
    drawing("video game"),
    drawing("joystick"),
    drawing("game die").words(&["dice"]).bulk(Tiny),
    drawing("puzzle piece").words(&["puzzle", "jigsaw", "jigsaw puzzle"]),
    drawing("teddy bear")
        .words(&["teddy", "toy bear", "plush toy", "stuffed animal", "stuffed bear"]).animate().front(56.0, 56.0)
        .upright_landmarks((0.50, 0.28), (0.50, 0.50), (0.50, 0.68)),
    drawing("nesting dolls").words(&["doll", "matryoshka"]).animate(),
    drawing("chess pawn").words(&["chess piece", "chess"]),
    drawing("performing arts").words(&["mask"]),
    drawing("admission tickets"),
    drawing("ticket"),
    drawing("framed picture").words(&["picture frame", "portrait", "painting"]),
    drawing("artist palette").words(&["paint palette", "palette"]).front(56.0, 44.0),
    drawing("paintbrush").words(&["paint brush"]).raised(0.62, 0.38, 72.0, 0.0),
    drawing("crayon").raised(0.52, 0.48, 60.0, 0.0),
    drawing("thread"),
    drawing("sewing needle"),
    drawing("yarn").words(&["wool"]).front(46.0, 44.0),
    drawing("knot"),
    drawing("bubbles").words(&["bubble"]).airborne(),
];

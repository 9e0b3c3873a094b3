//! Festivals, parties and gifts.

use super::entry::{Entry, drawing};
use crate::bulk::Bulk::{Huge, Tiny};

#[rustfmt::skip]
pub(super) const DRAWINGS: &[Entry] = &[
    drawing("jack-o-lantern").words(&["jack o lantern", "pumpkin", "squash", "pumpkin lantern"]).habitat("halloween"),
    drawing("christmas tree").words(&["xmas tree"]).bulk(Huge).inanimate().habitat("christmas"),
    drawing("balloon").airborne().habitat("sky").raised(0.10, 0.97, 112.0, 4.0),
    drawing("party popper").words(&["confetti cannon"]).habitat("party"),
    drawing("confetti ball"),
    drawing("tanabata tree"),
    drawing("pine decoration"),
    drawing("japanese dolls"),
    drawing("carp streamer"),
    drawing("wind chime").words(&["wind bell"]),
    drawing("moon viewing ceremony"),
    drawing("ribbon").words(&["bow"]),
    drawing("wrapped gift").words(&["present", "gift", "gift box"]).habitat("party").front(52.0, 48.0),
    drawing("menorah").words(&["candelabra", "hanukkiah", "hanukkah candle"]),
    drawing("diya lamp").words(&["magic lamp", "oil lamp", "clay lamp", "diwali lamp", "diwali lantern", "diya"]),
    drawing("red paper lantern").words(&["sky lantern", "paper lantern", "chinese lantern"]).lowered(0.50, 0.03, 58.0),
    drawing("piñata").words(&["pinata"]).habitat("party"),
    drawing("mirror ball").words(&["disco ball"]),
    drawing("love letter").front(46.0, 36.0),
    drawing("heart with arrow"),
    drawing("heart with ribbon"),
    drawing("sparkling heart"),
    drawing("two hearts"),
    drawing("red heart").words(&["heart"]).bulk(Tiny),
];

//! Musical instruments and sound.

use super::entry::{Entry, drawing};
use crate::bulk::Bulk::Tiny;

#[rustfmt::skip]
pub(super) const DRAWINGS: &[Entry] = &[
    drawing("loudspeaker"),
    drawing("megaphone").raised(0.70, 0.80, 62.0, 0.0),
    drawing("postal horn").words(&["horn"]).front(58.0, 46.0),
    drawing("bell"),
    drawing("musical score"),
    drawing("musical note").bulk(Tiny),
    drawing("musical notes"),
    drawing("studio microphone"),
    drawing("microphone").raised(0.14, 0.86, 58.0, 0.0),
    drawing("headphone").words(&["headphones"]),
    drawing("radio"),
    drawing("saxophone").front(60.0, 58.0),
    drawing("trumpet").front(64.0, 48.0),
    drawing("trombone").front(66.0, 48.0),
    drawing("accordion").front(66.0, 46.0),
    drawing("guitar").words(&["ukulele"]).front(78.0, 60.0),
    drawing("musical keyboard").words(&["piano", "keyboard", "grand piano"]),
    drawing("violin").words(&["fiddle"]).front(70.0, 56.0),
    drawing("banjo").front(78.0, 60.0),
    drawing("drum").words(&["drumstick", "drums"]).front(60.0, 54.0),
    drawing("long drum").words(&["tabla", "conga", "bongo"]).front(52.0, 56.0),
    drawing("maracas").raised(0.85, 0.85, 62.0, 0.0),
    drawing("flute").words(&["recorder"]).front(60.0, 46.0),
    drawing("harp").front(56.0, 60.0),
];

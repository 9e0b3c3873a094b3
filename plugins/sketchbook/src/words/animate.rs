//! Animate labels: people, animals and toys.

use crate::art::Drawings;
use crate::bulk::is_celestial;
use crate::catalog::entry;

/// Returns true for a person, an animal, or a toy or figure that is treated as one.
pub fn is_animate(label: &str) -> bool {
    let group = || Drawings::get().with_label(label).next().map(|drawing| drawing.group);
    let default = || matches!(group(), Some(0 | 1 | 3)) && !is_celestial(label);
    entry(label).and_then(|entry| entry.animate).unwrap_or_else(default)
}

//! The size of a drawing relative to the hero, and the drawings that fly or belong to the sky.

use crate::catalog::entry;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bulk {
    Tiny,
    Small,
    Medium,
    Large,
    Huge,
}

impl Bulk {
    /// Returns the height as a fraction of the hero's height.
    pub const fn share(self) -> f32 {
        match self {
            Self::Tiny => 0.34,
            Self::Small => 0.46,
            Self::Medium => 0.62,
            Self::Large => 0.80,
            Self::Huge => 0.98,
        }
    }
}

/// Returns the bulk of a label, or the default for its group: food and objects are smaller than people and animals.
pub fn bulk(label: &str, group: u8) -> Bulk {
    entry(label).and_then(|entry| entry.bulk).unwrap_or(match group {
        4 | 6 | 7 => Bulk::Small,
        1 => Bulk::Large,
        _ => Bulk::Medium,
    })
}

/// Returns true for things that fly next to or above the other subjects.
pub fn is_airborne(label: &str) -> bool {
    entry(label).is_some_and(|entry| entry.airborne)
}

/// Returns true for things that belong to the sky itself, such as the sun.
pub fn is_celestial(label: &str) -> bool {
    entry(label).is_some_and(|entry| entry.celestial)
}

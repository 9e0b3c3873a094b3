//! The way a thing is held: raised in one hand, hanging from one hand, or in both hands in front of the body.

use crate::bulk::{Bulk, bulk};
use crate::catalog::entry;

/// The grip on a thing. Sizes are in hundredths of the height of the head.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Grip {
    /// Held at a point of its box (fractions of width and height), and turned outwards by `turn` degrees.
    Raised { at: (f32, f32), height: f32, turn: f32 },
    /// Hanging from a point of its box (fractions of width and height).
    Lowered { at: (f32, f32), height: f32 },
    /// In both hands, fitted into a box.
    Front { width: f32, height: f32 },
}

/// Returns the grip on a thing, or `None` if it is too large or belongs to the sky.
pub fn grip_of(label: &str, group: u8) -> Option<Grip> {
    if let Some(grip) = entry(label).and_then(|entry| entry.grip) {
        return Some(grip);
    }
    let side = match bulk(label, group) {
        Bulk::Tiny => 36.0,
        Bulk::Small => 46.0,
        Bulk::Medium => 54.0,
        Bulk::Large | Bulk::Huge => return None,
    };
    // People, buildings and vehicles are not carried.
    (!matches!(group, 1 | 5)).then_some(Grip::Front {
        width: side * 1.15,
        height: side,
    })
}

/// Returns true if people usually carry the thing. It is held even if the prompt only says "with".
pub fn is_carried(label: &str) -> bool {
    entry(label).is_some_and(|entry| entry.grip.is_some())
}

#[cfg(test)]
mod tests {
    use super::{Grip, grip_of};

    #[test]
    fn houses_and_people_are_not_held() {
        assert_eq!(grip_of("house", 5), None);
        assert_eq!(grip_of("elephant", 3), None);
        assert_eq!(grip_of("cook", 1), None);
        assert!(matches!(grip_of("red apple", 4), Some(Grip::Front { .. })));
    }
}

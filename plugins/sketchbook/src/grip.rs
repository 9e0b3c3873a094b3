//! The way a thing is held: raised in one hand, hanging from one hand, or in both hands in front of the body.

use crate::bulk::{Bulk, bulk};

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

const fn raised(label: &'static str, x: f32, y: f32, height: f32, turn: f32) -> (&'static str, Grip) {
    (
        label,
        Grip::Raised {
            at: (x, y),
            height,
            turn,
        },
    )
}

const fn lowered(label: &'static str, x: f32, y: f32, height: f32) -> (&'static str, Grip) {
    (label, Grip::Lowered { at: (x, y), height })
}

const fn front(label: &'static str, width: f32, height: f32) -> (&'static str, Grip) {
    (label, Grip::Front { width, height })
}

/// Things that people usually carry. They are held even if the prompt only says "with".
#[rustfmt::skip]
const CARRIED: &[(&str, Grip)] = &[
    raised("umbrella", 0.48, 0.84, 132.0, -10.0),
    raised("balloon", 0.10, 0.97, 112.0, 4.0),
    raised("lollipop", 0.90, 0.92, 78.0, 0.0),
    raised("magic wand", 0.05, 0.95, 72.0, 0.0),
    raised("broom", 0.62, 0.38, 130.0, 0.0),
    raised("flashlight", 0.80, 0.80, 64.0, 0.0),
    raised("fishing pole", 0.86, 0.94, 110.0, 12.0),
    raised("tulip", 0.50, 0.90, 72.0, 14.0),
    raised("rose", 0.50, 0.88, 72.0, 14.0),
    raised("sunflower", 0.50, 0.92, 84.0, 14.0),
    raised("hibiscus", 0.50, 0.85, 60.0, 14.0),
    raised("hyacinth", 0.50, 0.92, 72.0, 14.0),
    raised("herb", 0.50, 0.90, 60.0, 14.0),
    raised("feather", 0.12, 0.92, 70.0, 0.0),
    raised("bouquet", 0.78, 0.82, 82.0, 0.0),
    raised("soft ice cream", 0.50, 0.86, 76.0, 10.0),
    raised("candle", 0.50, 0.86, 62.0, 0.0),
    raised("microphone", 0.14, 0.86, 58.0, 0.0),
    raised("paintbrush", 0.62, 0.38, 72.0, 0.0),
    raised("pencil", 0.52, 0.48, 66.0, 0.0),
    raised("pen", 0.52, 0.48, 66.0, 0.0),
    raised("crayon", 0.52, 0.48, 60.0, 0.0),
    raised("fountain pen", 0.52, 0.48, 66.0, 0.0),
    raised("spoon", 0.85, 0.85, 66.0, 0.0),
    raised("key", 0.14, 0.88, 58.0, 0.0),
    raised("trident emblem", 0.50, 0.80, 110.0, 0.0),
    raised("shovel", 0.70, 0.30, 110.0, 0.0),
    raised("hammer", 0.85, 0.85, 66.0, 0.0),
    raised("sword", 0.50, 0.86, 100.0, 16.0),
    raised("baseball bat", 0.16, 0.86, 90.0, 0.0),
    raised("carpentry saw", 0.15, 0.80, 70.0, 0.0),
    raised("test tube", 0.50, 0.80, 56.0, 0.0),
    raised("scissors", 0.50, 0.85, 50.0, 0.0),
    raised("pick", 0.85, 0.85, 86.0, 0.0),
    raised("newspaper", 0.50, 0.70, 52.0, 0.0),
    raised("axe", 0.85, 0.88, 76.0, 0.0),
    raised("wrench", 0.80, 0.85, 66.0, 0.0),
    raised("screwdriver", 0.80, 0.85, 62.0, 0.0),
    raised("maracas", 0.85, 0.85, 62.0, 0.0),
    raised("megaphone", 0.70, 0.80, 62.0, 0.0),
    raised("kite", 0.80, 0.96, 110.0, 8.0),
    raised("magnifying glass tilted left", 0.86, 0.86, 66.0, 0.0),
    raised("maple leaf", 0.50, 0.94, 60.0, 12.0),
    raised("fallen leaf", 0.50, 0.92, 56.0, 12.0),
    raised("four leaf clover", 0.50, 0.92, 56.0, 12.0),
    raised("toothbrush", 0.70, 0.30, 62.0, 0.0),
    lowered("basket", 0.50, 0.05, 60.0),
    lowered("handbag", 0.50, 0.05, 54.0),
    lowered("purse", 0.50, 0.08, 46.0),
    lowered("shopping bags", 0.50, 0.06, 58.0),
    lowered("red paper lantern", 0.50, 0.03, 58.0),
    lowered("lantern", 0.50, 0.03, 54.0),
    lowered("luggage", 0.78, 0.05, 62.0),
    lowered("toolbox", 0.50, 0.08, 48.0),
    front("open book", 70.0, 50.0),
    front("closed book", 44.0, 50.0),
    front("books", 52.0, 50.0),
    front("notebook", 44.0, 50.0),
    front("scroll", 46.0, 52.0),
    front("guitar", 78.0, 60.0),
    front("banjo", 78.0, 60.0),
    front("violin", 70.0, 56.0),
    front("drum", 60.0, 54.0),
    front("long drum", 52.0, 56.0),
    front("accordion", 66.0, 46.0),
    front("saxophone", 60.0, 58.0),
    front("trumpet", 64.0, 48.0),
    front("trombone", 66.0, 48.0),
    front("postal horn", 58.0, 46.0),
    front("flute", 60.0, 46.0),
    front("harp", 56.0, 60.0),
    front("camera", 52.0, 40.0),
    front("teddy bear", 56.0, 56.0),
    front("wrapped gift", 52.0, 48.0),
    front("hot beverage", 46.0, 36.0),
    front("honey pot", 46.0, 46.0),
    front("ice cream", 44.0, 48.0),
    front("artist palette", 56.0, 44.0),
    front("shield", 50.0, 54.0),
    front("love letter", 46.0, 36.0),
    front("envelope", 46.0, 36.0),
    front("ring buoy", 46.0, 46.0),
    front("stopwatch", 36.0, 42.0),
    front("trophy", 50.0, 50.0),
    front("yarn", 46.0, 44.0),
];

/// Returns the grip on a thing, or `None` if it is too large or belongs to the sky.
pub fn grip_of(label: &str, group: u8) -> Option<Grip> {
    if let Some((_, grip)) = CARRIED.iter().find(|(known, _)| *known == label) {
        return Some(*grip);
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

/// Returns true if a subject "with" the thing holds it in the hand.
pub fn is_carried(label: &str) -> bool {
    CARRIED.iter().any(|(known, _)| *known == label)
}

#[cfg(test)]
mod tests {
    use super::{CARRIED, Grip, grip_of};
    use crate::art::Catalog;

    #[test]
    fn every_carried_thing_is_in_the_catalog() {
        let lost: Vec<&str> = CARRIED
            .iter()
            .map(|(label, _)| *label)
            .filter(|label| !Catalog::get().has(label))
            .collect();
        assert!(lost.is_empty(), "{lost:?}");
    }

    #[test]
    fn houses_and_people_are_not_held() {
        assert_eq!(grip_of("house", 5), None);
        assert_eq!(grip_of("elephant", 3), None);
        assert_eq!(grip_of("cook", 1), None);
        assert!(matches!(grip_of("red apple", 4), Some(Grip::Front { .. })));
    }
}

//! People: a large head with a face and hair, and clothes that show a person's role.
//!
//! A person is designed in units of a hundredth of the height of its head, with the chin at the origin.

mod clothes;
mod costumes;
mod gear;
mod hair;
mod halves;
mod head;
mod ink;
mod inked_eyes;
mod limbs;
mod look;
mod palette;
mod uniforms;
mod wish;

use tiny_skia::Transform;

use super::body::Arm;
use super::landmarks::{Crown, Hand, Landmarks, Neck};
use super::shapes::Point;
use super::{Anchors, Figure, Layer};
use crate::art::Detail;
use ink::Ink;

pub use look::{Look, Outfit};
pub use wish::HairWish;

/// The position of a raised hand. The first coordinate is a distance from the middle of the body.
pub const RAISED: Point = (61.0, -20.0);
/// The position of a hand on the hip. The first coordinate is a distance from the middle of the body.
pub const ON_HIP: Point = (25.0, 46.0);
/// The middle between two hands in front of the body.
pub const IN_FRONT: Point = (0.0, 42.0);

/// The width of a hat.
pub const HAT_WIDTH: f32 = 122.0;

/// The height of the head without hair.
const HEAD: f32 = 97.0;

/// The body of a child compared with that of an adult.
const CHILD: (f32, f32) = (0.88, 0.8);

/// The body of a baby compared with that of an adult.
const BABY: (f32, f32) = (0.8, 0.7);

/// The body in a space suit compared with that of another adult.
const SPACE_SUIT: (f32, f32) = (1.26, 0.96);

/// Returns a person in line art with the arms in a pose, fitted into a box and without what is too small to color there.
pub fn outlined(look: &Look, arms: [Arm; 2], (width, height): (f32, f32), detail: &Detail) -> Figure {
    let bounds = person(look, arms).bounds();
    let scale = (width / bounds.width()).min(height / bounds.height());
    let ink = Some(Ink::at_scale(scale, detail));
    person(&Look { ink, ..*look }, arms).fitted(width, height)
}

/// Returns a person with the arms in a pose. Its lowest feature is its chin, or the upper edge of its hands if that is
/// lower.
pub fn person(look: &Look, arms: [Arm; 2]) -> Figure {
    let (across, down) = match look.outfit {
        Outfit::Astronaut => SPACE_SUIT,
        _ if look.is_baby => BABY,
        _ if look.is_child => CHILD,
        _ => (1.0, 1.0),
    };
    let body = Transform::from_scale(across, down);
    let thinned = |layer: Layer| match &look.ink {
        Some(ink) => ink.thinned(layer),
        None => layer,
    };
    let mut layers: Vec<Layer> = hair::behind(look);
    let sized = |part: Vec<Layer>| part.into_iter().map(move |layer| thinned(layer.transformed(body)));
    layers.extend(sized(clothes::behind(look)));
    layers.extend(sized(clothes::body(look)));
    layers.extend(sized(gear::in_hand(look)));
    let mut lowest = 0.0_f32;
    for (side, arm) in [-1.0, 1.0].into_iter().zip(arms) {
        layers.extend(sized(limbs::arm(side, arm, look)));
        lowest = lowest.max(match arm {
            Arm::Raised | Arm::Around => 0.0,
            Arm::Down => (ON_HIP.1 - 9.0) * down,
            Arm::Forward(_) => IN_FRONT.1 * down,
        });
    }
    layers.extend(sized(clothes::over_arms(look)));
    let face = layers.len();
    layers.extend(gear::behind_head(look));
    layers.extend(head::head(look));
    layers.extend(hair::front(look));
    layers.extend(gear::headwear(look).into_iter().map(thinned));
    let anchors = Anchors {
        eyes: head::EYES.to_vec(),
        landmarks: Some(landmarks(across)),
        face: Some(face),
        coat: Some(look.skin),
        lowest_feature: Some(lowest),
    };
    Figure::new(layers, anchors)
}

fn landmarks(unit: f32) -> Landmarks {
    Landmarks {
        crown: Crown {
            top: (0.0, -HEAD - 5.0),
            width: HAT_WIDTH,
            tilt: 0.0,
            facing: 1.0,
        },
        neck: Some(Neck {
            left: (-25.0 * unit, 9.0),
            right: (25.0 * unit, 9.0),
            throat: 0.0,
            slim: 1.0,
        }),
        hand: Hand {
            at: (0.0, 0.0),
            outwards: 0.0,
            unit,
        },
        half_at_hand: 0.0,
        eyes: head::EYES.to_vec(),
    }
}

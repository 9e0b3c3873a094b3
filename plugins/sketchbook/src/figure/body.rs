//! Procedural bodies for drawings that show only a face: a small round body with the tail of the species.

use fastrand::Rng;
use tiny_skia::Transform;

use super::features::{Ears, Feature};
use super::landmarks::Landmarks;
use super::shapes::rectangle;
use super::sleep::sleep;
use super::torso::{bands, ears, hind_legs, ruff, shoes, soles, tail, trunk};
use super::{Figure, Layer, arms};
use crate::catalog::{ENTRIES, entry};
use crate::color::Rgb;
use crate::style::Style;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tail {
    None,
    Bushy,
    Long,
    Tuft,
    /// The thin curl of a pig.
    Curly,
    /// Rolled up over the back.
    Curled,
    Stub,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coat {
    Belly,
    Stripes,
    Patches,
    /// Stripes between the arms, for a coat that has none by nature.
    Bands,
    Spots,
    /// One area in a lighter color.
    Patch,
    /// A body with hands, whose clothes a person's look decides.
    Shirt,
}

/// The procedural body of a label.
#[derive(Clone, Copy, Debug)]
pub struct Species {
    pub label: &'static str,
    /// The catalog's label of the face.
    pub face: &'static str,
    pub tail: Tail,
    pub coat: Coat,
    pub legs: Legs,
    /// Ears in place of those of the face. `None` for its own.
    pub ears: Option<Ears>,
    /// True for tufts of long fur below the chin.
    pub is_fluffy: bool,
}

/// The hind legs of a standing body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Legs {
    Usual,
    Short,
    Long,
}

impl Legs {
    /// Returns the level of the feet, which end 8.5 below it.
    fn level(self) -> f32 {
        match self {
            Self::Usual => 89.0,
            Self::Short => 77.0,
            Self::Long => 108.0,
        }
    }
}

impl Species {
    /// Returns true for a clothed body.
    pub fn is_dressed(&self) -> bool {
        self.coat == Coat::Shirt
    }

    /// Returns true for a person in a costume.
    pub fn is_costumed(&self) -> bool {
        COSTUMED.iter().any(|species| species.label == self.label)
    }

    /// Returns half the width of the trunk at the armpit, for a head 100 units high.
    pub fn reach(&self) -> f32 {
        match self.coat {
            Coat::Shirt => 21.5,
            Coat::Belly | Coat::Stripes | Coat::Patches | Coat::Bands | Coat::Spots | Coat::Patch => 30.0,
        }
    }

    /// Gives an animal a feature. Returns false if its body cannot have it.
    pub fn take(&mut self, feature: Feature) -> bool {
        if self.is_dressed() {
            return false;
        }
        let is_bald = BALD.contains(&self.label);
        match feature {
            // Pigs have a smaller curl.
            Feature::Tail(Tail::Curly) if self.tail != Tail::Curly => self.tail = Tail::Curled,
            Feature::Tail(tail) => self.tail = tail,
            Feature::Spots => self.coat = Coat::Spots,
            Feature::Stripes if self.coat == Coat::Stripes => {}
            Feature::Stripes => self.coat = Coat::Bands,
            Feature::Patch => self.coat = Coat::Patch,
            Feature::Fluffy if !is_bald => {
                self.is_fluffy = true;
                if self.tail == Tail::Long && FLUFFY_TAILS.contains(&self.label) {
                    self.tail = Tail::Bushy;
                }
            }
            Feature::ShortLegs => self.legs = Legs::Short,
            Feature::LongLegs => self.legs = Legs::Long,
            Feature::Ears(ears @ (Ears::Pointed | Ears::Round)) if REMOVABLE_EARS.contains(&self.label) => {
                self.ears = Some(ears);
            }
            Feature::Fluffy | Feature::Ears(_) | Feature::Beard | Feature::Moustache => {
                return feature.is_natural_for(self.label);
            }
        }
        true
    }
}

pub fn species_of(label: &str) -> Option<Species> {
    entry(label).and_then(|entry| entry.body)
}

/// Returns the procedural body of a label, or that of a person in a costume.
pub fn species_in(label: &str) -> Option<Species> {
    let costumed = COSTUMED.iter().find(|species| species.label == label);
    costumed.copied().or_else(|| species_of(label))
}

/// Animals whose faces can be drawn without their ears.
const REMOVABLE_EARS: &[&str] = &["dog"];
/// Animals without fur.
const BALD: &[&str] = &["frog", "alien", "pig"];
/// Animals whose tail is as fluffy as the rest of their fur.
const FLUFFY_TAILS: &[&str] = &["dog", "cat"];

/// People with a costume, who have a procedural body although their drawing shows more than a face.
const COSTUMED: &[Species] = &[
    costumed("mermaid", "woman"),
    costumed("astronaut", "person"),
    costumed("man astronaut", "man"),
    costumed("woman astronaut", "woman"),
    costumed("superhero", "person"),
    costumed("man superhero", "man"),
    costumed("woman superhero", "woman"),
    costumed("fairy", "girl"),
    costumed("woman fairy", "girl"),
    costumed("mage", "old man"),
    costumed("man mage", "old man"),
    costumed("woman mage", "woman"),
    costumed("baby", "baby"),
];

const fn costumed(label: &'static str, face: &'static str) -> Species {
    Species {
        label,
        face,
        tail: Tail::None,
        coat: Coat::Shirt,
        legs: Legs::Usual,
        ears: None,
        is_fluffy: false,
    }
}

/// Returns true for labels whose only drawing is a face.
pub fn only_a_face(label: &str) -> bool {
    species_of(label).is_some_and(|species| species.face == species.label)
}

/// Returns true for the face of a procedural body, which is seen from the front.
pub fn is_face(label: &str) -> bool {
    ENTRIES
        .iter()
        .filter_map(|entry| entry.body)
        .any(|species| species.face == label)
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Arm {
    Down,
    Raised,
    /// Bent forward. The value is the distance of the hand from the middle of the body, in hundredths of the head's
    /// height.
    Forward(f32),
    /// Around another person of a cover in color, who hides the hand.
    Around,
}

impl Arm {
    fn any(rng: &mut Rng) -> Self {
        if rng.bool() { Self::Raised } else { Self::Down }
    }
}

/// A posture that a prompt may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Posture {
    Standing,
    Sitting,
    Waving,
    Dancing,
    Sleeping,
}

impl Posture {
    /// Returns true if the label has a procedural body that can take the posture. Clothed bodies always stand.
    pub fn is_possible_for(self, label: &str) -> bool {
        let needs_paws = matches!(self, Self::Sitting | Self::Sleeping);
        species_in(label).is_some_and(|species| !needs_paws || !species.is_dressed())
    }
}

/// The pose of a body: standing or sitting, the position of its arms, and its eyes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// The left arm, then the right arm.
    pub arms: [Arm; 2],
    standing: bool,
    asleep: bool,
}

impl Pose {
    pub fn any(rng: &mut Rng) -> Self {
        Self {
            arms: [Arm::any(rng), Arm::any(rng)],
            standing: rng.bool(),
            asleep: false,
        }
    }

    /// Returns a random pose in this style. On a cover in color, at least one arm waves.
    pub fn for_style(style: &Style, rng: &mut Rng) -> Self {
        let mut pose = Self::any(rng);
        if style.colored && !pose.arms.contains(&Arm::Raised) {
            pose.arms[usize::from(rng.bool())] = Arm::Raised;
        }
        pose
    }

    pub fn is_asleep(&self) -> bool {
        self.asleep
    }

    /// Changes the pose to a posture.
    pub fn take(&mut self, posture: Posture) {
        match posture {
            Posture::Standing => self.standing = true,
            Posture::Sitting => self.standing = false,
            Posture::Waving => self.arms = [Arm::Down, Arm::Raised],
            Posture::Dancing => (self.arms, self.standing) = ([Arm::Raised; 2], true),
            Posture::Sleeping => {
                *self = Self {
                    arms: [Arm::Down; 2],
                    standing: false,
                    asleep: true,
                };
            }
        }
    }
}

/// The fraction of the whole height that the head takes up.
pub const HEAD_SHARE: f32 = 0.58;

/// The part of a thing held in both hands that should be shown, as a share of the height of the head.
const HELD_BELOW_CHIN: f32 = 0.25;

/// Puts the face on a body. The face must be centered on the origin.
pub fn with_body(face: Figure, species: &Species, pose: Pose) -> Figure {
    let head = face.bounds();
    let size = head.height();
    // The body is designed for a head 100 units high, its chin at y = 0.
    let place = Transform::from_scale(size / 100.0, size / 100.0).post_translate(0.0, head.bottom());
    let colors = Colors::of(species, face.anchors.coat);
    let mut layers = Vec::new();
    tail(species.tail, &mut layers);
    colors.paint(&mut layers, 0, colors.coat, colors.coat.lighter(0.4));
    // A clothed body always stands, because soles and toes are drawn for paws only.
    let dressed = species.is_dressed();
    let from = layers.len();
    if dressed {
        shoes(&mut layers);
        colors.paint(&mut layers, from, colors.trousers, colors.shoe);
    } else if pose.standing {
        hind_legs(species.legs.level(), &mut layers);
        colors.paint(&mut layers, from, colors.coat, colors.coat);
    }
    let from = layers.len();
    trunk(species.coat, &mut layers);
    colors.paint(&mut layers, from, colors.trunk, colors.belly);
    if species.coat == Coat::Bands {
        let whole = layers[from].clone();
        layers[from] = bands().fold(whole, |whole, band| whole.trimmed(band, colors.belly));
    }
    if species.coat == Coat::Shirt {
        // The trunk of a shirt ends at the waist, below which the trousers begin.
        layers[from] = layers[from]
            .clone()
            .toned(rectangle(-40.0, 36.0, 80.0, 40.0), colors.trousers)
            .toned(rectangle(-40.0, 24.0, 80.0, 12.0), colors.trunk.lighter(0.45));
    }
    let from = layers.len();
    if !dressed && !pose.standing {
        soles(&mut layers);
        colors.paint(&mut layers, from, colors.coat, colors.belly);
    }
    for (side, pose) in [-1.0, 1.0].into_iter().zip(pose.arms) {
        let from = layers.len();
        arms::arm(side, pose, species, colors.coat, &mut layers);
        colors.paint(&mut layers, from, colors.trunk, colors.trunk);
    }
    if species.is_fluffy {
        layers.push(ruff().colored(colors.belly));
    }
    if let Some(kind) = species.ears {
        let (half, high) = (head.width() * 50.0 / size, 100.0);
        layers.extend(ears(kind, half, high).map(|layer| layer.colored(colors.coat.darker(0.2))));
    }
    let mut figure = Figure::from_layers(layers.iter().map(|layer| layer.transformed(place)).collect());
    let mut anchors = face.anchors.clone();
    anchors.landmarks = Some(Landmarks::embodied(&face));
    anchors.face = Some(figure.layers.len());
    // A thing in both hands is below the chin, and shown as far as there is room.
    let holds = pose.arms.iter().any(|arm| matches!(arm, Arm::Forward(_)));
    anchors.lowest_feature = Some(head.bottom() + if holds { size * HELD_BELOW_CHIN } else { 0.0 });
    let lids = if pose.asleep { sleep(&face) } else { Vec::new() };
    figure.join(face);
    figure.layers.extend(lids);
    figure.anchors = anchors;
    let whole = figure.bounds();
    figure.moved(0.0, -(whole.top() + whole.bottom()) / 2.0)
}

/// The colors of a procedural body.
struct Colors {
    coat: Rgb,
    trunk: Rgb,
    belly: Rgb,
    trousers: Rgb,
    shoe: Rgb,
}

impl Colors {
    fn of(species: &Species, coat: Option<Rgb>) -> Self {
        let coat = coat.unwrap_or(Rgb::WHITE);
        // Clothes differ between species and remain the same on every page.
        let number = species.label.bytes().map(usize::from).sum::<usize>();
        let clothes = [0x2f_86e8, 0xff_5f5f, 0x2f_b573, 0xff_9f2f, 0x8f_5be0, 0xff_6fa8].map(Rgb::hex);
        let (trunk, belly) = match species.coat {
            Coat::Belly | Coat::Stripes => (coat, coat.lighter(0.55)),
            Coat::Patch => (coat, coat.lighter(0.8)),
            Coat::Bands | Coat::Spots => (coat, coat.darker(0.35)),
            Coat::Patches => (coat, Rgb::hex(0xbc_8954)),
            Coat::Shirt => (clothes[number % clothes.len()], Rgb::WHITE),
        };
        Self {
            coat,
            trunk,
            belly,
            trousers: Rgb::hex(0x3f_5fa8),
            shoe: Rgb::hex(0xe8_4f4f),
        }
    }

    /// Colors the layers from a position on: the first fill in one color, the others in another.
    fn paint(&self, layers: &mut [Layer], from: usize, first: Rgb, others: Rgb) {
        let mut color = first;
        for layer in layers[from..].iter_mut().filter(|layer| layer.fill.is_some()) {
            layer.color = layer.color.or(Some(color));
            color = others;
        }
    }
}

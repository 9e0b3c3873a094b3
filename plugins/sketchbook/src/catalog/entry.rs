//! An entry of the catalog, and the functions that its file is written with.

use crate::art::Collection;
use crate::bulk::Bulk;
use crate::figure::body::{Coat, Legs, Species, Tail};
use crate::figure::landmarks::Build;
use crate::figure::shapes::Point;
use crate::grip::Grip;

/// Everything that is known of one drawing. An empty field leaves the default for the drawing's group.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The name of the drawing in the file of drawings.
    pub label: &'static str,
    named: bool,
    /// The words that mean the drawing, in addition to its label.
    pub words: &'static [&'static str],
    pub bulk: Option<Bulk>,
    /// True for things that fly next to or above the other subjects.
    pub airborne: bool,
    /// True for things that belong to the sky itself, such as the sun.
    pub celestial: bool,
    pub animate: Option<bool>,
    /// The name of the setting in which the drawing is shown if the prompt names no place.
    pub habitat: Option<&'static str>,
    pub extent: Extent,
    /// The only collection whose drawing is used for every audience.
    pub collection: Option<Collection>,
    /// True if the drawing already has something on its head.
    pub headwear: bool,
    /// The procedural body.
    pub body: Option<Species>,
    /// True if the procedural body may wear a lab coat.
    pub lab_coat: bool,
    /// The grip on a thing that people usually carry.
    pub grip: Option<Grip>,
    pub build: Option<Build>,
}

/// The part of a subject that is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Guessed from the lower edge: the drawing of a person may end at the chest.
    Guessed,
    /// A head and a neck.
    Head,
    /// From head to foot, however wide the pose is.
    Full,
}

/// Returns the entry of a drawing of which only the label is known.
pub(super) const fn drawing(label: &'static str) -> Entry {
    Entry {
        label,
        named: true,
        words: &[],
        bulk: None,
        airborne: false,
        celestial: false,
        animate: None,
        habitat: None,
        extent: Extent::Guessed,
        collection: None,
        headwear: false,
        body: None,
        lab_coat: false,
        grip: None,
        build: None,
    }
}

impl Entry {
    /// Adds the words that mean the drawing, in lowercase with spaces for hyphens. A thing without a drawing is a word
    /// of its nearest relative, such as a stork of a heron, and never of a thing that only shares the word.
    pub(super) const fn words(mut self, words: &'static [&'static str]) -> Self {
        self.words = words;
        self
    }

    /// Marks a drawing whose label is a word of another drawing.
    pub(super) const fn without_name(mut self) -> Self {
        self.named = false;
        self
    }

    pub(super) const fn bulk(mut self, bulk: Bulk) -> Self {
        self.bulk = Some(bulk);
        self
    }

    pub(super) const fn airborne(mut self) -> Self {
        self.airborne = true;
        self
    }

    pub(super) const fn celestial(mut self) -> Self {
        self.celestial = true;
        self
    }

    /// Marks a toy or a figure that is treated as a living being.
    pub(super) const fn animate(mut self) -> Self {
        self.animate = Some(true);
        self
    }

    /// Marks a drawing of the nature group that is neither a person nor an animal.
    pub(super) const fn inanimate(mut self) -> Self {
        self.animate = Some(false);
        self
    }

    pub(super) const fn habitat(mut self, setting: &'static str) -> Self {
        self.habitat = Some(setting);
        self
    }

    pub(super) const fn head_only(mut self) -> Self {
        self.extent = Extent::Head;
        self
    }

    pub(super) const fn full_length(mut self) -> Self {
        self.extent = Extent::Full;
        self
    }

    /// Marks a drawing whose detailed version looks grim or is mostly black.
    pub(super) const fn only_simple(mut self) -> Self {
        self.collection = Some(Collection::Fluent);
        self
    }

    /// Marks a drawing in whose simple version the subject is not recognizable: mere blocks, or without a face.
    pub(super) const fn only_detailed(mut self) -> Self {
        self.collection = Some(Collection::Noto);
        self
    }

    pub(super) const fn headwear(mut self) -> Self {
        self.headwear = true;
        self
    }

    /// Gives a procedural body to a drawing that is only a face.
    pub(super) const fn face(self, tail: Tail, coat: Coat) -> Self {
        let face = self.label;
        self.body(face, tail, coat)
    }

    /// Gives the drawing an alternative: the face of another label on a procedural body.
    pub(super) const fn body(mut self, face: &'static str, tail: Tail, coat: Coat) -> Self {
        self.body = Some(Species {
            label: self.label,
            face,
            tail,
            coat,
            legs: Legs::Usual,
            ears: None,
            is_fluffy: false,
        });
        self
    }

    /// Allows the procedural body to wear a lab coat.
    pub(super) const fn lab_coat(mut self) -> Self {
        assert!(self.body.is_some(), "only a procedural body can wear a lab coat");
        self.lab_coat = true;
        self
    }

    /// Sets the grip on a thing that is raised in one hand: a point of its box (fractions of width and height), its
    /// height in hundredths of the holder's head, and its turn outwards in degrees.
    pub(super) const fn raised(mut self, x: f32, y: f32, height: f32, turn: f32) -> Self {
        let at = (x, y);
        self.grip = Some(Grip::Raised { at, height, turn });
        self
    }

    /// Sets the grip on a thing that hangs from one hand.
    pub(super) const fn lowered(mut self, x: f32, y: f32, height: f32) -> Self {
        let at = (x, y);
        self.grip = Some(Grip::Lowered { at, height });
        self
    }

    /// Sets the grip on a thing that is held in both hands.
    pub(super) const fn front(mut self, width: f32, height: f32) -> Self {
        self.grip = Some(Grip::Front { width, height });
        self
    }

    /// Sets the positions of the head, the neck and the part that grips things, as fractions of width and height.
    pub(super) const fn landmarks(self, head: Point, neck: Point, hand: Point) -> Self {
        self.built(head, neck, hand, false)
    }

    /// Sets the landmarks of a subject that sits or stands on two legs.
    pub(super) const fn upright_landmarks(self, head: Point, neck: Point, hand: Point) -> Self {
        self.built(head, neck, hand, true)
    }

    const fn built(mut self, head: Point, neck: Point, hand: Point, upright: bool) -> Self {
        self.build = Some(Build {
            head,
            neck,
            hand,
            upright,
        });
        self
    }

    /// Returns true if the label can occur in a prompt and means this drawing.
    pub(super) const fn label_is_a_word(&self) -> bool {
        self.named && is_phrase(self.label)
    }

    /// Returns true if no prompt can name the drawing: its label has punctuation, and its words are missing.
    pub(super) const fn needs_a_word(&self) -> bool {
        self.named && !self.label_is_a_word() && self.words.is_empty()
    }
}

/// Returns true if the text has the form of words in a prompt: lowercase letters and digits, separated by single spaces.
/// Of the characters outside ASCII, only the letter ñ is accepted.
pub(super) const fn is_phrase(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut space = true;
    let mut at = 0;
    while at < bytes.len() {
        let letter = match bytes[at] {
            b'a'..=b'z' | b'0'..=b'9' => true,
            // The two bytes of ñ.
            0xc3 | 0xb1 => true,
            b' ' if !space => false,
            _ => return false,
        };
        (space, at) = (!letter, at + 1);
    }
    !space
}

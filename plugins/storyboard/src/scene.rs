//! Scenes: what is on a page before it is put into words.

use fastrand::Rng;

use crate::english::{counted, with_article};
use crate::verbs::{gerund, third_person};
use crate::who::Who;
use crate::world::Kind;

/// Small things that look well in twos and threes.
const IN_NUMBERS: &[&str] = &[
    "acorn",
    "apple",
    "balloon",
    "berry",
    "bubble",
    "carrot",
    "cherry",
    "chestnut",
    "cookie",
    "cupcake",
    "daisy",
    "egg",
    "feather",
    "flower",
    "heart",
    "leaf",
    "lemon",
    "mushroom",
    "pinecone",
    "pumpkin",
    "rose",
    "shell",
    "snowflake",
    "star",
    "starfish",
    "strawberry",
    "sunflower",
    "tulip",
];

/// What the lead of a page does.
#[derive(Clone, Debug)]
pub(crate) enum Activity {
    /// In the base form: "read a book".
    Does(String),
    /// In the theme's own words: "baking cookies".
    Is(String),
    /// The same of a thing that is not known: the prompt asks for it, and no caption claims it.
    Wished(String),
}

impl Activity {
    /// "reading a book".
    pub(crate) fn gerund(&self) -> String {
        match self {
            Self::Does(base) => gerund(base),
            Self::Is(words) | Self::Wished(words) => words.clone(),
        }
    }

    /// "reads a book", "is baking cookies".
    pub(crate) fn said(&self) -> String {
        match self {
            Self::Does(base) => third_person(base),
            Self::Is(words) | Self::Wished(words) => format!("is {words}"),
        }
    }
}

/// Some number of a thing.
#[derive(Clone, Debug)]
pub(crate) struct Prop {
    pub noun: String,
    pub count: usize,
}

impl Prop {
    /// One of it, or as many as look well.
    pub(crate) fn some(noun: String, random: &mut Rng) -> Self {
        let count = if IN_NUMBERS.contains(&noun.as_str()) {
            random.usize(1..=3)
        } else {
            1
        };
        Self { noun, count }
    }

    /// "a lantern", "three mushrooms".
    pub(crate) fn introduced(&self) -> String {
        if self.count == 1 {
            with_article(&self.noun)
        } else {
            counted(self.count, &self.noun)
        }
    }
}

/// One page before it is put into words.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    pub lead: Who,
    pub kind: Kind,
    pub companion: Option<Who>,
    /// What the page must show whatever its form: the theme names it.
    pub named: Vec<Who>,
    pub prop: Option<Prop>,
    pub activity: Option<Activity>,
    /// "beside a mossy log".
    pub place: String,
    /// "in a quiet forest"; empty where it would repeat the place.
    pub backdrop: String,
    /// "at sunrise"; empty on most pages.
    pub light: String,
}

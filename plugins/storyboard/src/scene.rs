//! Scenes: the contents of a page before they are put into words.

use fastrand::Rng;

use crate::english::{counted, with_article};
use crate::verbs::{gerund, third_person};
use crate::who::Who;
use crate::world::Kind;

/// Small things that look good in twos and threes.
const GROUPED_THINGS: &[&str] = &[
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

/// The activity of the lead of a page.
#[derive(Clone, Debug)]
pub(crate) enum Activity {
    /// An activity of the vocabularies in the base form: "read a book".
    Does(String),
    /// An activity in the words of the theme: "baking cookies".
    Is(String),
    /// An activity in the words of the theme with an unknown object. The prompt asks for it, but captions do not
    /// mention it, because the drawing may not show it.
    Wished(String),
}

impl Activity {
    /// Returns the -ing form: "reading a book".
    pub(crate) fn gerund(&self) -> String {
        match self {
            Self::Does(base) => gerund(base),
            Self::Is(words) | Self::Wished(words) => words.clone(),
        }
    }

    /// Returns the predicate of a sentence: "reads a book", "is baking cookies".
    pub(crate) fn predicate(&self) -> String {
        match self {
            Self::Does(base) => third_person(base),
            Self::Is(words) | Self::Wished(words) => format!("is {words}"),
        }
    }
}

/// A thing on a page, and the number of it.
#[derive(Clone, Debug)]
pub(crate) struct Prop {
    pub noun: String,
    pub count: usize,
}

impl Prop {
    /// Returns one of the thing, or one to three of a small thing.
    pub(crate) fn some(noun: String, random: &mut Rng) -> Self {
        let count = if GROUPED_THINGS.contains(&noun.as_str()) {
            random.usize(1..=3)
        } else {
            1
        };
        Self { noun, count }
    }

    /// Returns the thing with its article or count: "a lantern", "three mushrooms".
    pub(crate) fn introduced(&self) -> String {
        if self.count == 1 {
            with_article(&self.noun)
        } else {
            counted(self.count, &self.noun)
        }
    }
}

/// The contents of one page.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    pub lead: Who,
    pub kind: Kind,
    pub companion: Option<Who>,
    /// Subjects that the theme names and that the page must show in every form.
    pub named: Vec<Who>,
    pub prop: Option<Prop>,
    pub activity: Option<Activity>,
    /// The place with its preposition: "beside a mossy log".
    pub place: String,
    /// The backdrop with its preposition: "in a quiet forest". Empty if it would repeat the place.
    pub backdrop: String,
    /// The time of day: "at sunrise". Empty on most pages.
    pub light: String,
}

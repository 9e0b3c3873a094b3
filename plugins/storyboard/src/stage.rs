//! The stage: all subjects, places and things that one book may show, given its theme, notes and characters.

use linepress_plugin_sdk::planner::Audience;

use crate::notes::Exclusions;
use crate::theme::Person;
use crate::who::Who;
use crate::world::Kind;

/// A subject that can lead a page.
#[derive(Clone, Debug)]
pub(crate) struct Lead {
    pub who: Who,
    pub kind: Kind,
    pub activities: Vec<String>,
    /// The places where the lead may appear.
    pub places: Vec<String>,
}

/// A thing, a place or an object in the sky that the theme names: the book must show it, but it leads no page.
#[derive(Clone, Debug)]
pub(crate) enum Must {
    Thing(String),
    Place(String),
    Sky(String),
}

/// The contents that a book may show.
pub(crate) struct Stage {
    /// The main subjects: the request's characters, or else the subjects of the theme.
    pub stars: Vec<Lead>,
    /// Other leads from the same worlds.
    pub guests: Vec<Lead>,
    pub companions: Vec<Who>,
    pub props: Vec<String>,
    pub places: Vec<String>,
    pub backdrops: Vec<String>,
    pub lights: Vec<String>,
    pub motifs: Vec<String>,
    pub musts: Vec<Must>,
    /// The activity that the theme names: "baking cookies".
    pub doing: Option<String>,
    /// The end of every prompt: "in a scene about kindness".
    pub tail: String,
    pub patterns: bool,
    /// The adjective of the leading world.
    pub about: String,
    pub titles: Vec<String>,
    pub exclusions: Exclusions,
    pub audience: Audience,
    /// The people and animals that the theme names together with their kind.
    pub people: Vec<Person>,
}

//! The stage: all subjects, places and things that one book may show, given its theme, notes and characters.

use std::collections::HashMap;

use linepress_plugin_sdk::planner::Audience;

use crate::english::list;
use crate::notes::Exclusions;
use crate::terrain;
use crate::theme::Person;
use crate::who::Who;
use crate::words;
use crate::world::Kind;

/// The words before the topics of a theme at the end of a prompt.
pub(crate) const ABOUT: &str = ", in a scene about ";

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
    /// The places of an event in the scenery, the most typical first: "beside a teapot". Empty for a book without one.
    pub event_places: Vec<String>,
    /// The backdrops that belong to each place. Empty if all backdrops come from one world.
    pub surroundings: HashMap<String, Vec<String>>,
    pub lights: Vec<String>,
    pub motifs: Vec<String>,
    pub musts: Vec<Must>,
    /// The activity that the theme names: "baking cookies".
    pub doing: Option<String>,
    /// The topics of the theme that are no thing to draw: "quantum physics".
    pub topics: Vec<String>,
    pub patterns: bool,
    /// The adjectives of the worlds that the theme combines: "woodland winter".
    pub about: String,
    pub titles: Vec<String>,
    pub exclusions: Exclusions,
    pub audience: Audience,
    /// The people and animals that the theme names together with their kind.
    pub people: Vec<Person>,
}

impl Stage {
    /// Returns true if one picture can show the place in front of the backdrop.
    pub(crate) fn surrounds(&self, backdrop: &str, place: &str) -> bool {
        let own = self.surroundings.get(place);
        terrain::agree(place, backdrop) && own.is_none_or(|own| own.iter().any(|other| other == backdrop))
    }

    /// Adds the topics of the theme that a prompt does not name: "…, in a scene about quantum physics".
    pub(crate) fn with_topics(&self, prompt: String) -> String {
        let missing: Vec<String> = self
            .topics
            .iter()
            .filter(|topic| !words::contains(&prompt, topic))
            .cloned()
            .collect();
        match missing.as_slice() {
            [] => prompt,
            missing => format!("{prompt}{ABOUT}{}", list(missing)),
        }
    }
}

//! The stage: everything this one book may be made of, after the theme, the notes and the characters had their say.

use linepress_plugin_sdk::planner::{Audience, PlanRequest};

use crate::casting::Builder;
use crate::lexicon::Lexicon;
use crate::notes::{self, Exclusions};
use crate::reader;
use crate::theme::{Person, Theme};
use crate::who::Who;
use crate::words;
use crate::world::{self, Kind, World};

/// Somebody a page can be about.
#[derive(Clone, Debug)]
pub(crate) struct Lead {
    pub who: Who,
    pub kind: Kind,
    pub activities: Vec<String>,
    /// Where they can be met.
    pub places: Vec<String>,
}

/// Something the theme names that must be seen, though it leads no page.
#[derive(Clone, Debug)]
pub(crate) enum Must {
    Thing(String),
    Place(String),
    Sky(String),
}

/// What a book is made of.
pub(crate) struct Stage {
    /// Who the book is about: the request's characters, else what the theme names.
    pub stars: Vec<Lead>,
    /// Who else lives there.
    pub guests: Vec<Lead>,
    pub companions: Vec<Who>,
    pub props: Vec<String>,
    pub places: Vec<String>,
    pub backdrops: Vec<String>,
    pub lights: Vec<String>,
    pub motifs: Vec<String>,
    pub musts: Vec<Must>,
    /// "baking cookies", when the theme says so.
    pub doing: Option<String>,
    /// Words that every prompt ends with: "in a scene about kindness".
    pub tail: String,
    pub patterns: bool,
    /// Adjective and titles of the leading world.
    pub about: String,
    pub titles: Vec<String>,
    pub exclusions: Exclusions,
    pub audience: Audience,
    /// Whom the theme names together with their kind.
    pub people: Vec<Person>,
}

/// Sets the stage for a request.
pub(crate) fn set(request: &PlanRequest) -> Stage {
    let worlds = world::all();
    let lexicon = Lexicon::shared();
    let (mut exclusions, mut theme_words) = notes::read(&request.theme, lexicon);
    if words::is_foreign(&request.theme) {
        // This planner reads English alone: what it cannot read it leaves out, and says so.
        theme_words.clear();
    }
    let (refused, wish_words) = notes::read(request.notes.as_deref().unwrap_or_default(), lexicon);
    exclusions.merge(refused);
    let theme = reader::read(&theme_words, lexicon, worlds);
    let wishes = reader::read(&wish_words, lexicon, worlds);
    let chosen = choose_worlds(&theme, &wishes, worlds, &exclusions);
    let builder = Builder {
        worlds,
        lexicon,
        chosen,
        theme: &theme,
        exclusions,
    };
    let characters = characters(request, lexicon);
    builder.build(&characters, &wishes, request.audience)
}

fn choose_worlds(theme: &Theme, wishes: &Theme, worlds: &[World], exclusions: &Exclusions) -> Vec<usize> {
    let allowed = |index: &&usize| exclusions.allow(&worlds[**index].about) && exclusions.allow(&worlds[**index].name);
    let mut chosen: Vec<usize> = theme.worlds.iter().filter(allowed).copied().collect();
    if chosen.is_empty() {
        chosen = wishes.worlds.iter().filter(allowed).copied().collect();
    }
    if chosen.is_empty() {
        let wanted = if theme.patterns { "patterns" } else { world::ANYWHERE };
        chosen.extend(worlds.iter().position(|world| world.name == wanted));
    }
    chosen
}

/// The request's characters, each with the species its description names.
fn characters(request: &PlanRequest, lexicon: &Lexicon) -> Vec<(Who, Kind)> {
    let known = request.characters.iter().filter_map(|character| {
        let name = character.name.split_whitespace().collect::<Vec<_>>().join(" ");
        if name.is_empty() {
            return None;
        }
        let in_name = lexicon.first_animate(&words::split(&name));
        let found = lexicon.first_animate(&words::split(&character.description));
        let kind = in_name
            .as_ref()
            .or(found.as_ref())
            .and_then(|noun| lexicon.kind(noun))
            .unwrap_or(Kind::Person);
        // "Pip the Hedgehog" says it already.
        let species = if in_name.is_some() { None } else { found };
        Some((Who::Named { name, species }, kind))
    });
    known.collect()
}

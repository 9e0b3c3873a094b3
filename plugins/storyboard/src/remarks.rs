//! Remarks on a plan: named characters, and the words of the theme that no page shows.

use linepress_plugin_sdk::planner::{PageConcept, PlanRequest};

use crate::lexicon::Lexicon;
use crate::notes;
use crate::stage::{ABOUT, Stage};
use crate::theme::Person;
use crate::words::{self, Word};

/// The maximum number of words to report.
const MAX_UNPLACED_WORDS: usize = 10;

/// Returns the extra values of a plan: `character` for each person that the theme names, `unplaced` for each word that
/// no page shows.
pub(crate) fn extra_values(request: &PlanRequest, pages: &[PageConcept], stage: &Stage) -> Vec<(String, String)> {
    // The topics, such as "in a scene about a parade", do not guarantee that a page shows a parade.
    let prompts = pages.iter().filter_map(|page| page.prompt.split(ABOUT).next());
    let prompts: Vec<&str> = prompts.collect();
    let unplaced = unplaced(&request.theme, &prompts);
    let known = |person: &&Person| {
        let mut characters = request.characters.iter();
        characters.all(|character| !words::contains(&character.name, &person.name))
    };
    let people = stage.people.iter().filter(known);
    let people = people.map(|person| ("character".to_owned(), format!("{}: {}", person.name, person.noun)));
    let unplaced = unplaced.into_iter().map(|word| ("unplaced".to_owned(), word));
    people.chain(unplaced).collect()
}

/// Returns the words of a theme that name something but are not in any prompt.
fn unplaced(theme: &str, prompts: &[&str]) -> Vec<String> {
    let lexicon = Lexicon::shared();
    let is_foreign = words::is_foreign(theme);
    let (_, theme) = notes::read(theme, lexicon);
    let mut found: Vec<String> = Vec::new();
    let mut at = 0;
    while at < theme.len() && found.len() < MAX_UNPLACED_WORDS {
        let rest = &theme[at..];
        let known = lexicon.longest_match(rest).filter(|_| !is_foreign);
        let length = known.as_ref().map_or(1, |known| known.length);
        // A word that selects a world is shown by the contents of that world.
        let placed =
            known.is_some_and(|known| !known.worlds.is_empty() || known.group.is_some() || known.named_place.is_some());
        for word in &rest[..length] {
            let shown = || prompts.iter().any(|prompt| mentions(prompt, word));
            if !placed && names_something(word, lexicon) && !found.contains(&word.lower) && !shown() {
                found.push(word.lower.clone());
            }
        }
        at += length;
    }
    found
}

fn mentions(prompt: &str, word: &Word) -> bool {
    words::stems(prompt).any(|stem| stem == word.stem || stem == word.lower)
}

fn names_something(word: &Word, lexicon: &Lexicon) -> bool {
    let says_nothing =
        |form: &String| lexicon.stop.contains(form) || lexicon.verbs.contains(form) || lexicon.keep.contains(form);
    let letters = word.lower.chars().filter(|letter| letter.is_alphabetic()).count();
    letters > 2
        && !words::is_foreign_filler(&word.lower)
        && !says_nothing(&word.lower)
        && !says_nothing(&word.stem)
        && !word.lower.ends_with("ly")
}

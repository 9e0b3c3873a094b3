//! A change of a page that was drawn before, from the customer's instruction. A picture cannot be edited here: the page
//! is drawn again with the same composition, without the things that the instruction removes, with those that it adds,
//! and with those that it resizes in another size.

use linepress_plugin_sdk::v1::image::DrawRequest;

use crate::characters::Portrait;
use crate::edit::{Edit, Kind, Size, names};
use crate::figure::attire;
use crate::figure::traits::{Place, Trait};
use crate::token::{Token, scan};
use crate::words::{Possessions, Wish, is_animate, tokens};

/// Words that begin a clause which removes something.
const REMOVING: &[&str] = &[
    "remove",
    "delete",
    "erase",
    "drop",
    "omit",
    "skip",
    "hide",
    "lose",
    "exclude",
    "no",
    "without",
    "take away",
    "take off",
    "take out",
    "leave out",
    "leave off",
    "leave away",
    "cut out",
    "get rid of",
    "do not draw",
    "do not show",
    "dont draw",
    "dont show",
];
/// Words that begin a clause which adds something.
const ADDING: &[&str] = &[
    "add", "put", "insert", "include", "draw", "show", "give", "make", "let", "have", "with", "use",
];
/// Words that begin a clause about the position, the size or the lines of what is there.
const ARRANGING: &[&str] = &[
    "move",
    "shift",
    "rotate",
    "flip",
    "mirror",
    "thicken",
    "simplify",
    "zoom",
    "center",
    "centre",
    "resize",
    "enlarge",
    "shrink",
    "straighten",
    "fix",
    "keep",
    "align",
    "reposition",
    "tilt",
    "crop",
];
/// Words that begin a clause which puts one thing in the place of another, and the words between the two.
const REPLACING: &[&str] = &["replace", "change", "swap", "exchange", "turn"];
const BETWEEN_REPLACED: &[&str] = &["with", "by", "to", "into", "for"];
/// Words about a place or a look that only an editor could change.
const COMPARATIVES: &[&str] = &[
    "wider", "narrower", "longer", "thicker", "thinner", "fatter", "closer", "nearer", "further", "farther", "higher",
    "lower", "older", "younger", "happier", "sadder", "simpler", "brighter", "darker", "rounder", "cuter", "scarier",
    "bolder", "cleaner", "less", "size", "left", "right",
];
/// Words and verbs for another size.
const SIZES: &[(&[&str], Size)] = &[
    (&["bigger", "larger", "taller", "enlarge"], Size::Bigger),
    (&["smaller", "shorter", "tinier", "shrink"], Size::Smaller),
];
/// Words before the first verb.
const POLITE: &[&str] = &[
    "please", "also", "now", "then", "and", "but", "could", "can", "you", "just",
];

/// A clause of the instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Clause {
    /// These words name what is to be removed.
    Remove(String),
    /// These words are added to the prompt.
    Add(String),
    /// These words name what is to have another size.
    Resize(String, Size),
    /// The clause cannot be followed.
    Ignored,
}

/// The change of a page.
#[derive(Debug, Default)]
pub struct Change {
    clauses: Vec<(Clause, String)>,
}

impl Change {
    /// Reads the instruction of a request. Without one, nothing changes.
    pub fn of(request: &DrawRequest) -> Self {
        let mut change = Self::default();
        let instruction = request.change.as_ref().map(|change| &*change.instruction);
        for clause in clauses(instruction.unwrap_or_default()) {
            let before = change.clauses.last().map(|(clause, _)| clause);
            let read = read(&clause, before);
            change
                .clauses
                .extend(read.into_iter().map(|read| (read, clause.clone())));
        }
        change
    }

    /// Returns the prompt of the picture as it is now.
    pub fn present(request: &DrawRequest) -> &str {
        let present = request.change.as_ref().map(|change| change.present_prompt.trim());
        present.filter(|prompt| !prompt.is_empty()).unwrap_or(&request.prompt)
    }

    /// Returns the prompt with what the instruction adds.
    pub fn prompt(&self, request: &DrawRequest) -> String {
        let names: Vec<&str> = request.characters.iter().map(|character| &*character.name).collect();
        let mut prompt = Self::present(request).to_owned();
        let hero = hero(&prompt, &names);
        for (clause, _) in &self.clauses {
            if let Clause::Add(words) = clause {
                let owner = hero.as_deref().filter(|_| is_for_the_hero(words, &names));
                let owner = owner.map_or_else(String::new, |hero| format!("{hero} with "));
                prompt = format!("{}. {owner}{words}", prompt.trim_end_matches(['.', ' ', '\n']));
            }
        }
        prompt
    }

    /// Removes from the wish what the instruction removes without a change of the composition. Returns the clauses that
    /// add nothing: the picture shows whether they can be followed.
    pub fn apply(&self, wish: &mut Wish, characters: &[(&str, &Portrait)]) -> Vec<Edit> {
        let mut edits = Vec::new();
        for (clause, text) in &self.clauses {
            let (kind, words) = match clause {
                Clause::Add(_) => continue,
                Clause::Remove(words) => (Kind::Remove, words.as_str()),
                Clause::Resize(words, size) => (Kind::Resize(*size), words.as_str()),
                Clause::Ignored => (Kind::Other, ""),
            };
            let called = characters.iter().filter(|(name, _)| calls(words, name));
            let labels: Vec<String> = called.map(|(_, portrait)| portrait.label.clone()).collect();
            edits.push(Edit {
                clause: text.clone(),
                kind,
                names: names(words).into_iter().chain(labels).collect(),
                is_done: kind == Kind::Remove && remove(wish, words, characters),
            });
        }
        edits
    }
}

/// Splits an instruction at punctuation marks, and at "and" before a verb: "remove the hat and the scarf" is one clause.
fn clauses(instruction: &str) -> Vec<String> {
    let parts = instruction.split(['.', ',', ';', '!', '?', '\n']);
    let mut found: Vec<String> = Vec::new();
    for part in parts {
        let mut clause: Vec<&str> = Vec::new();
        let words: Vec<&str> = part.split_whitespace().collect();
        for (at, word) in words.iter().enumerate() {
            let joins = matches!(word.to_lowercase().as_str(), "and" | "but" | "then");
            if joins && begins_with_verb(&words[at + 1..].join(" ")) {
                found.push(clause.join(" "));
                clause.clear();
            } else {
                clause.push(word);
            }
        }
        found.push(clause.join(" "));
    }
    found.retain(|clause| clause.contains(char::is_alphanumeric));
    found
}

fn begins_with_verb(text: &str) -> bool {
    let words = imperative(text);
    [REMOVING, ADDING, ARRANGING, REPLACING]
        .iter()
        .any(|verbs| after_verb(&words, verbs).is_some())
}

/// The words of a clause without polite ones at its beginning.
fn imperative(clause: &str) -> Vec<String> {
    let words = tokens(clause);
    let skipped = words.iter().take_while(|word| POLITE.contains(&word.as_str())).count();
    words[skipped..].to_vec()
}

/// The number of words of the verb with which a clause begins. None if it begins with none of them.
fn after_verb(words: &[String], verbs: &[&str]) -> Option<usize> {
    let lengths = verbs.iter().filter_map(|verb| {
        let verb: Vec<&str> = verb.split(' ').collect();
        let begins = words.len() > verb.len() && words.iter().zip(&verb).all(|(word, verb)| word == verb);
        begins.then_some(verb.len())
    });
    lengths.max()
}

/// Reads a clause. One without a verb continues the clause before it.
fn read(clause: &str, before: Option<&Clause>) -> Vec<Clause> {
    let words = imperative(clause);
    if let Some(verb) = after_verb(&words, REMOVING) {
        return vec![Clause::Remove(words[verb..].join(" "))];
    }
    if let Some(verb) = after_verb(&words, REPLACING) {
        let between = words.iter().position(|word| BETWEEN_REPLACED.contains(&word.as_str()));
        return match between.filter(|at| *at > verb && at + 1 < words.len()) {
            Some(at) => vec![
                Clause::Remove(words[verb..at].join(" ")),
                Clause::Add(words[at + 1..].join(" ")),
            ],
            None => vec![Clause::Ignored],
        };
    }
    let says = |forms: &[&str]| words.iter().any(|word| forms.contains(&word.as_str()));
    if let Some((_, size)) = SIZES.iter().find(|(forms, _)| says(forms)) {
        return vec![Clause::Resize(words.join(" "), *size)];
    }
    if says(COMPARATIVES) || after_verb(&words, ARRANGING).is_some() {
        return vec![Clause::Ignored];
    }
    match (after_verb(&words, ADDING), before) {
        (Some(verb), _) => vec![Clause::Add(given(&words[verb..], &words[0]))],
        (None, Some(Clause::Remove(_))) => vec![Clause::Remove(words.join(" "))],
        (None, _) => vec![Clause::Add(words.join(" "))],
    }
}

/// Puts the owner before what it gets: "a hat on the fox" and "the fox a hat" become "the fox with a hat".
fn given(words: &[String], verb: &str) -> String {
    let all = || words.join(" ");
    match verb {
        "add" | "put" => {
            let to = words.iter().position(|word| matches!(word.as_str(), "to" | "on"));
            match to.filter(|at| *at > 0 && at + 1 < words.len()) {
                Some(at) if names_animate(&words[at + 1..]) => {
                    format!("{} with {}", words[at + 1..].join(" "), words[..at].join(" "))
                }
                _ => all(),
            }
        }
        "give" => {
            let article = |word: &String| matches!(word.as_str(), "a" | "an" | "some" | "two" | "three");
            match words.iter().skip(1).position(article) {
                Some(at) => format!("{} with {}", words[..=at].join(" "), words[at + 1..].join(" ")),
                None => all(),
            }
        }
        _ => all(),
    }
}

fn names_animate(words: &[String]) -> bool {
    let subjects = Wish::read(&words.join(" ")).subjects;
    subjects.iter().any(|subject| is_animate(&subject.label))
}

/// The name of the first character, or the first living subject of the prompt.
fn hero(prompt: &str, names: &[&str]) -> Option<String> {
    if let Some(name) = names.first() {
        return Some((*name).to_owned());
    }
    let subjects = Wish::read(prompt).subjects;
    let living = subjects.into_iter().find(|subject| is_animate(&subject.label));
    living.map(|subject| format!("the {}", subject.label))
}

/// Returns true if the words contain the name of a character.
fn calls(words: &str, name: &str) -> bool {
    words.to_lowercase().contains(&name.to_lowercase())
}

/// Returns true for something to wear without a wearer.
fn is_for_the_hero(words: &str, names: &[&str]) -> bool {
    let wearer = names.iter().any(|name| calls(words, name)) || names_animate(&tokens(words));
    !wearer && !items(words).is_empty()
}

/// The things to wear that a text names.
fn items(text: &str) -> Vec<Trait> {
    let tokens: Vec<Token> = scan(text);
    let pieces = (0..tokens.len()).filter_map(|at| {
        let piece = attire::piece(&tokens[at..])?;
        (!piece.is_doubtful()).then(|| piece.item_at(&tokens, at))
    });
    pieces.collect()
}

/// Removes from the wish what the words name, except for subjects next to the hero, which are left out of the finished
/// composition. Returns false if the wish contains nothing of it.
fn remove(wish: &mut Wish, words: &str, characters: &[(&str, &Portrait)]) -> bool {
    let gone = Wish::read(words);
    let items = items(words);
    let is_gone = |label: &str| gone.subjects.iter().any(|subject| subject.label == label);
    let take_off = |has: &mut Possessions, usual: &[Trait]| {
        let worn: Vec<Trait> = has.worn.iter().chain(usual).copied().collect();
        let is_worn = |item: &&Trait| worn.iter().any(|worn| worn.place() == item.place());
        let bare: Vec<Place> = items.iter().filter(is_worn).map(|item| item.place()).collect();
        has.worn.retain(|item| !bare.contains(&item.place()));
        let held = has.held.iter().map(|(label, _)| label);
        let put_down: Vec<String> = held.filter(|label| is_gone(label)).cloned().collect();
        let is_changed = !bare.is_empty() || !put_down.is_empty();
        has.bare.extend(bare);
        has.put_down.extend(put_down);
        is_changed
    };
    let mut found = false;
    for subject in &mut wish.subjects {
        found |= take_off(&mut subject.has, &[]);
    }
    for (index, has) in wish.named.iter_mut().enumerate() {
        let usual = characters.get(index).map_or(&[][..], |(_, portrait)| portrait.worn());
        found |= take_off(has, usual);
    }
    let mut keep = |is_gone: bool| {
        found |= is_gone;
        !is_gone
    };
    // Without its hero, a page is composed anew.
    let is_hero = wish.subjects.first().is_some_and(|hero| is_gone(&hero.label));
    if characters.is_empty() && is_hero {
        wish.subjects.retain(|subject| keep(is_gone(&subject.label)));
    }
    let is_subject = wish.subjects.iter().any(|subject| is_gone(&subject.label));
    let is_left = |name: &str| !is_subject && gone.settings.iter().any(|setting| setting.name == name);
    wish.settings.retain(|setting| keep(is_left(setting.name)));
    let is_unknown = |word: &String| gone.unknown.contains(word);
    wish.unknown.retain(|word| keep(is_unknown(word)));
    wish.spelled.retain(|word| !is_unknown(word));
    found
}

#[cfg(test)]
mod tests {
    use linepress_plugin_sdk::v1::image::{self, Aspect, Audience, Coloring, Pixels, Purpose, USUAL_LOOK};

    use super::*;
    use crate::edit::ignored;

    fn request(prompt: &str, instruction: &str) -> DrawRequest {
        DrawRequest {
            purpose: Purpose::Page,
            prompt: format!("{prompt}\n\nWith this change: {instruction}"),
            title: String::new(),
            aspect: Aspect::Portrait,
            size: Pixels {
                width: 300,
                height: 400,
            },
            audience: Audience::Child,
            coloring: Coloring::LineArt,
            look: USUAL_LOOK,
            characters: Vec::new(),
            source: None,
            change: Some(image::Change {
                instruction: instruction.into(),
                present_prompt: prompt.into(),
            }),
            seed: 1,
            book_seed: None,
            extra: Vec::new(),
        }
    }

    /// Returns the labels of the subjects, the number of worn items, and the clauses that are not followed.
    fn changed(prompt: &str, instruction: &str) -> (Vec<String>, usize, Vec<String>) {
        let request = request(prompt, instruction);
        let change = Change::of(&request);
        let mut wish = Wish::read(&change.prompt(&request));
        let edits = change.apply(&mut wish, &[]);
        let shown: Vec<String> = wish.subjects.iter().map(|subject| subject.label.clone()).collect();
        let ignored = ignored(&edits, &shown);
        let removes = |edit: &Edit, label: &str| edit.kind == Kind::Remove && edit.is_about(label);
        wish.subjects
            .retain(|subject| !edits.iter().any(|edit| removes(edit, &subject.label)));
        let worn = wish.subjects.iter().map(|subject| subject.has.worn.len()).sum();
        (
            wish.subjects.into_iter().map(|subject| subject.label).collect(),
            worn,
            ignored,
        )
    }

    #[test]
    fn a_removed_thing_is_gone_whether_it_is_worn_or_a_subject() {
        let nothing: [String; 0] = [];
        let (labels, worn, ignored) = changed("A fox wearing a hat in the woods", "remove the hat");
        assert_eq!((worn, &labels[..]), (0, &["fox".to_owned()][..]));
        assert_eq!(ignored, nothing);
        let (labels, _, ignored) = changed("A fox and a castle", "Please remove the castle!");
        assert_eq!(labels, ["fox"]);
        assert_eq!(ignored, nothing);
        let (labels, ..) = changed("A fox, a cat and a dog", "without the cat and the dog");
        assert_eq!(labels, ["fox"]);
    }

    #[test]
    fn an_added_thing_is_there() {
        let (labels, worn, ignored) = changed("A fox in the woods", "add a hat");
        assert_eq!((&labels[..], worn), (&["fox".to_owned()][..], 1));
        assert!(ignored.is_empty());
        for instruction in ["put a hat on the fox", "give the fox a hat", "make the fox wear a hat"] {
            let (labels, worn, _) = changed("A fox and a cat", instruction);
            assert_eq!(
                (&labels[..], worn),
                (&["fox".to_owned(), "cat".to_owned()][..], 1),
                "{instruction}"
            );
        }
        let (labels, ..) = changed("A fox", "add a cat and remove the fox");
        assert_eq!(labels, ["cat"]);
        let (labels, ..) = changed("A fox and a dog", "replace the dog with a cat");
        assert_eq!(labels, ["fox", "cat"]);
    }

    #[test]
    fn what_cannot_be_followed_is_listed_in_the_words_of_the_instruction() {
        let (labels, worn, ignored) = changed(
            "A fox with a hat at a castle",
            "Make the castle bigger, remove the hat and move the fox to the left",
        );
        assert!(labels.contains(&"castle".to_owned()) && worn == 0, "{labels:?} {worn}");
        assert_eq!(ignored, ["move the fox to the left"]);
        let (_, _, ignored) = changed(
            "A fox and a duck",
            "Make the fox smaller, enlarge the duck, brighter lines",
        );
        assert_eq!(ignored, ["brighter lines"]);
        let (_, _, ignored) = changed("A fox", "make the duck bigger");
        assert_eq!(ignored, ["make the duck bigger"]);
        let (_, _, ignored) = changed("A fox", "remove the hat");
        assert_eq!(ignored, ["remove the hat"]);
    }

    #[test]
    fn without_an_instruction_the_prompt_remains() {
        let request = DrawRequest {
            prompt: "A fox".into(),
            change: None,
            ..request("A fox", "")
        };
        let change = Change::of(&request);
        assert_eq!(change.prompt(&request), "A fox");
        assert!(change.apply(&mut Wish::read("A fox"), &[]).is_empty());
    }
}

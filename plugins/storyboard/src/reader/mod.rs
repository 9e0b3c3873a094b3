//! The reader of themes: finds the subjects of a theme word by word, and chooses the worlds it belongs to.
mod activity;
mod person;
mod worlds;

use crate::english::looks_plural;
use crate::lexicon::{Lexicon, Match};
use crate::senses::sense;
use crate::theme::{Hour, Subject, Theme};
use crate::words::Word;
use crate::world::{Kind, World};

/// The maximum number of named subjects in a book.
const MAX_SUBJECTS: usize = 12;

/// Endings of nouns that cannot be drawn.
const ABSTRACT: &[&str] = &[
    "ness", "ship", "ity", "tion", "sion", "ism", "ics", "logy", "aphy", "dom", "hood", "ment", "ance", "ence", "ure",
    "ory",
];

/// Words for heroes that a theme does not name one by one, in addition to the groups of the lexicon.
const COMPANY: &[&str] = &["friend", "buddy", "pal", "neighbor", "neighbour"];

/// Words before the place of a book: "at the lake".
const BEFORE_PLACES: &[&str] = &[
    "around", "at", "beside", "by", "in", "inside", "into", "near", "on", "through", "to", "under",
];

/// The way in which a word selects a world, the strongest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Call {
    /// "in the forest": the place where the book is set.
    Setting,
    /// "in summer": the season of the book, which suggests a setting.
    Hint,
    /// "moon": either the setting or only visible in the sky.
    Sky,
    /// "cat": a subject that belongs to a world but may appear in another.
    Subject,
}

struct Reader<'a> {
    text: &'a [Word],
    lexicon: &'a Lexicon,
    worlds: &'a [World],
    theme: Theme,
    calls: Vec<(Call, usize)>,
    /// Adjectives and unknown words before the noun that they describe.
    waiting: Vec<String>,
    /// True if the last word read was a subject that an activity may follow.
    after_actor: bool,
    /// True after a word such as "at", until the next "and" or "with".
    before_place: bool,
    in_title_case: bool,
}

/// Reads a theme, or the wishes in the customer's notes.
pub(crate) fn read(text: &[Word], lexicon: &Lexicon, worlds: &[World]) -> Theme {
    let mut reader = Reader {
        text,
        lexicon,
        worlds,
        theme: Theme::default(),
        calls: Vec::new(),
        waiting: Vec::new(),
        after_actor: false,
        before_place: false,
        in_title_case: text.iter().skip(1).filter(|word| word.capital).count() * 2 >= text.len(),
    };
    let mut at = 0;
    while at < text.len() {
        at += reader.step(&text[at..], at, text);
        if text[at - 1].ends_phrase {
            reader.flush(false);
            reader.before_place = false;
        }
    }
    reader.flush(false);
    reader.finish()
}

impl Reader<'_> {
    /// Reads the expression at the start of `rest` and returns its number of words.
    fn step(&mut self, rest: &[Word], at: usize, text: &[Word]) -> usize {
        let word = &rest[0];
        let actor_before = std::mem::replace(&mut self.after_actor, false);
        self.hour(word);
        self.role(word);
        if actor_before
            && at > 0
            && !text[at - 1].ends_phrase
            && let Some(length) = self.doing(rest, text[at - 1].possessive).or_else(|| self.acting(rest))
        {
            return length;
        }
        if word.lower == "who" {
            self.after_actor = actor_before;
            return 1;
        }
        if let Some(length) = self.person(rest, &text[..at]).or_else(|| self.bearer(word)) {
            return length;
        }
        if let Some(mut found) = self.lexicon.longest_match(rest) {
            let length = found.length;
            if let Some((noun, kind)) = found.noun.as_ref().and_then(|(noun, _)| sense(noun, self.text)) {
                // The worlds of the noun's usual meaning do not apply to its other meaning.
                found.worlds.clear();
                found.noun = Some((noun.to_owned(), kind));
            }
            // In "rescue dog", "rescue" describes the dog: it names no subject and selects no world.
            let says_which =
                length == 1 && word.stem == "rescue" && rest.get(1).is_some_and(|next| self.is_animate(next));
            if !says_which {
                self.add_match(&rest[..length], rest.get(length), found);
            }
            return length;
        }
        let before = at.checked_sub(1).map(|before| &text[before]);
        self.unknown(word, before, rest.get(1));
        1
    }

    fn hour(&mut self, word: &Word) {
        let hour = match word.lower.as_str() {
            "night" | "midnight" | "moonlight" | "moonlit" | "nocturnal" | "nighttime" => Hour::Night,
            "evening" | "dusk" | "sunset" => Hour::Evening,
            "dawn" | "sunrise" | "morning" => Hour::Morning,
            _ => return,
        };
        // Two hours, as in "from morning to night", mean the whole day.
        self.theme.hour = if self.theme.hour.is_some() { None } else { Some(hour) };
    }

    /// Reads the part that the next words play: the heroes of the book or its place.
    fn role(&mut self, word: &Word) {
        let group = self.lexicon.groups.get(&word.stem);
        let is_company = COMPANY.contains(&word.stem.as_str()) || group.is_some_and(|kind| kind.is_animate());
        // In "cupcake friends", the friends are cupcakes.
        let is_named = |subject: &Subject| !matches!(subject.kind, Kind::Place | Kind::Sky);
        self.theme.company |= is_company && !self.theme.subjects.iter().any(is_named);
        if matches!(word.lower.as_str(), "and" | "or" | "with") {
            self.before_place = false;
        }
        self.before_place |= BEFORE_PLACES.contains(&word.lower.as_str());
    }

    fn add_match(&mut self, matched: &[Word], next: Option<&Word>, found: Match) {
        matched.iter().skip(1).for_each(|word| self.role(word));
        if let Some(place) = found.named_place {
            self.theme.somewhere.get_or_insert(place);
        }
        self.theme.groups.extend(found.group);
        let phrase_goes_on = matched
            .last()
            .is_some_and(|last| !last.ends_phrase && !last.plural && !last.possessive);
        // In "pirate cats", the first noun describes the second.
        let describes = phrase_goes_on
            && found
                .noun
                .as_ref()
                .is_some_and(|(_, kind)| matches!(kind, Kind::Person | Kind::Animal))
            && next.is_some_and(|next| self.is_animate(next) && next.plural | !next.possessive);
        let call = match &found.noun {
            _ if found.group.is_some() => Call::Subject,
            _ if describes => Call::Setting,
            None | Some((_, Kind::Place)) => Call::Setting,
            Some((_, Kind::Sky)) => Call::Sky,
            Some(_) => Call::Subject,
        };
        for world in &found.worlds {
            let is_hint = self.is_hint(matched, *world);
            self.calls.push((if is_hint { Call::Hint } else { call }, *world));
        }
        if self.before_place {
            self.theme.placed.extend(&found.worlds);
        }
        let (noun, kind) = match (found.noun, found.group) {
            (Some(noun), None) => noun,
            _ => {
                self.waiting.retain(|word| self.lexicon.keep.contains(word));
                if found.group.is_none() {
                    self.waiting.clear();
                }
                self.after_actor = found.group.is_some();
                return;
            }
        };
        if describes {
            self.waiting.push(noun.to_lowercase());
            return;
        }
        self.after_actor = kind.is_animate();
        // An unknown word before a thing does not name a variety of it ("wheelchair basketball"), but before an animal
        // it does ("steampunk owl").
        if !kind.is_animate() {
            let keep = &self.lexicon.keep;
            self.waiting.retain(|word| keep.contains(word));
        }
        let noun = self.waiting.drain(..).chain([noun]).collect::<Vec<_>>().join(" ");
        self.add(Subject { noun, kind });
    }

    /// Returns true if the words only suggest the world.
    fn is_hint(&self, words: &[Word], world: usize) -> bool {
        let stems: Vec<&str> = words.iter().map(|word| word.stem.as_str()).collect();
        self.worlds[world].hints.contains(&stems.join(" "))
    }

    fn is_animate(&self, word: &Word) -> bool {
        let noun = self
            .lexicon
            .longest_match(std::slice::from_ref(word))
            .and_then(|found| found.noun);
        noun.is_some_and(|(_, kind)| kind.is_animate())
    }

    fn unknown(&mut self, word: &Word, before: Option<&Word>, next: Option<&Word>) {
        let lower = word.lower.as_str();
        let before = before
            .filter(|before| !before.ends_phrase)
            .map_or("", |before| before.lower.as_str());
        if self.lexicon.keep.contains(lower) {
            self.waiting.push(lower.to_owned());
            return;
        }
        let says_nothing = [lower, &word.stem]
            .iter()
            .any(|form| self.lexicon.stop.contains(*form) || self.lexicon.verbs.contains(*form))
            || lower.chars().all(|letter| !letter.is_alphabetic())
            || (lower.ends_with("ly") || lower.ends_with("ing"));
        if says_nothing {
            self.flush(false);
            return;
        }
        let is_name = word.capital
            && !self.in_title_case
            && (!before.is_empty() || word.possessive)
            && !matches!(before, "the" | "a" | "an")
            && !word.plural;
        if is_name {
            self.waiting.clear();
            let name = crate::english::sentence(lower);
            if matches!(before, "in" | "at" | "to" | "of" | "around" | "through" | "from") && !word.possessive {
                self.theme.somewhere.get_or_insert(name);
            } else {
                self.theme.names.push(name);
            }
            return;
        }
        let ends = word.ends_phrase || next.is_none_or(|next| self.lexicon.stop.contains(&next.lower));
        if ABSTRACT.iter().any(|ending| lower.ends_with(ending)) {
            self.waiting.push(lower.to_owned());
            if ends {
                self.flush(true);
            }
        } else if ends && (looks_plural(lower) || matches!(before, "a" | "an")) && lower.is_ascii() {
            let noun = self
                .waiting
                .drain(..)
                .chain([word.stem.clone()])
                .collect::<Vec<_>>()
                .join(" ");
            self.add(Subject {
                noun,
                kind: Kind::Thing,
            });
        } else {
            self.waiting.push(lower.to_owned());
            if ends {
                self.flush(true);
            }
        }
    }

    /// Ends the waiting words, which no noun followed: with `keep` they are a topic of the theme.
    fn flush(&mut self, keep: bool) {
        if self.waiting.is_empty() {
            return;
        }
        let phrase = self.waiting.drain(..).collect::<Vec<_>>().join(" ");
        if keep && self.theme.about.len() < 2 && phrase.chars().count() < 40 {
            self.theme.about.push(phrase);
        }
    }

    fn add(&mut self, subject: Subject) {
        let known = self.theme.subjects.iter().any(|other| other.noun == subject.noun);
        if !known && self.theme.subjects.len() < MAX_SUBJECTS {
            self.theme.subjects.push(subject);
        }
    }
}

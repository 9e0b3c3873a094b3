//! The reader of themes: finds the subjects of a theme word by word, and chooses the worlds it belongs to.

use crate::english::looks_plural;
use crate::lexicon::{Lexicon, Match};
use crate::senses::sense;
use crate::theme::{Hour, Person, Subject, Theme};
use crate::verbs::gerund;
use crate::words::{self, Word};
use crate::world::{Kind, World};

/// The maximum number of named subjects in a book.
const MAX_SUBJECTS: usize = 12;

/// Forms in -ing that do not describe a visible activity.
const EMPTY_ING: &[&str] = &[
    "amazing",
    "being",
    "celebrating",
    "coloring",
    "colouring",
    "doing",
    "drawing",
    "enjoying",
    "enjoyable",
    "everything",
    "evening",
    "exploring",
    "featuring",
    "going",
    "interesting",
    "looking",
    "living",
    "meeting",
    "morning",
    "something",
    "spending",
    "starring",
    "travelling",
    "traveling",
    "visiting",
];

/// Words that end an activity: "bears baking cookies | in the snow".
const ENDS_DOING: &[&str] = &[
    "and", "or", "in", "on", "at", "under", "by", "for", "during", "from", "through", "near", "around", "over", "into",
    "to", "inside", "outside", "along", "across", "after", "before", "while", "among", "between", "beside", "but",
    "who", "that",
];

/// Nouns that form a compound with an -ing form: "sewing room" is a thing, not an activity.
const OF_DOING: &[&str] = &[
    "room",
    "shop",
    "school",
    "class",
    "club",
    "trip",
    "party",
    "lesson",
    "competition",
    "contest",
    "day",
    "camp",
    "studio",
    "team",
    "bee",
    "machine",
    "circle",
    "course",
    "table",
    "pool",
    "show",
    "season",
    "corner",
    "store",
    "center",
    "game",
    "world",
    "adventure",
    "friend",
    "pals",
    "book",
    "range",
    "rink",
    "court",
    "boat",
    "rod",
    "suit",
    "hood",
];

/// Possessives that may precede a person or animal with a name: "my dog Biscuit".
const OWNERS: &[&str] = &["my", "our", "his", "her", "their", "your"];

/// Things that imply a person, with the subject that is drawn for them.
const BEARERS: &[(&str, &str)] = &[
    ("wheelchair", "person in a wheelchair"),
    ("hijab", "woman with a headscarf"),
    ("headscarf", "woman with a headscarf"),
];

/// Endings of nouns that cannot be drawn.
const ABSTRACT: &[&str] = &[
    "ness", "ship", "ity", "tion", "sion", "ism", "ics", "logy", "aphy", "dom", "hood", "ment", "ance", "ence", "ure",
    "ory",
];

/// The way in which a word selects a world, the strongest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Call {
    /// "in the forest": the place where the book is set.
    Setting,
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
        in_title_case: text.iter().skip(1).filter(|word| word.capital).count() * 2 >= text.len(),
    };
    let mut at = 0;
    while at < text.len() {
        at += reader.step(&text[at..], at, text);
        if text[at - 1].ends_phrase {
            reader.flush(false);
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

    /// Reads an activity in the -ing form, as in "hedgehogs having a picnic". Returns its number of words.
    fn doing(&mut self, rest: &[Word], is_owned: bool) -> Option<usize> {
        let first = &rest[0].lower;
        if is_owned || !first.ends_with("ing") || first.len() < 5 || EMPTY_ING.contains(&first.as_str()) {
            return None;
        }
        let mut taken: Vec<&Word> = vec![&rest[0]];
        for word in rest.iter().skip(1).take(4) {
            if taken.last().is_some_and(|last| last.ends_phrase) || ENDS_DOING.contains(&word.lower.as_str()) {
                break;
            }
            taken.push(word);
        }
        let length = taken.len();
        if taken.iter().skip(1).any(|word| OF_DOING.contains(&word.stem.as_str())) {
            return None;
        }
        for at in 0..length {
            let worlds = self
                .lexicon
                .longest_match(&rest[at..length])
                .map(|found| found.worlds)
                .unwrap_or_default();
            self.calls
                .extend(worlds.into_iter().map(|world| (Call::Setting, world)));
        }
        while taken
            .last()
            .is_some_and(|last| matches!(last.lower.as_str(), "a" | "an" | "the" | "their" | "with" | "of"))
        {
            taken.pop();
        }
        if taken.len() > 1 || !self.lexicon.stop.contains(first) {
            let words: Vec<&str> = taken.iter().map(|word| word.lower.as_str()).collect();
            self.theme.doing.get_or_insert(words.join(" "));
        }
        Some(length)
    }

    /// Reads a verb with its object, as in "plays the cello". Returns the number of words.
    fn acting(&mut self, rest: &[Word]) -> Option<usize> {
        let verb = &rest[0];
        let base = ["es", "s"]
            .iter()
            .filter_map(|ending| verb.lower.strip_suffix(ending))
            .find(|base| self.lexicon.verbs.contains(*base))?
            .to_owned();
        if verb.ends_phrase || verb.possessive {
            return None;
        }
        let mut object: Vec<&str> = Vec::new();
        for word in rest.iter().skip(1).take(4) {
            if ENDS_DOING.contains(&word.lower.as_str()) {
                break;
            }
            object.push(&word.lower);
            if word.ends_phrase {
                break;
            }
        }
        let names = object.last().is_some_and(|last| !self.lexicon.stop.contains(*last));
        if !names {
            return None;
        }
        let length = object.len() + 1;
        for at in 1..length {
            let found = self.lexicon.longest_match(&rest[at..length]);
            let worlds = found.map(|found| found.worlds).unwrap_or_default();
            self.calls
                .extend(worlds.into_iter().map(|world| (Call::Setting, world)));
        }
        let doing = gerund(&format!("{base} {}", object.join(" ")));
        self.theme.doing.get_or_insert(doing);
        Some(length)
    }

    /// Reads an animal or person with a name: "my dog Biscuit", "a dog named Biscuit", "Biscuit the dog". Returns the
    /// number of words.
    fn person(&mut self, rest: &[Word], before: &[Word]) -> Option<usize> {
        let (kind_at, name_at, length) = if rest.get(1).is_some_and(|word| word.lower == "the")
            && rest[0].capital
            && !rest[0].ends_phrase
            && !self.lexicon.stop.contains(&rest[0].lower)
        {
            let length = self.animate(rest.get(2..)?)?.length;
            (2, 0, 2 + length)
        } else {
            let length = self.animate(rest)?.length;
            let called = rest
                .get(length)
                .is_some_and(|word| matches!(word.lower.as_str(), "named" | "called"));
            let owned = before
                .iter()
                .rev()
                .take(3)
                .take_while(|word| !word.ends_phrase)
                .any(|word| OWNERS.contains(&word.lower.as_str()));
            if !called && !owned {
                return None;
            }
            let name_at = length + usize::from(called);
            (0, name_at, name_at + 1)
        };
        let name = rest.get(name_at).filter(|name| self.is_name(name, rest.get(length)))?;
        let (noun, kind) = self.animate(&rest[kind_at..])?.noun?;
        self.waiting.clear();
        self.theme.people.push(Person {
            name: crate::english::sentence(&name.lower),
            noun,
            kind,
        });
        self.after_actor = true;
        Some(length)
    }

    fn animate(&self, rest: &[Word]) -> Option<Match> {
        let found = self.lexicon.longest_match(rest)?;
        let last = rest.get(found.length - 1)?;
        let animate = found.noun.as_ref().is_some_and(|(_, kind)| kind.is_animate());
        (animate && !last.ends_phrase && !last.possessive && !last.plural).then_some(found)
    }

    /// Returns true for a capitalized word that is not a verb. In a text in title case it must also end the phrase:
    /// "Our Dog Park Picnic" does not name a dog.
    fn is_name(&self, word: &Word, next: Option<&Word>) -> bool {
        let says = |word: &Word| {
            [&word.lower, &word.stem]
                .into_iter()
                .any(|form| self.lexicon.stop.contains(form) || self.lexicon.verbs.contains(form))
        };
        let goes_on =
            !word.ends_phrase && !word.possessive && next.is_some_and(|next| !says(next) && next.lower != "the");
        word.capital && !says(word) && !(self.in_title_case && goes_on)
    }

    /// Reads a thing that implies a person, such as a wheelchair, as that person. Returns the number of words.
    fn bearer(&mut self, word: &Word) -> Option<usize> {
        let (_, noun) = BEARERS.iter().find(|(thing, _)| *thing == word.stem)?;
        self.waiting.clear();
        self.add(Subject {
            noun: (*noun).to_owned(),
            kind: Kind::Person,
        });
        Some(1)
    }

    fn add_match(&mut self, matched: &[Word], next: Option<&Word>, found: Match) {
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
        self.calls.extend(found.worlds.iter().map(|world| (call, *world)));
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

    /// Chooses the worlds: first the settings, then the worlds that the sky suggests, then those with most of the
    /// subjects.
    fn finish(mut self) -> Theme {
        let is_soft = |index: usize| self.worlds[index].soft;
        self.theme.patterns = self.calls.iter().any(|(_, world)| self.worlds[*world].patterns);
        let mut chosen: Vec<usize> = Vec::new();
        for wanted in [Call::Setting, Call::Sky] {
            if chosen.is_empty() {
                let called = self
                    .calls
                    .iter()
                    .filter(|(call, world)| *call == wanted && !is_soft(*world));
                called.for_each(|(_, world)| chosen.push(*world));
            }
        }
        chosen.retain(|world| !self.worlds[*world].patterns);
        if chosen.is_empty() {
            chosen = self.homes();
        }
        if chosen.is_empty() {
            chosen = self.calls.iter().map(|(_, world)| *world).collect();
        }
        let mut seen = Vec::new();
        chosen.retain(|world| {
            !seen.contains(world) && {
                seen.push(*world);
                true
            }
        });
        chosen.truncate(3);
        self.theme.worlds = chosen;
        self.theme
    }

    /// Returns the worlds in which the named subjects live, those with most of them first.
    fn homes(&self) -> Vec<usize> {
        let mut homeless: Vec<&Subject> = self.theme.subjects.iter().collect();
        let mut homes = Vec::new();
        loop {
            let score = |index: usize| {
                let world = &self.worlds[index];
                let called = self.calls.iter().filter(|(_, called)| *called == index).count();
                if world.soft || world.patterns {
                    return 0;
                }
                let living = homeless.iter().filter(|subject| lives_in(subject, world)).count();
                if homes.is_empty() {
                    3 * living + 2 * called
                } else {
                    3 * living
                }
            };
            let best = (0..self.worlds.len())
                .rev()
                .max_by_key(|index| score(*index))
                .filter(|index| score(*index) > 0);
            let Some(best) = best.filter(|_| homes.len() < 2) else {
                return homes;
            };
            homeless.retain(|subject| !lives_in(subject, &self.worlds[best]));
            homes.push(best);
        }
    }
}

fn lives_in(subject: &Subject, world: &World) -> bool {
    let head = subject.noun.as_str();
    let heroes = world
        .casts
        .iter()
        .flat_map(|cast| &cast.heroes)
        .filter(|_| !world.occasion);
    heroes
        .chain(&world.companions)
        .chain(&world.props)
        .any(|noun| noun == head || head.ends_with(&format!(" {noun}")))
        || world.keywords.iter().any(|keyword| words::contains(head, keyword))
}

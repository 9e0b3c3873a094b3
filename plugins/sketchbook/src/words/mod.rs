//! From the customer's words to labels of the catalog.

mod inflection;
mod links;
mod nouns;
mod reader;
mod roles;
mod senses;
mod somebody;
mod synonyms;
mod token;

use std::collections::HashMap;
use std::sync::OnceLock;

use reader::Reader;

use crate::art::Catalog;
use crate::figure::traits::Trait;
use crate::setting::{Ground, Setting};

pub use inflection::singulars;
pub use somebody::is_somebody;
pub use token::{End, Token, scan};

/// A thing to draw, by its label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    pub label: String,
    pub count: usize,
    pub has: Possessions,
    /// What it has by its trade, where the prompt says nothing else.
    pub usual: Possessions,
}

/// What somebody has in the hands and on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Possessions {
    /// Labels, and how many of each.
    pub held: Vec<(String, usize)>,
    pub worn: Vec<Trait>,
}

impl Possessions {
    pub fn is_empty(&self) -> bool {
        self.held.is_empty() && self.worn.is_empty()
    }

    pub fn extend(&mut self, more: &Self) {
        self.held.extend(more.held.iter().cloned());
        self.worn.extend(&more.worn);
    }

    /// What is usual, where there is nothing else: one thing in the hands, and one at each place of the body.
    fn complete(&mut self, usual: &Self) {
        if self.held.is_empty() {
            self.held.extend(usual.held.iter().cloned());
        }
        for item in &usual.worn {
            if !self.worn.iter().any(|known| known.place() == item.place()) {
                self.worn.push(*item);
            }
        }
    }
}

/// What a prompt asks for.
#[derive(Clone, Debug, Default)]
pub struct Wish {
    /// In the order of the prompt: the first is the hero.
    pub subjects: Vec<Subject>,
    pub settings: Vec<&'static Setting>,
    /// A mandala or a pattern was asked for by name.
    pub pattern: bool,
    /// At sunrise or at sunset.
    pub low_sun: bool,
    /// What those have who were given by name, in the order of the names.
    pub named: Vec<Possessions>,
    /// Nouns that one would expect to see, and that no drawing shows.
    pub unknown: Vec<String>,
    /// Those that the prompt names before anything that is drawn, where they can be written: the page shows the words.
    pub spelled: Vec<String>,
}

/// Words of a label or a prompt: lowercase, split at everything that is no letter or digit.
pub fn tokens(text: &str) -> Vec<String> {
    scan(text).into_iter().map(|token| token.word).collect()
}

/// From words to labels.
fn lexicon() -> &'static HashMap<String, String> {
    static LEXICON: OnceLock<HashMap<String, String>> = OnceLock::new();
    LEXICON.get_or_init(|| {
        let mut labels = HashMap::new();
        for drawing in Catalog::get().all() {
            labels.insert(tokens(&drawing.label).join(" "), drawing.label.clone());
        }
        // In the order of the table, so that a synonym may lead to an earlier one.
        for pass in 0..2 {
            for (word, meaning) in synonyms::all() {
                if let Some(label) = labels.get(*meaning).cloned() {
                    // "chicken" is a face in the catalog and a bird in a prompt: the hand-made list wins.
                    if pass == 0 || !labels.contains_key(*word) {
                        labels.insert((*word).to_string(), label);
                    }
                }
            }
        }
        labels
    })
}

/// The label for a phrase of one or more words, and whether the phrase was a plural.
pub fn label(phrase: &[String]) -> Option<(&'static str, bool)> {
    let labels = lexicon();
    if let Some(label) = labels.get(&phrase.join(" ")) {
        return Some((label, false));
    }
    let (last, before) = phrase.split_last()?;
    singulars(last).into_iter().find_map(|singular| {
        let words: Vec<&str> = before.iter().map(String::as_str).chain([singular.as_str()]).collect();
        labels.get(&words.join(" ")).map(|label| (label.as_str(), true))
    })
}

/// Whether a word is among those of a list, which stand apart by spaces.
fn is_one_of(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|known| known == word)
}

const LONGEST_PHRASE: usize = 5;
const PLAIN_PLURAL: usize = 2;

/// How many a word says there are.
fn quantity(word: &str) -> Option<usize> {
    Some(match word {
        "two" | "pair" | "couple" | "twin" | "both" | "2" => 2,
        "three" | "trio" | "family" | "several" | "few" | "3" => 3,
        "four" | "4" => 4,
        "five" | "many" | "flock" | "herd" | "school" | "lots" | "bunch" | "swarm" | "pack" | "5" => 5,
        "six" | "6" => 6,
        "seven" | "7" => 7,
        "eight" | "8" => 8,
        "nine" | "9" => 9,
        "ten" | "dozen" | "10" => 10,
        _ => return None,
    })
}

const PATTERN_WORDS: &[&str] = &[
    "mandala",
    "mandalas",
    "pattern",
    "patterns",
    "zentangle",
    "tessellation",
    "kaleidoscope",
    "stained",
];
const LOW_SUN: &[&str] = &["sunrise", "sunset", "dawn", "daybreak", "sundown"];
/// Words that have a label, but in a prompt mostly mean something else.
const NOT_SUBJECTS: &[&str] = &[
    "window", "windows", "a", "an", "the", "fly", "flies", "park", "box", "bow", "cup", "cap", "wave", "well", "home",
    "sweet", "orange", "palm", "spring", "fall", "park", "light", "watch", "link", "saw", "bat wing", "cooking", "pan",
    "fair", "gate", "can", "play", "playing", "happy", "big", "desert", "letter", "square", "ice", "wedding",
];

impl Wish {
    pub fn read(prompt: &str) -> Self {
        Self::about(prompt, &[])
    }

    /// The same where some names stand for characters.
    pub fn about(prompt: &str, names: &[&str]) -> Self {
        Self::within(prompt, names, "")
    }

    /// The same in a book or on a page of a title, which may tell what a word means.
    pub fn within(prompt: &str, names: &[&str], title: &str) -> Self {
        let tokens = scan(prompt);
        let words: Vec<String> = tokens.iter().map(|token| token.word.clone()).collect();
        let wish = Self {
            pattern: words.iter().any(|word| PATTERN_WORDS.contains(&word.as_str())),
            low_sun: words.iter().any(|word| LOW_SUN.contains(&word.as_str())),
            named: vec![Possessions::default(); names.len()],
            ..Self::default()
        };
        Reader::new(wish, tokens, names, title).read()
    }

    /// "A mandala of leaves around a fox" is a picture of the fox.
    fn put_the_middle_first(&mut self, words: &[String]) {
        let Some(at) = words.iter().position(|word| word == "around").filter(|_| self.pattern) else {
            return;
        };
        let middle = (at + 1..words.len()).find_map(|from| longest(&words[from..]).1);
        let found = middle.and_then(|(label, ..)| self.subjects.iter().position(|subject| subject.label == label));
        if let Some(found) = found {
            let subject = self.subjects.remove(found);
            self.subjects.insert(0, subject);
        }
    }

    /// Returns the index of the subject. A carpenter and a tailor are two, though one drawing shows both.
    fn add(&mut self, label: &str, count: usize, usual: Possessions) -> usize {
        let known = |subject: &Subject| subject.label == label && subject.usual == usual;
        if let Some(index) = self.subjects.iter().position(known) {
            let subject = &mut self.subjects[index];
            subject.count = subject.count.max(count);
            return index;
        }
        self.subjects.push(Subject {
            label: label.to_string(),
            count,
            has: Possessions::default(),
            usual,
        });
        self.subjects.len() - 1
    }

    /// A place named by several words: "under the sea" is not "sea".
    fn place_phrase(&mut self, words: &[String], outside: bool) -> Option<usize> {
        (2..=LONGEST_PHRASE.min(words.len())).rev().find(|length| {
            Setting::named(&words[..*length].join(" ")).is_some() && self.place(&words[..*length], outside)
        })
    }

    fn place(&mut self, words: &[String], outside: bool) -> bool {
        let found = Setting::named(&words.join(" ")).or_else(|| {
            words
                .last()
                .and_then(|last| singulars(last).iter().find_map(|singular| Setting::named(singular)))
        });
        let Some(mut setting) = found else { return false };
        if outside && setting.ground == Ground::Room {
            setting = Setting::named("city").expect("the city is a setting");
        }
        if !self.settings.iter().any(|known| known.name == setting.name) {
            self.settings.push(setting);
        }
        true
    }
}

/// The words of a theme that no drawing shows. A theme is a phrase and not a picture: "axolotl tea party" misses the axolotl,
/// though there is a party with tea.
pub fn unknown_in_theme(theme: &str, names: &[&str]) -> Vec<String> {
    let tokens = scan(theme);
    let wish = Wish {
        named: vec![Possessions::default(); names.len()],
        ..Wish::default()
    };
    let (seen, tokens) = Reader::new(wish, tokens, names, "").look();
    nouns::unseen_in_theme(&tokens, &seen)
}

/// The content words of a phrase that a drawing of it shows in no way: neither as a drawing, nor as a place, nor as what
/// somebody wears. Stricter than the unknown words of a prompt, which leave out what is rarely missed.
pub fn undrawn(phrase: &str) -> Vec<String> {
    let (seen, tokens) = Reader::new(Wish::default(), scan(phrase), &[], "").look();
    nouns::undrawn(&tokens, &seen)
}

/// Whether the next noun is only near: "in front of a library" is no room. One adjective may stand between.
fn outside(before: &[String]) -> bool {
    let near = |word: &String| {
        matches!(
            word.as_str(),
            "near" | "beside" | "by" | "outside" | "behind" | "front" | "next" | "over" | "above"
        )
    };
    before.iter().rev().take(4).any(near)
        && before.iter().rev().take_while(|word| !near(word)).all(|word| {
            matches!(word.as_str(), "a" | "an" | "the" | "of" | "to") || label(std::slice::from_ref(word)).is_none()
        })
        && !before
            .iter()
            .rev()
            .take_while(|word| !near(word))
            .any(|word| matches!(word.as_str(), "in" | "inside" | "at"))
}

/// The longest phrase at the start that has a label: how many words, and (label, plural, may be a setting too).
fn longest(words: &[String]) -> (usize, Option<(&'static str, bool, bool)>) {
    for length in (1..=LONGEST_PHRASE.min(words.len())).rev() {
        let phrase = &words[..length];
        let joined = phrase.join(" ");
        if length == 1 && (NOT_SUBJECTS.contains(&joined.as_str()) || Setting::only_a_place(&joined)) {
            continue;
        }
        if let Some((label, plural)) = label(phrase) {
            return (length, Some((label, plural, true)));
        }
    }
    (1, None)
}

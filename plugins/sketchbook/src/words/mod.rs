//! The mapping from the customer's words to labels of the catalog.

mod actions;
mod animate;
mod links;
mod nouns;
mod reader;
mod roles;
mod senses;

use reader::Reader;
use roles::Role;

use crate::catalog::label_of;
use crate::figure::body::{Posture, species_of};
use crate::figure::features::Named;
use crate::figure::person::Outfit;
use crate::figure::sketch::Sketch;
use crate::figure::traits::{Place, Trait};
use crate::inflection::singulars;
use crate::setting::{Ground, Setting};
use crate::token::scan;

pub use animate::is_animate;

/// A subject to draw, identified by its label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subject {
    pub label: String,
    pub count: usize,
    pub has: Possessions,
    /// The default possessions of its role, used where the prompt names no others.
    pub usual: Possessions,
}

/// The things that a subject holds and wears, and its posture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Possessions {
    /// The labels of the held things, and the number of each.
    pub held: Vec<(String, usize)>,
    pub worn: Vec<Trait>,
    /// Parts of the body on which nothing is worn, whatever the description of a character or its role names.
    pub bare: Vec<Place>,
    /// Labels of held things that a change of the page takes away.
    pub put_down: Vec<String>,
    /// The posture, and the word of the prompt that names it.
    pub posture: Option<(Posture, String)>,
    /// The clothes of a role.
    pub outfit: Option<Outfit>,
    /// The features of the body.
    pub features: Vec<Named>,
}

impl Possessions {
    /// Returns true if any drawing of the subject will do. What a change takes away counts: the drawing remains the same.
    pub fn is_empty(&self) -> bool {
        let is_bare = self.worn.is_empty() && self.bare.is_empty() && self.features.is_empty();
        self.held.is_empty() && is_bare && self.posture.is_none()
    }

    pub fn extend(&mut self, more: &Self) {
        self.held.extend(more.held.iter().cloned());
        self.worn.extend(&more.worn);
        self.bare.extend(&more.bare);
        self.put_down.extend(more.put_down.iter().cloned());
        self.features.extend(more.features.iter().cloned());
        self.outfit = self.outfit.or(more.outfit);
        if self.posture.is_none() {
            self.posture.clone_from(&more.posture);
        }
    }

    /// Removes a posture that the drawings of a label cannot take. Returns the word that names it, if a reader would
    /// miss it.
    pub fn drop_impossible_posture(&mut self, label: &str) -> Option<String> {
        let (posture, word) = self.posture.take()?;
        if posture.is_possible_for(label) {
            self.posture = Some((posture, word));
            return None;
        }
        // Most animals sit or stand in their drawings.
        (!matches!(posture, Posture::Sitting | Posture::Standing)).then_some(word)
    }

    /// Adds the usual possessions where the prompt names none: held things if the hands are empty, and an item for each
    /// part of the body that is bare.
    fn complete(&mut self, usual: &Self) {
        self.outfit = self.outfit.or(usual.outfit);
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

/// The parsed contents of a prompt.
#[derive(Clone, Debug, Default)]
pub struct Wish {
    /// In the order of the prompt. The first is the hero.
    pub subjects: Vec<Subject>,
    pub settings: Vec<&'static Setting>,
    /// The words that name the settings.
    pub place_words: Vec<(&'static Setting, String)>,
    /// The names of settings that only furniture or a meal suggests.
    suggested: Vec<&'static str>,
    /// True if the prompt names a place, and not only a season or an occasion.
    has_place: bool,
    /// True if the prompt asks for a mandala or a pattern.
    pub pattern: bool,
    /// True at sunrise or sunset.
    pub low_sun: bool,
    /// The possessions of the named characters, in the order of the names.
    pub named: Vec<Possessions>,
    /// Nouns that a reader would expect to see on the page, but that have no drawing.
    pub unknown: Vec<String>,
    /// Words for motions and landmarks that no drawing shows.
    pub unshown: Vec<String>,
    /// Verbs for swimming, which is shown only in a setting with water.
    pub swimming: Vec<String>,
    /// Unknown nouns that the prompt names before any drawable subject, if a font can write them. The page shows these
    /// words in letters.
    pub spelled: Vec<String>,
}

/// Splits a label or a prompt into lowercase words, at every character that is not a letter or digit.
pub fn tokens(text: &str) -> Vec<String> {
    scan(text).into_iter().map(|token| token.word).collect()
}

/// Returns the label for a phrase of one or more words, and true if the phrase was a plural.
pub fn label(phrase: &[String]) -> Option<(&'static str, bool)> {
    if let Some(label) = label_of(&phrase.join(" ")) {
        return Some((label, false));
    }
    let (last, before) = phrase.split_last()?;
    singulars(last).into_iter().find_map(|singular| {
        let words: Vec<&str> = before.iter().map(String::as_str).chain([singular.as_str()]).collect();
        label_of(&words.join(" ")).map(|label| (label, true))
    })
}

/// Returns true if `list`, which is separated by spaces, contains the word.
fn is_one_of(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|known| known == word)
}

const MAX_PHRASE_WORDS: usize = 5;
const DEFAULT_PLURAL_COUNT: usize = 2;

/// Returns the number that a word stands for: "three", or an estimate for "many".
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
/// Words that have a label but usually mean something else in a prompt.
const NOT_SUBJECTS: &[&str] = &[
    "window", "windows", "a", "an", "the", "fly", "flies", "park", "box", "bow", "cup", "cap", "wave", "well", "home",
    "sweet", "orange", "palm", "spring", "fall", "park", "light", "watch", "link", "saw", "bat wing", "cooking", "pan",
    "fair", "gate", "can", "play", "playing", "happy", "big", "desert", "letter", "square", "ice", "wedding",
];

/// The labels of adults without a role.
pub const ADULTS: &[&str] = &["woman", "man", "old woman", "old man"];
/// Words before "helpers" that mean people with a trade, separated by spaces.
const COMMUNITIES: &str = "community everyday town city local neighborhood";
/// The helpers that a cover shows, the most important first: the role, and the label of the person.
const HELPERS: &[(&str, &str)] = &[("firefighter", "man"), ("doctor", "woman"), ("builder", "person")];

impl Wish {
    pub fn read(prompt: &str) -> Self {
        Self::about(prompt, &[])
    }

    /// Reads a prompt in which the given names are characters.
    pub fn about(prompt: &str, names: &[&str]) -> Self {
        Self::within(prompt, names, "")
    }

    /// Reads a prompt like [`Wish::about`]. The title of the book or page may decide the meaning of ambiguous words.
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

    /// Removes the postures that the drawings of the subjects and of the characters with these labels cannot take. Returns
    /// the words that name them.
    pub fn drop_impossible_postures(&mut self, characters: &[&str]) -> Vec<String> {
        let subjects = self.subjects.iter_mut();
        let dropped = subjects.filter_map(|subject| subject.has.drop_impossible_posture(&subject.label));
        let mut words: Vec<String> = dropped.collect();
        let named = self.named.iter_mut().zip(characters);
        words.extend(named.filter_map(|(has, label)| has.drop_impossible_posture(label)));
        words
    }

    /// Makes the subject after "around" the hero: "a mandala of leaves around a fox" is a picture of the fox.
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

    /// Adds the subjects of a cover in color whose prompt names none: a family, or the inhabitants of the place.
    pub fn add_stars(&mut self, prompt: &str) {
        let words = tokens(prompt);
        let stars = match self.settings.first() {
            _ if words.iter().any(|word| word == "family") => &["woman", "man", "girl"][..],
            Some(setting) => setting.stars(),
            None => &[],
        };
        for label in stars {
            self.add(label, 1, Possessions::default());
        }
    }

    /// Replaces the people of "people who help us" on a cover in color by those that the prompt describes, or by a
    /// firefighter, a doctor and a builder in front of its other subjects.
    pub fn name_helpers(&mut self, prompt: &str) {
        let words = tokens(prompt);
        let says = |phrase: [&str; 3]| {
            let fits = |window: &[String]| window.iter().zip(phrase).all(|(word, list)| is_one_of(list, word));
            words.windows(3).any(fits)
        };
        let helpers = words
            .windows(2)
            .any(|pair| is_one_of(COMMUNITIES, &pair[0]) && pair[1] == "helpers");
        if !helpers && !says(["people persons", "who that", "help helped"]) {
            return;
        }
        let is_anybody = |subject: &Subject| subject.label == "person" && subject.has.is_empty();
        self.subjects.retain(|subject| !is_anybody(subject));
        self.unknown.retain(|word| word != "helpers");
        let is_helper = |subject: &Subject| !subject.usual.is_empty() || ADULTS.contains(&subject.label.as_str());
        if self.subjects.iter().any(is_helper) {
            return;
        }
        let others = std::mem::take(&mut self.subjects);
        for (role, label) in HELPERS {
            let Some((role, _)) = Role::named(&[(*role).to_string()]) else {
                continue;
            };
            let index = self.add(label, 1, role.possessions());
            let subject = &mut self.subjects[index];
            subject.has = subject.usual.clone();
        }
        self.subjects.extend(others);
    }

    /// Removes the hose from the unknown words if a firefighter is the only person on a cover in color, who has one.
    pub fn take_gear(&mut self) {
        let is_person = |subject: &&Subject| species_of(&subject.label).is_some_and(|species| species.is_dressed());
        let mut people = self.subjects.iter().filter(is_person);
        if let (Some(person), None) = (people.next(), people.next())
            && person.count == 1
            && person.has.outfit == Some(Outfit::Firefighter)
            && person.has.held.iter().all(|(label, _)| label == "bucket")
        {
            self.unknown.retain(|word| word != "hose");
        }
    }

    /// Removes from the unknown words those that a cover in color draws. Returns the drawings.
    pub fn take_sketches(&mut self) -> Vec<Sketch> {
        let sketches = self.unknown.iter().filter_map(|word| Sketch::named(word)).collect();
        self.unknown.retain(|word| Sketch::named(word).is_none());
        sketches
    }

    /// Adds a subject and returns its index. Subjects with different roles, such as a carpenter and a tailor, remain
    /// separate even though they have the same label.
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

    /// Adds a place named by several words and returns their number: "under the sea" is not "sea".
    fn place_phrase(&mut self, words: &[String], outside: bool) -> Option<usize> {
        (2..=MAX_PHRASE_WORDS.min(words.len())).rev().find(|length| {
            Setting::named(&words[..*length].join(" ")).is_some() && self.place(&words[..*length], outside)
        })
    }

    fn place(&mut self, words: &[String], outside: bool) -> bool {
        let known = |name: String| Setting::named(&name).map(|setting| (setting, name));
        let found = known(words.join(" ")).or_else(|| singulars(words.last()?).into_iter().find_map(known));
        let Some((mut setting, named)) = found else {
            return false;
        };
        let mut is_suggested = Setting::is_only_suggested_by(&named);
        if outside && setting.ground == Ground::Room {
            // A building that is only nearby suggests a street.
            setting = Setting::named("city").expect("the city is a setting");
            is_suggested = true;
        }
        if !self.settings.iter().any(|known| known.name == setting.name) {
            self.settings.push(setting);
        } else if is_suggested {
            return true;
        }
        self.suggested.retain(|known| *known != setting.name);
        if is_suggested {
            self.suggested.push(setting.name);
        }
        self.has_place |= !is_suggested && setting.is_a_place(&named);
        self.place_words.push((setting, named));
        true
    }

    /// Returns true if the word for a place also names one of the subjects.
    pub fn shows(&self, place: &str) -> bool {
        let found = label(&tokens(place));
        found.is_some_and(|(label, _)| self.subjects.iter().any(|subject| subject.label == label))
    }

    /// Removes the settings that furniture or a meal suggests if the prompt names a place.
    fn drop_suggested_settings(&mut self) {
        if self.has_place {
            let suggested = std::mem::take(&mut self.suggested);
            let is_meant = |setting: &&'static Setting| !suggested.contains(&setting.name);
            self.settings.retain(is_meant);
            self.place_words.retain(|(setting, _)| is_meant(setting));
        }
    }
}

/// Returns the words of a theme that have no drawing. A theme is checked word by word: for "axolotl tea party", the
/// result is "axolotl", although tea has a drawing.
pub fn unknown_in_theme(theme: &str, names: &[&str]) -> Vec<String> {
    let tokens = scan(theme);
    let wish = Wish {
        named: vec![Possessions::default(); names.len()],
        ..Wish::default()
    };
    let (seen, tokens) = Reader::new(wish, tokens, names, "").look();
    nouns::unseen_in_theme(&tokens, &seen)
}

/// Returns the content words of a phrase that are neither a drawing, nor a place, nor something to wear. Stricter than
/// [`Wish::unknown`], which leaves out words that a reader rarely misses.
pub fn undrawn(phrase: &str) -> Vec<String> {
    let (seen, tokens) = Reader::new(Wish::default(), scan(phrase), &[], "").look();
    nouns::undrawn(&tokens, &seen)
}

/// Returns true if the next noun is only nearby: "in front of a library" is not a room. Unknown words, such as
/// adjectives, may be in between.
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

/// Finds the longest phrase at the start of `words` that has a label. Returns its length in words and, if found, its
/// label, true for a plural, and true if the phrase may also be a setting.
fn longest(words: &[String]) -> (usize, Option<(&'static str, bool, bool)>) {
    for length in (1..=MAX_PHRASE_WORDS.min(words.len())).rev() {
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

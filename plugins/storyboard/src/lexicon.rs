//! The lexicon: words that name something to draw, with their kind, and words that do not.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use serde::Deserialize;

use crate::words::Word;
use crate::world::{Kind, World};

/// The maximum length of an expression, in words: "father's day", "trick or treat", "once upon a time".
const MAX_EXPRESSION_WORDS: usize = 4;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Source {
    animal: Vec<String>,
    bird: Vec<String>,
    fish: Vec<String>,
    insect: Vec<String>,
    person: Vec<String>,
    vehicle: Vec<String>,
    aircraft: Vec<String>,
    sky: Vec<String>,
    place: Vec<String>,
    thing: Vec<String>,
    groups: HashMap<String, Kind>,
    stop: HashSet<String>,
    verbs: HashSet<String>,
    keep: HashSet<String>,
    places_named: Vec<String>,
    scary: Vec<String>,
}

/// The known words and fixed expressions.
pub(crate) struct Lexicon {
    /// The written form and the kind of each noun, by its lowercase singular.
    nouns: HashMap<String, (String, Kind)>,
    /// The worlds that each keyword selects, by its lowercase singular.
    keywords: HashMap<String, Vec<usize>>,
    pub groups: HashMap<String, Kind>,
    pub stop: HashSet<String>,
    pub verbs: HashSet<String>,
    pub keep: HashSet<String>,
    pub scary: Vec<String>,
    named_places: HashMap<String, String>,
}

/// The meaning of a sequence of words.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Match {
    /// The number of words.
    pub length: usize,
    pub noun: Option<(String, Kind)>,
    pub worlds: Vec<usize>,
    pub group: Option<Kind>,
    /// A city or country.
    pub named_place: Option<String>,
}

impl Lexicon {
    /// Returns the lexicon, which is read once.
    pub(crate) fn shared() -> &'static Self {
        static SHARED: LazyLock<Lexicon> = LazyLock::new(|| Lexicon::new(crate::world::all()));
        &SHARED
    }

    /// Reads the lexicon and adds the vocabulary of the worlds.
    fn new(worlds: &[World]) -> Self {
        let source: Source = toml::from_str(include_str!("lexicon.toml")).expect("lexicon.toml is well-formed");
        let mut nouns = HashMap::new();
        let own = [
            (Kind::Animal, &source.animal),
            (Kind::Bird, &source.bird),
            (Kind::Fish, &source.fish),
            (Kind::Insect, &source.insect),
            (Kind::Person, &source.person),
            (Kind::Vehicle, &source.vehicle),
            (Kind::Aircraft, &source.aircraft),
            (Kind::Sky, &source.sky),
            (Kind::Place, &source.place),
            (Kind::Thing, &source.thing),
        ];
        let heroes = worlds
            .iter()
            .flat_map(|world| world.casts.iter().map(|cast| (cast.kind, &cast.heroes)));
        let props = worlds.iter().map(|world| (Kind::Thing, &world.props));
        for (kind, words) in own.into_iter().chain(heroes).chain(props) {
            for noun in words {
                nouns.entry(noun.to_lowercase()).or_insert_with(|| (noun.clone(), kind));
            }
        }
        let mut keywords: HashMap<String, Vec<usize>> = HashMap::new();
        for (index, world) in worlds.iter().enumerate() {
            for keyword in world.keywords.iter().chain(&world.hints) {
                keywords.entry(keyword.clone()).or_default().push(index);
            }
        }
        let named_places = source
            .places_named
            .into_iter()
            .map(|name| (name.to_lowercase(), name))
            .collect();
        Self {
            nouns,
            keywords,
            groups: source.groups,
            stop: source.stop,
            verbs: source.verbs,
            keep: source.keep,
            scary: source.scary,
            named_places,
        }
    }

    /// Returns the longest known expression at the start of `words`.
    pub(crate) fn longest_match(&self, words: &[Word]) -> Option<Match> {
        let phrase = words
            .iter()
            .position(|word| word.ends_phrase)
            .map_or(words.len(), |end| end + 1);
        (1..=MAX_EXPRESSION_WORDS.min(phrase)).rev().find_map(|length| {
            let (last, start) = words[..length].split_last()?;
            let before: String = start.iter().map(|word| format!("{} ", word.lower)).collect();
            let join = |last: &str| format!("{before}{last}");
            // "glasses" and "binoculars" are known in the plural, "owls" by its singular.
            let keys = if length == 1 && last.possessive {
                vec![format!("{}'s", last.lower), last.lower.clone(), last.stem.clone()]
            } else {
                vec![join(&last.lower), join(&last.stem)]
            };
            let found = Match {
                length,
                noun: keys.iter().find_map(|key| self.nouns.get(key)).cloned(),
                worlds: keys
                    .iter()
                    .find_map(|key| self.keywords.get(key))
                    .cloned()
                    .unwrap_or_default(),
                group: keys.iter().find_map(|key| self.groups.get(key)).copied(),
                named_place: keys.iter().find_map(|key| self.named_places.get(key)).cloned(),
            };
            let known = found.noun.is_some()
                || !found.worlds.is_empty()
                || found.group.is_some()
                || found.named_place.is_some();
            known.then_some(found)
        })
    }

    /// Returns the kind of a known noun.
    pub(crate) fn kind(&self, noun: &str) -> Option<Kind> {
        self.nouns.get(&noun.to_lowercase()).map(|(_, kind)| *kind)
    }

    /// Returns the first animate noun of a text: the species in a character's description.
    pub(crate) fn first_animate(&self, words: &[Word]) -> Option<String> {
        (0..words.len()).find_map(|at| {
            let (noun, kind) = self.longest_match(&words[at..])?.noun?;
            kind.is_animate().then_some(noun)
        })
    }
}

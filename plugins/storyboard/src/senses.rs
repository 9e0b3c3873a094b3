//! Nouns with several meanings. The other words of a theme decide the meaning, and the prompts then use an unambiguous
//! noun.

use crate::words::Word;
use crate::world::Kind;

/// A noun, the words that select its other meaning, and the noun and kind of that meaning.
type Sense = (&'static str, &'static [&'static str], &'static str, Kind);

const SENSES: &[Sense] = &[
    (
        "crane",
        &[
            "train",
            "railway",
            "construction",
            "building",
            "builder",
            "crate",
            "container",
            "cargo",
            "freight",
            "harbor",
            "harbour",
            "dock",
            "digger",
            "excavator",
            "bulldozer",
            "truck",
            "machine",
            "machinery",
            "vehicle",
            "skyscraper",
            "site",
            "lorry",
            "ship",
            "tractor",
        ],
        "construction crane",
        Kind::Vehicle,
    ),
    (
        "bat",
        &[
            "baseball", "ball", "softball", "pitcher", "glove", "sport", "player", "team", "stadium",
        ],
        "baseball bat",
        Kind::Thing,
    ),
    ("bat", &["cricket", "wicket"], "cricket bat", Kind::Thing),
    (
        "mouse",
        &[
            "computer", "keyboard", "laptop", "screen", "office", "printer", "internet",
        ],
        "computer mouse",
        Kind::Thing,
    ),
    (
        "seal",
        &["wax", "envelope", "stamp", "parchment"],
        "letter",
        Kind::Thing,
    ),
    (
        "cricket",
        &["bat", "wicket", "sport", "match", "player", "team"],
        "cricket bat",
        Kind::Thing,
    ),
    (
        "lamp",
        &["diwali", "deepavali", "oil", "genie", "aladdin"],
        "oil lamp",
        Kind::Thing,
    ),
    ("lamp", &["street", "road", "city"], "street lamp", Kind::Place),
    ("jaguar", &["car", "race", "racing", "road"], "race car", Kind::Vehicle),
    (
        "horn",
        &["music", "orchestra", "band", "brass"],
        "french horn",
        Kind::Thing,
    ),
];

/// Returns the other meaning of a noun if a word of the theme selects it.
pub(crate) fn sense(noun: &str, theme: &[Word]) -> Option<(&'static str, Kind)> {
    let called = |cues: &[&str]| {
        theme
            .iter()
            .any(|word| word.stem != noun && cues.contains(&word.stem.as_str()))
    };
    let (.., meant, kind) = SENSES.iter().find(|(known, cues, ..)| *known == noun && called(cues))?;
    Some((meant, *kind))
}

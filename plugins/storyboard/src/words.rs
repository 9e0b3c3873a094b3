//! The words of a customer's text, each as written and in the form that the vocabularies are searched by.

use crate::english::singular;

/// The maximum number of words that are read. A very long text must not make the planner exceed its deadline.
const MAX_WORDS: usize = 80;

/// One word of a theme or a note.
#[derive(Clone, Debug)]
pub(crate) struct Word {
    pub lower: String,
    /// The word in lowercase and in the singular.
    pub stem: String,
    pub plural: bool,
    pub possessive: bool,
    pub capital: bool,
    /// True if a comma, a full stop or the end of a line follows.
    pub ends_phrase: bool,
    /// True if a full stop or a similar mark follows.
    pub ends_sentence: bool,
}

/// Small words of German, French, Spanish, Italian, Portuguese and Dutch that do not occur in English.
const FOREIGN: &[&str] = &[
    "avec", "com", "dans", "das", "dem", "della", "der", "des", "ein", "eine", "einem", "einen", "einer", "el", "els",
    "et", "fur", "für", "gli", "het", "im", "les", "los", "meine", "mes", "mit", "nel", "nella", "notre", "nuestra",
    "nuestro", "und", "une", "unser", "unsere", "uma", "van", "vom", "zum", "zur", "auf", "bei", "mein", "ist", "una",
    "las", "del", "een", "chez", "sur", "minha", "meu", "mia", "mio",
];
const ENGLISH: &[&str] = &["the", "and", "of", "with", "at", "my", "our", "on", "for", "who"];

/// Returns true if the small words of a text show that it is not in English.
pub(crate) fn is_foreign(text: &str) -> bool {
    let words = split(text);
    let has = |list: &[&str]| words.iter().filter(|word| list.contains(&word.lower.as_str())).count();
    has(FOREIGN) > has(ENGLISH)
}

/// Returns true for a small word of another language.
pub(crate) fn is_foreign_filler(word: &str) -> bool {
    FOREIGN.contains(&word)
}

/// Splits a text into words.
pub(crate) fn split(text: &str) -> Vec<Word> {
    let spaced = text.replace(['/', '–', '—', '&', '+', '_'], " , ").replace('’', "'");
    let mut words: Vec<Word> = Vec::new();
    for raw in spaced.split_whitespace().take(MAX_WORDS) {
        let bare = raw.trim_matches(|letter: char| !letter.is_alphanumeric());
        if bare.is_empty() {
            if let Some(last) = words.last_mut() {
                last.ends_phrase = true;
            }
            continue;
        }
        let whole = bare.to_lowercase();
        let possessive = whole.ends_with("'s");
        let lower = whole.strip_suffix("'s").unwrap_or(&whole).to_owned();
        let stem = singular(&lower);
        let tail = &raw[raw.rfind(bare).unwrap_or(0) + bare.len()..];
        words.push(Word {
            plural: stem != lower,
            possessive,
            capital: bare.starts_with(char::is_uppercase),
            ends_phrase: tail.contains([',', ';', ':', '.', '!', '?', ')']) || raw.ends_with("s'"),
            ends_sentence: tail.contains(['.', '!', '?', ';']),
            lower,
            stem,
        });
    }
    words
}

/// Returns the stems of the words of a text. Two texts that share a stem name the same thing.
pub(crate) fn stems(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '-')
        .filter(|word| !word.is_empty())
        .map(|word| singular(&word.to_lowercase()))
}

/// Returns true if two texts name the same thing.
pub(crate) fn overlap(one: &str, other: &str) -> bool {
    stems(one)
        .filter(|stem| stem.len() > 2 && !is_filler(stem))
        .any(|stem| stems(other).any(|second| second == stem))
}

fn is_filler(stem: &str) -> bool {
    matches!(
        stem,
        "the"
            | "and"
            | "with"
            | "under"
            | "beside"
            | "next"
            | "near"
            | "front"
            | "big"
            | "little"
            | "green"
            | "sunny"
            | "old"
            | "for"
            | "from"
    )
}

/// Returns true if the text contains the words of the phrase in a row, in the singular or plural.
pub(crate) fn contains(text: &str, phrase: &str) -> bool {
    let wanted: Vec<String> = stems(phrase).collect();
    let given: Vec<String> = stems(text).collect();
    !wanted.is_empty() && given.windows(wanted.len()).any(|window| window == wanted)
}

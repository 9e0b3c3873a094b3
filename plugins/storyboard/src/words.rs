//! A customer's text as words: what was written, and the form that vocabularies are searched by.

use crate::english::singular;

/// More than any theme needs; a pasted novel must not cost the deadline.
const MOST_WORDS: usize = 80;

/// One word of a theme or a note.
#[derive(Clone, Debug)]
pub(crate) struct Word {
    pub lower: String,
    /// Lowercase and singular.
    pub stem: String,
    pub plural: bool,
    pub possessive: bool,
    pub capital: bool,
    /// Whether a comma, stop or line end follows.
    pub ends_phrase: bool,
    /// Whether a full stop or the like follows.
    pub ends_sentence: bool,
}

/// Small words of German, French, Spanish, Italian, Portuguese and Dutch that no English text has.
const FOREIGN: &[&str] = &[
    "avec", "com", "dans", "das", "dem", "della", "der", "des", "ein", "eine", "einem", "einen", "einer", "el", "els",
    "et", "fur", "für", "gli", "het", "im", "les", "los", "meine", "mes", "mit", "nel", "nella", "notre", "nuestra",
    "nuestro", "und", "une", "unser", "unsere", "uma", "van", "vom", "zum", "zur", "auf", "bei", "mein", "ist", "una",
    "las", "del", "een", "chez", "sur", "minha", "meu", "mia", "mio",
];
const ENGLISH: &[&str] = &["the", "and", "of", "with", "at", "my", "our", "on", "for", "who"];

/// Whether a text is written in another language, by its small words.
pub(crate) fn is_foreign(text: &str) -> bool {
    let words = split(text);
    let has = |list: &[&str]| words.iter().filter(|word| list.contains(&word.lower.as_str())).count();
    has(FOREIGN) > has(ENGLISH)
}

/// Whether a word is a small word of another language.
pub(crate) fn is_foreign_filler(word: &str) -> bool {
    FOREIGN.contains(&word)
}

/// Splits a text into words.
pub(crate) fn split(text: &str) -> Vec<Word> {
    let spaced = text.replace(['/', '–', '—', '&', '+', '_'], " , ").replace('’', "'");
    let mut words: Vec<Word> = Vec::new();
    for raw in spaced.split_whitespace().take(MOST_WORDS) {
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

/// The words of our own texts, as stems: two texts that share one talk of the same thing.
pub(crate) fn stems(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '-')
        .filter(|word| !word.is_empty())
        .map(|word| singular(&word.to_lowercase()))
}

/// Whether two texts name the same thing.
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

/// Whether the text has these words in a row, whatever their number.
pub(crate) fn contains(text: &str, phrase: &str) -> bool {
    let wanted: Vec<String> = stems(phrase).collect();
    let given: Vec<String> = stems(text).collect();
    !wanted.is_empty() && given.windows(wanted.len()).any(|window| window == wanted)
}

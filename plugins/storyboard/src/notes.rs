//! Refusals and wishes in the customer's texts.

use crate::lexicon::Lexicon;
use crate::words::{self, Word};
use crate::world::Kind;

const REFUSALS: &[&str] = &[
    "no",
    "without",
    "avoid",
    "exclude",
    "excluding",
    "except",
    "not",
    "never",
    "don't",
    "dont",
    "skip",
    "omit",
    "nothing",
    "minus",
    "hates",
    "afraid",
];

/// Words that end a refusal and begin a wish.
const TURNS: &[&str] = &[
    "but", "more", "include", "add", "with", "use", "prefer", "only", "lots", "please", "some", "many", "instead",
    "rather", "like", "loves", "wants", "focus", "keep", "plenty",
];

/// Words that may occur between a refusal and the refused thing.
const LINKS: &[&str] = &[
    "or",
    "nor",
    "and",
    "any",
    "include",
    "including",
    "show",
    "draw",
    "use",
    "add",
    "have",
    "put",
    "a",
    "an",
    "the",
    "of",
    "please",
    "want",
    "like",
    "too",
];

/// The phrases and kinds that must not appear in the book.
#[derive(Clone, Debug, Default)]
pub(crate) struct Exclusions {
    phrases: Vec<String>,
    kinds: Vec<Kind>,
}

/// Splits a text into its refusals and the remaining words.
pub(crate) fn read(text: &str, lexicon: &Lexicon) -> (Exclusions, Vec<Word>) {
    let words = words::split(text);
    let mut exclusions = Exclusions::default();
    let mut wishes = Vec::new();
    let mut at = 0;
    let mut refusing = false;
    let mut just_refused = false;
    while at < words.len() {
        let word = &words[at];
        let lower = word.lower.as_str();
        let mut length = 1;
        if REFUSALS.contains(&lower) {
            (refusing, just_refused) = (true, true);
        } else if refusing && TURNS.contains(&lower) && !(just_refused && LINKS.contains(&lower)) {
            refusing = false;
        } else if refusing {
            just_refused = just_refused && LINKS.contains(&lower);
            length = exclusions.refuse(&words[at..], lexicon);
        } else {
            wishes.push(word.clone());
        }
        at += length;
        if words[at - 1].ends_sentence {
            refusing = false;
        }
    }
    (exclusions, wishes)
}

impl Exclusions {
    /// Adds the exclusions of another text.
    pub(crate) fn merge(&mut self, other: Self) {
        self.phrases.extend(other.phrases);
        self.kinds.extend(other.kinds);
    }

    /// Reads the refused thing at the start of `rest` and returns its number of words.
    fn refuse(&mut self, rest: &[Word], lexicon: &Lexicon) -> usize {
        let word = &rest[0];
        if matches!(word.stem.as_str(), "scary" | "frightening" | "spooky" | "creepy") {
            self.phrases.extend(lexicon.scary.iter().cloned());
            return 1;
        }
        if let Some(found) = lexicon.longest_match(rest) {
            if let Some(kind) = found.group {
                self.kinds.push(kind);
            }
            let phrase: Vec<&str> = rest[..found.length].iter().map(|word| word.stem.as_str()).collect();
            self.phrases.push(phrase.join(" "));
            return found.length;
        }
        let is_empty = LINKS.contains(&word.lower.as_str()) || lexicon.stop.contains(&word.lower);
        // Only the last word of a phrase names the refused thing; the words before it describe the thing.
        let names = word.ends_phrase
            || rest
                .get(1)
                .is_none_or(|next| LINKS.contains(&next.lower.as_str()) || TURNS.contains(&next.lower.as_str()));
        if !is_empty && names {
            self.phrases.push(word.stem.clone());
        }
        1
    }

    /// Returns true if a text of the vocabularies may appear.
    pub(crate) fn allow(&self, text: &str) -> bool {
        !self.phrases.iter().any(|phrase| words::contains(text, phrase))
    }

    /// Returns true if a subject may appear.
    pub(crate) fn allow_subject(&self, noun: &str, kind: Kind) -> bool {
        let refused = self
            .kinds
            .iter()
            .any(|refused| *refused == kind || (*refused == Kind::Animal && kind.is_creature()));
        !refused && self.allow(noun)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exclusions(text: &str) -> Exclusions {
        read(text, Lexicon::shared()).0
    }

    #[test]
    fn a_refusal_ends_at_the_next_wish() {
        let notes = exclusions("Please no spiders, bats or snakes, but lots of owls.");
        for refused in ["a spider", "two bats", "beside a spider web", "a snake"] {
            assert!(!notes.allow(refused), "{refused}");
        }
        assert!(notes.allow("an owl"));
        let (_, wishes) = read("no spiders. More owls and a lantern", Lexicon::shared());
        assert!(wishes.iter().any(|word| word.stem == "owl"));
    }

    #[test]
    fn a_group_is_refused_as_a_whole() {
        let notes = exclusions("no people please");
        assert!(!notes.allow_subject("girl", Kind::Person));
        assert!(notes.allow_subject("fox", Kind::Animal));
        assert!(!exclusions("without animals").allow_subject("owl", Kind::Bird));
    }

    #[test]
    fn scary_refuses_a_list_of_things() {
        assert!(!exclusions("nothing too scary").allow("a skeleton"));
        assert!(!exclusions("don't include any scary things").allow("a witch"));
    }

    #[test]
    fn notes_without_refusals_refuse_nothing() {
        assert!(exclusions("Keep it simple, with large shapes").allow("a spider"));
    }
}

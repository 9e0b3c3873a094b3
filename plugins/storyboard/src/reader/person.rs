//! People and animals with a name, and people whom only a thing of theirs stands for.
use super::Reader;
use crate::lexicon::Match;
use crate::theme::{Person, Subject};
use crate::words::Word;
use crate::world::Kind;

/// Possessives that may precede a person or animal with a name: "my dog Biscuit".
const OWNERS: &[&str] = &["my", "our", "his", "her", "their", "your"];

/// Things that imply a person, with the subject that is drawn for them.
const BEARERS: &[(&str, &str)] = &[
    ("wheelchair", "person in a wheelchair"),
    ("hijab", "woman with a headscarf"),
    ("headscarf", "woman with a headscarf"),
];

impl Reader<'_> {
    /// Reads an animal or person with a name: "my dog Biscuit", "a dog named Biscuit", "Biscuit the dog". Returns the
    /// number of words.
    pub(super) fn person(&mut self, rest: &[Word], before: &[Word]) -> Option<usize> {
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
    pub(super) fn bearer(&mut self, word: &Word) -> Option<usize> {
        let (_, noun) = BEARERS.iter().find(|(thing, _)| *thing == word.stem)?;
        self.waiting.clear();
        self.add(Subject {
            noun: (*noun).to_owned(),
            kind: Kind::Person,
        });
        Some(1)
    }
}

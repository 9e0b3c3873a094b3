//! What the words at one place of a prompt mean together.

use super::Reader;
use crate::art::Catalog;
use crate::words::nouns::Seen;
use crate::words::roles::Role;
use crate::words::senses::{Meaning, sense};
use crate::words::somebody::is_somebody;
use crate::words::token::End;
use crate::words::{LONGEST_PHRASE, Possessions, longest, nouns};

/// What a phrase was found to mean.
#[derive(Clone, Copy, Debug)]
pub(super) enum Found {
    Label(&'static str),
    Role(&'static Role),
    /// Nothing that is drawn by itself, and that nobody misses.
    Part,
    /// Something that no drawing shows.
    Unknown,
}

/// "A bowl of ramen" is drawn with its bowl.
const DISHES: &[&str] = &[
    "bowl", "plate", "pot", "cup", "mug", "glass", "dish", "platter", "tray", "bottle",
];

impl Reader {
    /// The longest phrase that means something: how many words, what it means, and whether it is a plural or may be a place.
    pub(super) fn find(&self, at: usize) -> Option<(usize, Found, bool, bool)> {
        let rest = &self.words[at..];
        let roles = (1..=LONGEST_PHRASE.min(rest.len())).rev();
        let role = roles
            .filter_map(|length| Role::named(&rest[..length]).map(|(role, plural)| (length, role, plural)))
            .next();
        let (length, meant) = longest(rest);
        // Whoever is painting eggs has no painting.
        let determined = at
            .checked_sub(1)
            .is_some_and(|before| nouns::is_determiner(&self.words[before]));
        if length == 1 && rest[0] == "painting" && !determined {
            return Some((1, Found::Part, false, false));
        }
        if let Some((words, role, plural)) = role.filter(|(words, ..)| *words >= length || meant.is_none()) {
            return Some((words, Found::Role(role), plural, false));
        }
        let phrase = meant.is_some() && length > 1;
        if !phrase && let Some((meaning, plural)) = sense(&rest[0], &self.context) {
            // "The letter B" is nothing to post.
            let spelled = rest[0] == "letter" && rest.get(1).is_some_and(|next| next.len() == 1);
            let found = match meaning {
                Meaning::Label(label) if !spelled => Found::Label(label),
                Meaning::Unknown => Found::Unknown,
                _ => Found::Part,
            };
            return Some((1, found, plural, false));
        }
        meant.map(|(label, plural, place)| (length, Found::Label(label), plural, place))
    }

    /// "A bowl of" where what is in it comes next: how many words.
    pub(super) fn dish(&self, at: usize) -> Option<usize> {
        let word = self.words[at].as_str();
        let of = self.words.get(at + 1).is_some_and(|next| next == "of");
        let dish = DISHES.contains(&word) || word.strip_suffix('s').is_some_and(|word| DISHES.contains(&word));
        // "A cup of tea" has a drawing of its own.
        if !dish || !of || longest(&self.words[at..]).0 > 1 {
            return None;
        }
        let food = |label: &str| {
            Catalog::get()
                .of(label)
                .next()
                .is_some_and(|drawing| drawing.group == 4)
        };
        let content = (at + 2..self.words.len())
            .take(3)
            .find_map(|at| longest(&self.words[at..]).1);
        content.filter(|(label, ..)| food(label)).map(|_| 2)
    }

    /// "A family" is of whoever was named before it, or of people.
    pub(super) fn family(&mut self, at: usize) -> Option<usize> {
        const FAMILY: usize = 3;
        if !matches!(self.words[at].as_str(), "family" | "families") {
            return None;
        }
        let whose = at.checked_sub(1).filter(|before| self.seen[*before] == Seen::Known);
        if whose.is_some() {
            if let Some(subject) = self
                .wish
                .subjects
                .last_mut()
                .filter(|subject| is_somebody(&subject.label))
            {
                subject.count = subject.count.max(FAMILY);
            }
            return Some(1);
        }
        // A family car is a car, and the family of somebody who has a name is not known.
        let possessed = at.checked_sub(1).map(|before| self.words[before].as_str());
        let theirs = possessed.is_some_and(|before| matches!(before, "his" | "her" | "its" | "their" | "my" | "our"));
        let followed = self
            .words
            .get(at + 1)
            .is_some_and(|_| self.tokens[at].end == End::None && self.find(at + 1).is_some());
        if theirs || followed || !self.names.is_empty() {
            return None;
        }
        for label in ["woman", "man", "girl"] {
            self.wish.add(label, 1, Possessions::default());
        }
        Some(1)
    }
}

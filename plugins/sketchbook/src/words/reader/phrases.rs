//! The meaning of phrases: the words at one position of a prompt, read together.

use super::Reader;
use crate::art::Drawings;
use crate::token::End;
use crate::words::animate::is_animate;
use crate::words::nouns::Seen;
use crate::words::roles::Role;
use crate::words::senses::{Meaning, sense};
use crate::words::{MAX_PHRASE_WORDS, Possessions, longest, nouns, quantity};

/// The meaning of a phrase.
#[derive(Clone, Copy, Debug)]
pub(super) enum Found {
    Label(&'static str),
    Role(&'static Role),
    /// A part of another thing, which is not drawn by itself.
    Part,
    /// A thing without a drawing.
    Unknown,
}

/// Dishes that belong to the drawing of their contents: "a bowl of ramen".
const DISHES: &[&str] = &[
    "bowl", "plate", "pot", "cup", "mug", "glass", "dish", "platter", "tray", "bottle",
];

impl Reader {
    /// Finds the longest phrase with a meaning. Returns its number of words, its meaning, true for a plural, and true
    /// if it may be a place.
    pub(super) fn find(&self, at: usize) -> Option<(usize, Found, bool, bool)> {
        let rest = &self.words[at..];
        let roles = (1..=MAX_PHRASE_WORDS.min(rest.len())).rev();
        let role = roles
            .filter_map(|length| Role::named(&rest[..length]).map(|(role, plural)| (length, role, plural)))
            .next();
        let (length, meant) = longest(rest);
        // In "painting eggs", "painting" is a verb and not a picture.
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
            // "The letter B" is not a letter to post.
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

    /// Returns the number of words of a dish before its contents: 2 for "bowl of".
    pub(super) fn dish(&self, at: usize) -> Option<usize> {
        let word = self.words[at].as_str();
        let of = self.words.get(at + 1).is_some_and(|next| next == "of");
        let dish = DISHES.contains(&word) || word.strip_suffix('s').is_some_and(|word| DISHES.contains(&word));
        // "A cup of tea" has a separate drawing.
        if !dish || !of || longest(&self.words[at..]).0 > 1 {
            return None;
        }
        let food = |label: &str| {
            Drawings::get()
                .with_label(label)
                .next()
                .is_some_and(|drawing| drawing.group == 4)
        };
        let content = (at + 2..self.words.len())
            .take(3)
            .find_map(|at| longest(&self.words[at..]).1);
        content.filter(|(label, ..)| food(label)).map(|_| 2)
    }

    /// Returns the number of people in "a family of four at the beach". `None` for "a family of four foxes".
    pub(super) fn family_size(&self, at: usize) -> Option<usize> {
        const AFTER: &[&str] = &["at", "in", "on", "by", "near", "with", "under", "and", "is", "who"];
        let number = self.words.get(at + 2).and_then(|word| quantity(word))?;
        let next = self.words.get(at + 3).filter(|_| self.tokens[at + 2].end == End::None);
        let is_all = next.is_none_or(|next| AFTER.contains(&next.as_str()) || next.ends_with("ing"));
        (self.words[at] == "family" && self.words[at + 1] == "of" && is_all).then_some(number)
    }

    /// Reads "family": several of the subject named before it, or a woman, a man and a girl. Returns its number of
    /// words.
    pub(super) fn family(&mut self, at: usize) -> Option<usize> {
        const FAMILY_SIZE: usize = 3;
        if !matches!(self.words[at].as_str(), "family" | "families") {
            return None;
        }
        let whose = at.checked_sub(1).filter(|before| self.seen[*before] == Seen::Known);
        if whose.is_some() {
            if let Some(subject) = self
                .wish
                .subjects
                .last_mut()
                .filter(|subject| is_animate(&subject.label))
            {
                subject.count = subject.count.max(FAMILY_SIZE);
            }
            return Some(1);
        }
        // "A family car" is a car, and the members of a named character's family are not known.
        let possessed = at.checked_sub(1).map(|before| self.words[before].as_str());
        let theirs = possessed.is_some_and(|before| matches!(before, "his" | "her" | "its" | "their" | "my" | "our"));
        let followed = self
            .words
            .get(at + 1)
            .is_some_and(|_| self.tokens[at].end == End::None && self.find(at + 1).is_some());
        if theirs || followed || !self.names.is_empty() {
            return None;
        }
        let size = self.family_size(at);
        for label in ["woman", "man", "girl", "boy", "baby"]
            .into_iter()
            .take(size.unwrap_or(FAMILY_SIZE))
        {
            self.wish.add(label, 1, Possessions::default());
        }
        Some(if size.is_some() { 3 } else { 1 })
    }
}

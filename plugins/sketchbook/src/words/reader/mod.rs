//! The reader: finds the subjects of a prompt, their possessions and the unknown words, word by word.

mod features;
mod phrases;
mod verbs;

use phrases::Found;

use super::animate::is_animate;
use super::links::{self, Link};
use super::nouns::{self, Seen};
use super::roles::Role;
use super::{DEFAULT_PLURAL_COUNT, NOT_SUBJECTS, Possessions, Wish, label, outside, quantity};
use crate::art::Drawings;
use crate::bulk::is_celestial;
use crate::figure::attire;
use crate::figure::body::species_of;
use crate::figure::features::is_of_coat;
use crate::figure::traits::Trait;
use crate::grip::{grip_of, is_carried};
use crate::letters::can_write;
use crate::token::{End, Token};

/// The owner of possessions: a subject or a named character, by index.
#[derive(Clone, Copy, Debug)]
enum Holder {
    Subject(usize),
    Name(usize),
}

/// The state while reading a prompt from its first word to its last.
pub(super) struct Reader {
    wish: Wish,
    names: Vec<Vec<String>>,
    tokens: Vec<Token>,
    words: Vec<String>,
    /// The words of the prompt and of the title.
    context: Vec<String>,
    /// The classification of each word.
    seen: Vec<Seen>,
    /// The quantity that was read before the next noun.
    count: Option<usize>,
    holder: Option<Holder>,
    /// The relation of the next noun to the holder, and the index of the word that set it.
    link: Option<(Link, usize)>,
    /// True between "without" and the next noun.
    denied: bool,
    /// The index of the word that names the first subject or character.
    first: Option<usize>,
    /// The index after the words that name the holder, where its verb is.
    verb: Option<usize>,
    /// The index of a participle before the noun that it describes: "a sleeping dog".
    described: Option<usize>,
    /// The subjects and characters in the order of the prompt, each with the index of the word that names it.
    named: Vec<(usize, Holder)>,
}

impl Reader {
    pub(super) fn new(wish: Wish, tokens: Vec<Token>, names: &[&str], title: &str) -> Self {
        let words: Vec<String> = tokens.iter().map(|token| token.word.clone()).collect();
        Self {
            context: words.iter().cloned().chain(super::tokens(title)).collect(),
            seen: vec![Seen::Unknown; tokens.len()],
            names: names.iter().map(|name| super::tokens(name)).collect(),
            wish,
            words,
            tokens,
            count: None,
            holder: None,
            link: None,
            denied: false,
            first: None,
            verb: None,
            described: None,
            named: Vec::new(),
        }
    }

    /// Reads the text and returns the classification of each word.
    pub(super) fn look(mut self) -> (Vec<Seen>, Vec<Token>) {
        self.walk();
        (self.seen, self.tokens)
    }

    fn walk(&mut self) {
        // A prompt that does not name its only character speaks of it: "sleeping under a palm tree".
        if self.names.len() == 1 && !(0..self.words.len()).any(|at| self.name(at).is_some()) {
            self.holder = Some(Holder::Name(0));
        }
        let mut at = 0;
        while at < self.words.len() {
            at += self.step(at);
        }
        self.unlink();
    }

    pub(super) fn read(mut self) -> Wish {
        self.walk();
        self.give_features();
        for subject in &mut self.wish.subjects {
            let usual = std::mem::take(&mut subject.usual);
            subject.has.complete(&usual);
            subject.usual = usual;
        }
        for (word, seen) in self.words.iter().zip(&mut self.seen) {
            // A reader does not miss words that usually mean something else.
            if NOT_SUBJECTS.contains(&word.as_str())
                && word.len() > 3
                && !nouns::is_quality(word)
                && !word.ends_with("ing")
            {
                *seen = Seen::Known;
            }
        }
        self.wish.unknown = nouns::unseen(&self.tokens, &self.seen);
        self.complete_unshown();
        self.wish.spelled = self.spelled();
        self.wish.drop_suggested_settings();
        self.wish.put_the_middle_first(&self.words);
        self.wish
    }

    /// Returns the unknown nouns to spell: before or together with the first subjects, and in letters of the fonts.
    fn spelled(&self) -> Vec<String> {
        const MAX_SPELLED_WORDS: usize = 2;
        let first = self.first.unwrap_or(self.words.len());
        let before = self.words.get(..first.max(nouns::opening(&self.words)));
        let leads = |word: &&String| before.is_some_and(|before| before.contains(word)) && can_write(word);
        self.wish
            .unknown
            .iter()
            .filter(leads)
            .take(MAX_SPELLED_WORDS)
            .cloned()
            .collect()
    }

    /// Reads one word or phrase and returns its number of words.
    fn step(&mut self, at: usize) -> usize {
        if let Some((name, length)) = self.name(at) {
            self.unlink();
            self.hold(Holder::Name(name), at, length);
            self.first.get_or_insert(at);
            return self.known(at, length);
        }
        if self.is_name_of(at) {
            return self.known(at, 1);
        }
        if self.acts(at) {
            // A verb that is also a noun, such as "skates", is understood.
            if self.find(at).is_some() {
                self.seen[at] = Seen::Known;
            }
            self.links(at);
            return 1;
        }
        if let Some(length) = self.worn(at) {
            return self.known(at, length);
        }
        // A quantity before "of" is not a place: "a school of fish".
        let of = self.words.get(at + 1).is_some_and(|next| next == "of");
        if let Some(number) = quantity(&self.words[at]).filter(|_| of && self.family_size(at).is_none()) {
            self.count = Some(number);
            self.seen[at] = Seen::Number;
            return 2;
        }
        let outside = outside(&self.words[..at]);
        let is_place = !self.is_framing(at);
        if is_place && let Some(length) = self.wish.place_phrase(&self.words[at..], outside) {
            self.count = None;
            self.unlink();
            return self.known(at, length);
        }
        if let Some(length) = self.dish(at).or_else(|| self.family(at)) {
            return self.known(at, length);
        }
        if let Some((length, found, plural, may_be_setting)) = self.find(at) {
            if matches!(found, Found::Unknown) {
                return length;
            }
            let count = self
                .count
                .take()
                .unwrap_or(if plural { DEFAULT_PLURAL_COUNT } else { 1 });
            self.thing(at, length, found, count, outside && may_be_setting);
            return self.known(at, length);
        }
        if is_place && self.wish.place(&self.words[at..=at], outside) {
            self.count = None;
            return self.known(at, 1);
        }
        if let Some(number) = quantity(&self.words[at]) {
            self.count = Some(number);
            self.seen[at] = Seen::Number;
        } else if matches!(self.words[at].as_str(), "a" | "an") {
            // "Four, a fox and an owl" is not four foxes.
            self.count = None;
        } else if attire::piece(&self.tokens[at..]).is_some_and(|piece| !piece.is_doubtful()) {
            self.seen[at] = Seen::Known;
        }
        self.links(at);
        1
    }

    /// Returns true if the word is a name before its species: "Biscuit the dog".
    fn is_name_of(&self, at: usize) -> bool {
        let the = self.words.get(at + 1).is_some_and(|word| word == "the");
        if !the || !self.tokens[at].capital || self.tokens[at].end != End::None {
            return false;
        }
        let animate = |found: Found| match found {
            Found::Label(label) => is_animate(label),
            Found::Role(_) => true,
            Found::Part | Found::Unknown => false,
        };
        self.words.len() > at + 2 && self.find(at + 2).is_some_and(|(_, found, ..)| animate(found))
    }

    /// Returns true in the phrase after "framed": "framed by gears and stars" is an ornament, not a place in space.
    fn is_framing(&self, at: usize) -> bool {
        let before = (0..at).rev().take(8);
        let mut phrase = before.take_while(|before| self.tokens[*before].end == End::None);
        phrase.any(|before| self.words[before] == "framed")
    }

    fn known(&mut self, at: usize, length: usize) -> usize {
        self.seen[at..at + length].fill(Seen::Known);
        if self.tokens[at + length - 1].end == End::Sentence {
            self.unlink();
        }
        length
    }

    /// Returns the index of the character named at a word, and the number of words of the name.
    fn name(&self, at: usize) -> Option<(usize, usize)> {
        let rest = &self.words[at..];
        let whole = self
            .names
            .iter()
            .position(|name| !name.is_empty() && rest.starts_with(name));
        if let Some(index) = whole {
            return Some((index, self.names[index].len()));
        }
        // A capitalized part of a name refers to the character: "Whiskers" for "Captain Whiskers".
        let called = |name: &Vec<String>| {
            self.tokens[at].capital && name.len() > 1 && rest[0].len() > 3 && name.contains(&rest[0])
        };
        self.names.iter().position(called).map(|index| (index, 1))
    }

    /// Reads an item that the holder wears. Returns its number of words, or `None` if there is none at this word.
    fn worn(&mut self, at: usize) -> Option<usize> {
        let piece = attire::piece(&self.tokens[at..]).filter(|_| !is_of_coat(&self.tokens, at))?;
        let item = piece.item_at(&self.tokens, at);
        if self.denied {
            self.denied = false;
            match self.holder {
                Some(Holder::Subject(index)) => {
                    let usual = &mut self.wish.subjects[index].usual.worn;
                    usual.retain(|known| known.place() != item.place());
                }
                Some(Holder::Name(index)) => self.wish.named[index].bare.push(item.place()),
                None => {}
            }
            return Some(piece.words);
        }
        let (link, _) = self.link?;
        let usual = !piece.is_doubtful() || matches!(item, Trait::Bow | Trait::Necktie);
        let fits = match link {
            Link::Wear => true,
            Link::With => usual,
            _ => false,
        };
        // "In a star" does not mean that a subject wears a star.
        let entered = self.words[..at]
            .iter()
            .rev()
            .find(|word| !matches!(word.as_str(), "a" | "an" | "the"));
        if !fits || piece.is_doubtful() && entered.is_some_and(|word| word == "in") {
            return None;
        }
        let possessions = self.possessions()?;
        if !possessions.worn.iter().any(|known| known.place() == item.place()) {
            possessions.worn.push(item);
        }
        Some(piece.words)
    }

    /// Returns true if the drawing of the holder shows its motion: the fixed hands of dancers and runners cannot hold
    /// anything.
    fn holder_is_athlete(&self) -> bool {
        matches!(self.holder, Some(Holder::Subject(index)) if has_no_free_hand(&self.wish.subjects[index].label))
    }

    fn possessions(&mut self) -> Option<&mut Possessions> {
        match self.holder? {
            Holder::Subject(index) => self.wish.subjects.get_mut(index).map(|subject| &mut subject.has),
            Holder::Name(index) => self.wish.named.get_mut(index),
        }
    }

    /// Adds a thing or a living being: to the hands of the holder, or as a subject.
    fn thing(&mut self, at: usize, length: usize, found: Found, count: usize, outside: bool) {
        let (label, usual) = match found {
            Found::Label(label) => (label, Possessions::default()),
            Found::Role(role) => (role.label(&self.words), role.possessions()),
            Found::Part | Found::Unknown => {
                self.denied = false;
                return;
            }
        };
        // "A dragon for kids" does not show a child.
        let readers = label == "child" && at > 0 && self.words[at - 1] == "for";
        if std::mem::take(&mut self.denied) || readers {
            return;
        }
        if self.take(label, count) || self.trade(at, length, label, &usual) {
            return;
        }
        self.rest_on(at, length);
        let index = self.wish.add(label, count, usual);
        if !is_celestial(label) {
            self.first.get_or_insert(at);
        }
        if !self.is_framing(at) {
            self.wish
                .place(&self.words[at..at + length], outside || !self.inside(at));
        }
        if is_animate(label) {
            self.unlink();
            self.hold(Holder::Subject(index), at, length);
        } else {
            self.described = None;
        }
    }

    /// Returns true if the words before a building say that a subject is inside: "a house of straw" is not a room.
    fn inside(&self, at: usize) -> bool {
        let near = self.words[..at].iter().rev().take(4);
        near.clone()
            .any(|word| matches!(word.as_str(), "in" | "inside" | "into" | "within" | "at"))
    }

    /// Merges an animal and a role: "a superhero cat" and "a bear king" are one subject. Returns false if there are
    /// none.
    fn trade(&mut self, at: usize, length: usize, label: &'static str, usual: &Possessions) -> bool {
        let Some(before) = at.checked_sub(1).filter(|before| self.tokens[*before].end == End::None) else {
            return false;
        };
        let last = self.wish.subjects.last().map(|subject| subject.label.clone());
        let adjacent = matches!(self.holder, Some(Holder::Subject(_))) && self.seen[before] == Seen::Known;
        let Some(last) = last.filter(|last| adjacent && self.last_word_leads_to(before, last)) else {
            return false;
        };
        let is_person = |label: &str| {
            Drawings::get()
                .with_label(label)
                .next()
                .is_some_and(|drawing| drawing.group == 1)
        };
        let (word, animal) = match (is_person(&last), is_person(label)) {
            (true, false) if is_animate(label) => (&self.words[before], label),
            (false, true) => (&self.words[at + length - 1], last.as_str()),
            _ => return false,
        };
        let worn = attire::by_trade(word);
        let animal = animal.to_string();
        if let Some(subject) = self.wish.subjects.last_mut() {
            subject.label = animal;
            subject.has.worn.extend(worn);
            subject.usual.extend(usual);
        }
        true
    }

    /// Returns true if the word, as the end of a phrase, means the label `meant`.
    fn last_word_leads_to(&self, at: usize, meant: &str) -> bool {
        let word = std::slice::from_ref(&self.words[at]);
        let role = || Role::named(word).is_some_and(|(role, _)| role.label(&self.words) == meant);
        label(word).is_some_and(|(label, _)| label == meant) || role()
    }

    /// Puts a thing into the hands of the holder if the words before it say so. Otherwise returns false.
    fn take(&mut self, label: &'static str, count: usize) -> bool {
        let Some((link, since)) = self.link else { return false };
        let group = Drawings::get()
            .with_label(label)
            .next()
            .map_or(7, |drawing| drawing.group);
        let fits = match link {
            Link::Hold | Link::Read => {
                let embraced = links::embraces(&self.words[since]);
                grip_of(label, group).is_some() && !is_celestial(label) && (embraced || !is_animate(label))
            }
            Link::With => is_carried(label),
            Link::Under => label == "umbrella",
            Link::Wear => false,
        };
        let oneself = matches!(self.holder, Some(Holder::Subject(index)) if self.wish.subjects[index].label == label);
        if !fits || oneself || self.holder_is_athlete() {
            return false;
        }
        let drawn_with = matches!(label, "sword" | "shield")
            && matches!(self.holder, Some(Holder::Subject(index)) if self.wish.subjects[index].label == "knight");
        if drawn_with {
            return true;
        }
        let holders = match self.holder {
            Some(Holder::Subject(index)) => self.wish.subjects[index].count,
            _ => 1,
        };
        let Some(possessions) = self.possessions() else {
            return false;
        };
        if possessions.held.iter().any(|(known, _)| known == label) {
            return true;
        }
        // A second thing, after "and", is held only if people usually carry it.
        if !possessions.held.is_empty() && !is_carried(label) {
            return false;
        }
        // Two rabbits with two umbrellas have one umbrella each.
        possessions.held.push((label.to_string(), (count / holders).max(1)));
        self.link = self.link.map(|(_, since)| (Link::With, since));
        true
    }

    /// Ends the link. A reader without a book gets one.
    fn unlink(&mut self) {
        if let Some((Link::Read, _)) = self.link.take()
            && let Some(possessions) = self.possessions()
            && possessions.held.is_empty()
        {
            possessions.held.push(("open book".to_string(), 1));
        }
        self.denied = false;
    }

    /// Updates the link for a word that names nothing.
    fn links(&mut self, at: usize) {
        let word = self.words[at].clone();
        let before = at.checked_sub(1).map(|before| self.words[before].clone());
        let made = links::link(&word, before.as_deref());
        if made.is_some() || links::ends(&word) {
            self.unlink();
        }
        if matches!(word.as_str(), "without" | "no") {
            self.denied = true;
        }
        if let (Some(link), Some(_)) = (made, self.holder) {
            self.link = Some((link, at));
        }
        if matches!(self.link, Some((Link::Read, _))) && links::is_reading_matter(&word) {
            self.seen[at] = Seen::Known;
        }
        let far = self.link.is_some_and(|(_, since)| at - since >= links::MAX_LINK_WORDS);
        if far || self.tokens[at].end == End::Sentence {
            self.unlink();
        }
    }
}

/// Returns true for people who are drawn from head to foot in a fixed pose.
fn has_no_free_hand(label: &str) -> bool {
    let drawn = Drawings::get().with_label(label).next();
    drawn.is_some_and(|drawing| drawing.group == 1 && !drawing.is_bust()) && species_of(label).is_none()
}

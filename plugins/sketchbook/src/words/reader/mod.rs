//! Reads a prompt word by word: who is named, what they have, and which words mean nothing.

mod phrases;

use phrases::Found;

use super::links::{self, Link};
use super::nouns::{self, Seen};
use super::roles::Role;
use super::somebody::is_somebody;
use super::token::{End, Token};
use super::{NOT_SUBJECTS, PLAIN_PLURAL, Possessions, Wish, label, outside, quantity};
use crate::art::Catalog;
use crate::bulk::heavenly;
use crate::figure::attire;
use crate::figure::body::species_of;
use crate::figure::traits::Trait;
use crate::grip::{grip_of, is_carried};
use crate::letters::can_write;

/// Who may have something: a subject or a name, by index.
#[derive(Clone, Copy, Debug)]
enum Holder {
    Subject(usize),
    Name(usize),
}

/// Reads a prompt from its first word to its last.
pub(super) struct Reader {
    wish: Wish,
    names: Vec<Vec<String>>,
    tokens: Vec<Token>,
    words: Vec<String>,
    /// The words of the prompt and of its title.
    context: Vec<String>,
    /// What became of each word.
    seen: Vec<Seen>,
    /// The number before the next noun.
    count: Option<usize>,
    holder: Option<Holder>,
    /// What the next noun is to the holder, and since which word.
    link: Option<(Link, usize)>,
    /// "Without" stands before the next noun.
    denied: bool,
    /// Where the first subject or name stands.
    first: Option<usize>,
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
        }
    }

    /// What becomes of each word.
    pub(super) fn look(mut self) -> (Vec<Seen>, Vec<Token>) {
        self.walk();
        (self.seen, self.tokens)
    }

    fn walk(&mut self) {
        let mut at = 0;
        while at < self.words.len() {
            at += self.step(at);
        }
        self.unlink();
    }

    pub(super) fn read(mut self) -> Wish {
        self.walk();
        for subject in &mut self.wish.subjects {
            let usual = std::mem::take(&mut subject.usual);
            subject.has.complete(&usual);
            subject.usual = usual;
        }
        for (word, seen) in self.words.iter().zip(&mut self.seen) {
            // What mostly means something else is not missed.
            if NOT_SUBJECTS.contains(&word.as_str())
                && word.len() > 3
                && !nouns::is_quality(word)
                && !word.ends_with("ing")
            {
                *seen = Seen::Known;
            }
        }
        self.wish.unknown = nouns::unseen(&self.tokens, &self.seen);
        self.wish.spelled = self.spelled();
        self.wish.put_the_middle_first(&self.words);
        self.wish
    }

    /// The unknown nouns that come before every subject or together with the first ones, and that letters can show.
    fn spelled(&self) -> Vec<String> {
        const MOST: usize = 2;
        let first = self.first.unwrap_or(self.words.len());
        let before = self.words.get(..first.max(nouns::opening(&self.words)));
        let leads = |word: &&String| before.is_some_and(|before| before.contains(word)) && can_write(word);
        self.wish.unknown.iter().filter(leads).take(MOST).cloned().collect()
    }

    /// Reads one word or phrase; returns how many words it took.
    fn step(&mut self, at: usize) -> usize {
        if let Some((name, length)) = self.name(at) {
            self.unlink();
            self.holder = Some(Holder::Name(name));
            self.first.get_or_insert(at);
            return self.known(at, length);
        }
        if self.is_name_of(at) {
            return self.known(at, 1);
        }
        if let Some(length) = self.worn(at) {
            return self.known(at, length);
        }
        // "A school of fish" is not a place.
        let of = self.words.get(at + 1).is_some_and(|next| next == "of");
        if let Some(number) = quantity(&self.words[at]).filter(|_| of) {
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
            let count = self.count.take().unwrap_or(if plural { PLAIN_PLURAL } else { 1 });
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
        } else if attire::piece(&self.tokens[at..]).is_some_and(|piece| !piece.is_doubtful()) {
            self.seen[at] = Seen::Known;
        }
        self.links(at);
        1
    }

    /// "Biscuit the dog" is a dog of that name.
    fn is_name_of(&self, at: usize) -> bool {
        let the = self.words.get(at + 1).is_some_and(|word| word == "the");
        if !the || !self.tokens[at].capital || self.tokens[at].end != End::None {
            return false;
        }
        let somebody = |found: Found| match found {
            Found::Label(label) => is_somebody(label),
            Found::Role(_) => true,
            Found::Part | Found::Unknown => false,
        };
        self.words.len() > at + 2 && self.find(at + 2).is_some_and(|(_, found, ..)| somebody(found))
    }

    /// "Framed by gears and stars": an ornament, and no place among the stars.
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

    /// A name at a word, and how long it is.
    fn name(&self, at: usize) -> Option<(usize, usize)> {
        let rest = &self.words[at..];
        let whole = self
            .names
            .iter()
            .position(|name| !name.is_empty() && rest.starts_with(name));
        if let Some(index) = whole {
            return Some((index, self.names[index].len()));
        }
        // "Captain Whiskers" may be called by one of the names, with a capital.
        let called = |name: &Vec<String>| {
            self.tokens[at].capital && name.len() > 1 && rest[0].len() > 3 && name.contains(&rest[0])
        };
        self.names.iter().position(called).map(|index| (index, 1))
    }

    /// What the holder wears, where such a thing stands here: how many words it takes.
    fn worn(&mut self, at: usize) -> Option<usize> {
        let piece = attire::piece(&self.tokens[at..])?;
        let item = piece.item_at(&self.tokens, at);
        if self.denied {
            self.denied = false;
            if let Some(Holder::Subject(index)) = self.holder {
                let usual = &mut self.wish.subjects[index].usual.worn;
                usual.retain(|known| known.place() != item.place());
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
        // "In a star" is nothing that one wears.
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

    fn possessions(&mut self) -> Option<&mut Possessions> {
        match self.holder? {
            Holder::Subject(index) => self.wish.subjects.get_mut(index).map(|subject| &mut subject.has),
            Holder::Name(index) => self.wish.named.get_mut(index),
        }
    }

    /// A thing or a living being: in the hands of the holder, or by itself.
    fn thing(&mut self, at: usize, length: usize, found: Found, count: usize, outside: bool) {
        let (label, usual) = match found {
            Found::Label(label) => (label, Possessions::default()),
            Found::Role(role) => {
                let held = role.held.iter().map(|label| ((*label).to_string(), 1)).collect();
                let worn = role.worn.to_vec();
                (role.label(&self.words), Possessions { held, worn })
            }
            Found::Part | Found::Unknown => {
                self.denied = false;
                return;
            }
        };
        // "A dragon for kids" shows no child.
        let readers = label == "child" && at > 0 && self.words[at - 1] == "for";
        if std::mem::take(&mut self.denied) || readers {
            return;
        }
        if self.take(label, count) || self.trade(at, length, label, &usual) {
            return;
        }
        let index = self.wish.add(label, count, usual);
        if !heavenly(label) {
            self.first.get_or_insert(at);
        }
        if !self.is_framing(at) {
            self.wish
                .place(&self.words[at..at + length], outside || !self.inside(at));
        }
        if is_somebody(label) {
            self.unlink();
            self.holder = Some(Holder::Subject(index));
        }
    }

    /// Whether the words before a building say that somebody is in it: "a house of straw" is no room.
    fn inside(&self, at: usize) -> bool {
        let near = self.words[..at].iter().rev().take(4);
        near.clone()
            .any(|word| matches!(word.as_str(), "in" | "inside" | "into" | "within" | "at"))
    }

    /// "A superhero cat" and "a bear king" are one animal with a trade.
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
            Catalog::get()
                .of(label)
                .next()
                .is_some_and(|drawing| drawing.group == 1)
        };
        let (word, animal) = match (is_person(&last), is_person(label)) {
            (true, false) if is_somebody(label) => (&self.words[before], label),
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

    /// Whether a word is the end of a phrase that means a label.
    fn last_word_leads_to(&self, at: usize, meant: &str) -> bool {
        let word = std::slice::from_ref(&self.words[at]);
        let role = || Role::named(word).is_some_and(|(role, _)| role.label(&self.words) == meant);
        label(word).is_some_and(|(label, _)| label == meant) || role()
    }

    /// Puts a thing into the hands of the holder, where the words before it say so.
    fn take(&mut self, label: &'static str, count: usize) -> bool {
        let Some((link, since)) = self.link else { return false };
        let group = Catalog::get().of(label).next().map_or(7, |drawing| drawing.group);
        let fits = match link {
            Link::Hold | Link::Read => {
                let embraced = links::embraces(&self.words[since]);
                grip_of(label, group).is_some() && !heavenly(label) && (embraced || !is_somebody(label))
            }
            Link::With => is_carried(label),
            Link::Under => label == "umbrella",
            Link::Wear => false,
        };
        // Dancers and runners are drawn with their hands where they are: nothing is put into them.
        let busy =
            matches!(self.holder, Some(Holder::Subject(index)) if has_no_free_hand(&self.wish.subjects[index].label));
        let oneself = matches!(self.holder, Some(Holder::Subject(index)) if self.wish.subjects[index].label == label);
        if !fits || oneself || busy {
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
        // After an "and" only what people carry about fits beside the other thing.
        if !possessions.held.is_empty() && !is_carried(label) {
            return false;
        }
        // Two rabbits with two umbrellas have one each.
        possessions.held.push((label.to_string(), (count / holders).max(1)));
        self.link = self.link.map(|(_, since)| (Link::With, since));
        true
    }

    /// Whoever reads has a book, even where none is named.
    fn unlink(&mut self) {
        if let Some((Link::Read, _)) = self.link.take()
            && let Some(possessions) = self.possessions()
            && possessions.held.is_empty()
        {
            possessions.held.push(("open book".to_string(), 1));
        }
        self.denied = false;
    }

    /// What a word that names nothing does to the link.
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
        let far = self.link.is_some_and(|(_, since)| at - since >= links::REACH);
        if far || self.tokens[at].end == End::Sentence {
            self.unlink();
        }
    }
}

/// Whether somebody is drawn from head to foot in a pose of their own.
fn has_no_free_hand(label: &str) -> bool {
    let drawn = Catalog::get().of(label).next();
    drawn.is_some_and(|drawing| drawing.group == 1 && !drawing.is_bust()) && species_of(label).is_none()
}

//! The verbs of a prompt: actions of the subject or character that was named last.

use super::{Holder, Reader};
use crate::token::End;
use crate::words::actions::{self, Action};
use crate::words::{nouns, quantity};

/// The maximum distance in words from a participle to the noun that it describes: "a sleeping little brown dog".
const MAX_DESCRIBING_WORDS: usize = 4;

impl Reader {
    /// Makes the subject or character that was just named the owner of what follows.
    pub(super) fn hold(&mut self, holder: Holder, at: usize, length: usize) {
        self.holder = Some(holder);
        self.named.push((at, holder));
        self.verb = Some(at + length).filter(|verb| self.tokens[verb - 1].end == End::None);
        if let Some(index) = self.described.take()
            && at - index <= MAX_DESCRIBING_WORDS
            && let Some(action) = actions::action(&self.words[index])
        {
            self.act(action, self.words[index].clone());
        }
    }

    /// Reads a verb for an action of the holder, or of the noun after it. Returns false if there is none at this word.
    pub(super) fn acts(&mut self, at: usize) -> bool {
        let Some(action) = actions::action(&self.words[at]) else {
            return false;
        };
        let before = at.checked_sub(1).map(|before| self.words[before].as_str());
        let next = self.words.get(at + 1).filter(|_| self.tokens[at].end == End::None);
        let is_denied = matches!(before, Some("not" | "never" | "to"));
        if is_denied || next.is_some_and(|next| actions::names_a_thing(next)) {
            return false;
        }
        // "A dancing woman" has a drawing.
        if self.find(at).is_some_and(|(length, ..)| length > 1) {
            return false;
        }
        let is_participle = actions::is_participle(&self.words[at]);
        let describes = before.is_none_or(|before| nouns::is_determiner(before) || quantity(before).is_some());
        if is_participle && describes && (self.holder.is_none() || before.is_some()) {
            self.described = Some(at);
            return true;
        }
        let adverb = |verb: usize| verb + 1 == at && self.words[verb].ends_with("ly");
        let is_verb = self.verb.is_some_and(|verb| verb == at || adverb(verb));
        if self.continues(at) {
            // "Pip sees the owl and waves back": Pip waves.
            let last = self.holder;
            self.holder = self.subject_of_sentence(at).or(last);
            self.act(action, self.words[at].clone());
            self.holder = last;
            return true;
        }
        if !is_verb && (!is_participle || self.holder.is_none()) {
            return false;
        }
        self.act(action, self.words[at].clone());
        true
    }

    /// Returns true if the verb is a second one of the sentence, after "and".
    fn continues(&self, at: usize) -> bool {
        let follows = at
            .checked_sub(1)
            .is_some_and(|before| matches!(self.words[before].as_str(), "and" | "then"));
        let next = self.words.get(at + 1).map(String::as_str);
        follows && self.holder.is_some() && actions::is_only_a_verb(&self.words[at], next)
    }

    /// Returns the first subject or character of the sentence before a word.
    fn subject_of_sentence(&self, at: usize) -> Option<Holder> {
        let last = self.tokens[..at].iter().rposition(|token| token.end == End::Sentence);
        let from = last.map_or(0, |last| last + 1);
        let first = self.named.iter().find(|(named, _)| *named >= from);
        first.map(|(_, holder)| *holder)
    }

    /// Records a thing at an index on which the holder sits or stands: the picture shows both next to each other.
    pub(super) fn rest_on(&mut self, at: usize, length: usize) {
        const MAX_WORDS_BETWEEN: usize = 4;
        let near = at.saturating_sub(MAX_WORDS_BETWEEN)..at;
        let Some(on) = near.rev().find(|index| actions::is_on(&self.words[*index])) else {
            return;
        };
        let verb = |before: usize| on.checked_sub(before).map(|index| self.words[index].as_str());
        let rests = |before: usize| verb(before).is_some_and(actions::rests);
        let is_adverb = verb(1).is_some_and(|word| word.ends_with("ly"));
        let is_whole = self.tokens[on..at].iter().all(|token| token.end == End::None);
        if is_whole && self.holder.is_some() && (rests(1) || is_adverb && rests(2)) {
            let words = self.words[on..at + length].join(" ");
            if !self.wish.unshown.contains(&words) {
                self.wish.unshown.push(words);
            }
        }
    }

    /// Completes the words for what no drawing shows: adds the landmarks, and removes the verbs before a noun without a
    /// drawing, which is reported itself.
    pub(super) fn complete_unshown(&mut self) {
        const MAX_OBJECT_WORDS: usize = 4;
        let wish = &mut self.wish;
        let words = &self.words;
        wish.unshown.retain(|verb| {
            let after = words.iter().skip_while(|word| *word != verb).skip(1);
            !after.take(MAX_OBJECT_WORDS).any(|word| wish.unknown.contains(word))
        });
        for (at, word) in words.iter().enumerate() {
            let is_denied = at
                .checked_sub(1)
                .is_some_and(|before| matches!(words[before].as_str(), "no" | "without"));
            if actions::is_landmark(word) && !is_denied && !wish.unshown.contains(word) && !wish.unknown.contains(word)
            {
                wish.unshown.push(word.clone());
            }
        }
    }

    /// Records an action of the holder.
    fn act(&mut self, action: Action, word: String) {
        if self.holder_is_athlete() {
            return;
        }
        let verbs = match action {
            Action::Posture(posture) => {
                if let Some(possessions) = self.possessions() {
                    possessions.posture.get_or_insert((posture, word));
                }
                return;
            }
            Action::Swimming => &mut self.wish.swimming,
            Action::Motion => &mut self.wish.unshown,
        };
        if !verbs.contains(&word) {
            verbs.push(word);
        }
    }
}

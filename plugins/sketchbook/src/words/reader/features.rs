//! The features that a prompt names: "a dog with floppy ears", "a bearded king".

use super::{Holder, Reader};
use crate::figure::features::{Mention, mentions};
use crate::words::nouns::Seen;

impl Reader {
    /// Gives the features to the subjects and characters that have them.
    pub(super) fn give_features(&mut self) {
        for mention in mentions(&self.tokens) {
            let Some(holder) = self.owner(&mention) else { continue };
            let has = match holder {
                Holder::Subject(index) => {
                    let subject = &mut self.wish.subjects[index];
                    if !mention.named.feature.suits(&subject.label) {
                        continue;
                    }
                    &mut subject.has
                }
                Holder::Name(index) => &mut self.wish.named[index],
            };
            if !has.features.iter().any(|known| known.feature == mention.named.feature) {
                has.features.push(mention.named);
            }
            self.seen[mention.from..mention.until].fill(Seen::Known);
        }
    }

    /// Returns the subject or character that has a feature: the next one after an adjective, or the last one before.
    fn owner(&self, mention: &Mention) -> Option<Holder> {
        let before = || self.named.iter().rev().find(|(at, _)| *at < mention.from);
        let after = || self.named.iter().find(|(at, _)| *at >= mention.until);
        let found = if mention.describes {
            after().or_else(before)
        } else {
            before().or_else(after)
        };
        let only = (self.names.len() == 1 && self.wish.subjects.is_empty()).then_some(Holder::Name(0));
        found.map(|(_, holder)| *holder).or(only)
    }
}

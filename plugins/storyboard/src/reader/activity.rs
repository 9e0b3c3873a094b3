//! Activities: what the subjects of a theme do, such as "having a picnic" or "plays the cello".
use super::{Call, Reader};
use crate::verbs::gerund;
use crate::words::Word;

/// Forms in -ing that do not describe a visible activity.
const EMPTY_ING: &[&str] = &[
    "amazing",
    "being",
    "celebrating",
    "coloring",
    "colouring",
    "doing",
    "drawing",
    "enjoying",
    "enjoyable",
    "everything",
    "evening",
    "exploring",
    "featuring",
    "going",
    "interesting",
    "looking",
    "living",
    "meeting",
    "morning",
    "something",
    "spending",
    "starring",
    "travelling",
    "traveling",
    "visiting",
];

/// Words that end an activity: "bears baking cookies | in the snow".
const ENDS_DOING: &[&str] = &[
    "and", "or", "in", "on", "at", "under", "by", "for", "during", "from", "through", "near", "around", "over", "into",
    "to", "inside", "outside", "along", "across", "after", "before", "while", "among", "between", "beside", "but",
    "who", "that",
];

/// Nouns that form a compound with an -ing form: "sewing room" is a thing, not an activity.
const OF_DOING: &[&str] = &[
    "room",
    "shop",
    "school",
    "class",
    "club",
    "trip",
    "party",
    "lesson",
    "competition",
    "contest",
    "day",
    "camp",
    "studio",
    "team",
    "bee",
    "machine",
    "circle",
    "course",
    "table",
    "pool",
    "show",
    "season",
    "corner",
    "store",
    "center",
    "game",
    "world",
    "adventure",
    "friend",
    "pals",
    "book",
    "range",
    "rink",
    "court",
    "boat",
    "rod",
    "suit",
    "hood",
];

impl Reader<'_> {
    /// Reads an activity in the -ing form, as in "hedgehogs having a picnic". Returns its number of words.
    pub(super) fn doing(&mut self, rest: &[Word], is_owned: bool) -> Option<usize> {
        let first = &rest[0].lower;
        if is_owned || !first.ends_with("ing") || first.len() < 5 || EMPTY_ING.contains(&first.as_str()) {
            return None;
        }
        let mut taken: Vec<&Word> = vec![&rest[0]];
        for word in rest.iter().skip(1).take(4) {
            if taken.last().is_some_and(|last| last.ends_phrase) || ENDS_DOING.contains(&word.lower.as_str()) {
                break;
            }
            taken.push(word);
        }
        let length = taken.len();
        if taken.iter().skip(1).any(|word| OF_DOING.contains(&word.stem.as_str())) {
            return None;
        }
        for at in 0..length {
            let worlds = self
                .lexicon
                .longest_match(&rest[at..length])
                .map(|found| found.worlds)
                .unwrap_or_default();
            self.calls
                .extend(worlds.into_iter().map(|world| (Call::Setting, world)));
        }
        while taken
            .last()
            .is_some_and(|last| matches!(last.lower.as_str(), "a" | "an" | "the" | "their" | "with" | "of"))
        {
            taken.pop();
        }
        if taken.len() > 1 || !self.lexicon.stop.contains(first) {
            let words: Vec<&str> = taken.iter().map(|word| word.lower.as_str()).collect();
            self.theme.doing.get_or_insert(words.join(" "));
        }
        Some(length)
    }

    /// Reads a verb with its object, as in "plays the cello". Returns the number of words.
    pub(super) fn acting(&mut self, rest: &[Word]) -> Option<usize> {
        let verb = &rest[0];
        let base = ["es", "s"]
            .iter()
            .filter_map(|ending| verb.lower.strip_suffix(ending))
            .find(|base| self.lexicon.verbs.contains(*base))?
            .to_owned();
        if verb.ends_phrase || verb.possessive {
            return None;
        }
        let mut object: Vec<&str> = Vec::new();
        for word in rest.iter().skip(1).take(4) {
            if ENDS_DOING.contains(&word.lower.as_str()) {
                break;
            }
            object.push(&word.lower);
            if word.ends_phrase {
                break;
            }
        }
        let names = object.last().is_some_and(|last| !self.lexicon.stop.contains(*last));
        if !names {
            return None;
        }
        let length = object.len() + 1;
        for at in 1..length {
            let found = self.lexicon.longest_match(&rest[at..length]);
            let worlds = found.map(|found| found.worlds).unwrap_or_default();
            self.calls
                .extend(worlds.into_iter().map(|world| (Call::Setting, world)));
        }
        let doing = gerund(&format!("{base} {}", object.join(" ")));
        self.theme.doing.get_or_insert(doing);
        Some(length)
    }
}

//! Link words: verbs and prepositions that say that a subject holds or wears the next item.

use super::is_one_of;

/// The relation of the next item to the subject that was named last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Link {
    /// Held in the hands.
    Hold,
    /// Held in the hands. If no item is named, a book is.
    Read,
    /// Held in the hands if people usually carry the item.
    With,
    /// Worn: "in a hat".
    Wear,
    /// Held above the head: "under an umbrella".
    Under,
}

/// The maximum distance in words from a link to its item: "holding a very large and heavy red book".
pub(super) const MAX_LINK_WORDS: usize = 6;

const HOLDING: &str = "\
    bite bites biting bring bringing brings carries carry carrying catch catches catching clutch clutches clutching cuddle \
    cuddles cuddling drink drinking drinks eat eating eats enjoy enjoying enjoys flying give gives giving grab grabbing grabs \
    grip gripping grips hold holding holds hug hugging hugs lick licking licks lift lifting lifts munch munches munching nibble \
    nibbles nibbling offer offering offers play playing plays raise raises raising sell selling sells serve serves serving show showing shows sip sipping sips smell \
    smelling smells sniff sniffing sniffs studying swing swinging swings unwrap unwrapping unwraps use uses using wave waves \
    waving write writes writing";
const READING: &[&str] = &["read", "reads", "reading"];
const WEARING: &[&str] = &["wear", "wears", "wearing", "dressed", "sporting"];
const ENDING: &str = "\
    above across against along among around as at behind below beneath beside between by during for from inside into near next \
    no on outside over past that through to toward towards under when where which while who without";
/// Words after which "with" is not a link: in "filled with flowers", no hand holds the flowers.
const NOT_LINKED_BY_WITH: &[&str] = &[
    "playing",
    "plays",
    "covered",
    "filled",
    "decorated",
    "surrounded",
    "full",
    "together",
    "made",
    "topped",
    "along",
];

/// Returns the link that a word makes, given the word before it.
pub(super) fn link(word: &str, before: Option<&str>) -> Option<Link> {
    // After an article, "my" or "to", the verb form is part of a noun: "a reading corner" is a place.
    if before.is_some_and(|before| matches!(before, "a" | "an" | "the" | "my" | "to")) {
        return None;
    }
    match word {
        word if is_one_of(HOLDING, word) => Some(Link::Hold),
        word if READING.contains(&word) => Some(Link::Read),
        word if WEARING.contains(&word) => Some(Link::Wear),
        "with" if before.is_none_or(|before| !NOT_LINKED_BY_WITH.contains(&before)) => Some(Link::With),
        "in" => Some(Link::Wear),
        "under" | "beneath" => Some(Link::Under),
        _ => None,
    }
}

/// Returns true if the verb can put a living being into the hands: in "eating a mouse", the mouse is not held.
pub(super) fn embraces(word: &str) -> bool {
    ["hold", "carr", "hug", "cuddl", "bring", "lift"]
        .iter()
        .any(|verb| word.starts_with(verb))
}

/// Returns true if the word ends a link.
pub(super) fn ends(word: &str) -> bool {
    is_one_of(ENDING, word)
}

/// Returns true for words that name reading matter.
pub(super) fn is_reading_matter(word: &str) -> bool {
    matches!(
        word,
        "story"
            | "stories"
            | "tale"
            | "tales"
            | "newspaper"
            | "comic"
            | "comics"
            | "magazine"
            | "poem"
            | "poems"
            | "fairytale"
            | "bedtime"
    )
}

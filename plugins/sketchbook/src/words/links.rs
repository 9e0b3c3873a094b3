//! Words that say that somebody has something in the hands, or on.

use super::is_one_of;

/// How what comes next belongs to whoever was named last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Link {
    /// In the hands, whatever it is.
    Hold,
    /// In the hands, and a book even where none is named.
    Read,
    /// In the hands where that is usual.
    With,
    /// Only what is worn: "in a hat".
    Wear,
    /// "Under an umbrella".
    Under,
}

/// Links reach over no more words than these: "a very large and heavy red book".
pub(super) const REACH: usize = 6;

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
/// "Filled with flowers" is no hand.
const FILLED: &[&str] = &[
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

/// The link that a word makes, after the word before it.
pub(super) fn link(word: &str, before: Option<&str>) -> Option<Link> {
    // "A reading corner" is a place.
    if before.is_some_and(|before| matches!(before, "a" | "an" | "the" | "my" | "to")) {
        return None;
    }
    match word {
        word if is_one_of(HOLDING, word) => Some(Link::Hold),
        word if READING.contains(&word) => Some(Link::Read),
        word if WEARING.contains(&word) => Some(Link::Wear),
        "with" if before.is_none_or(|before| !FILLED.contains(&before)) => Some(Link::With),
        "in" => Some(Link::Wear),
        "under" | "beneath" => Some(Link::Under),
        _ => None,
    }
}

/// Whether living beings, too, are taken like this: a mouse is held, but not eaten.
pub(super) fn embraces(word: &str) -> bool {
    ["hold", "carr", "hug", "cuddl", "bring", "lift"]
        .iter()
        .any(|verb| word.starts_with(verb))
}

/// Whether a word ends what a link reaches.
pub(super) fn ends(word: &str) -> bool {
    is_one_of(ENDING, word)
}

/// Words for something to read.
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

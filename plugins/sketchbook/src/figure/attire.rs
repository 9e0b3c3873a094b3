//! Clothing in a text: the items that a subject wears, and the items that the text rules out.

use super::traits::{Place, Trait};
use crate::inflection::singulars;
use crate::token::{End, Token, scan};

/// The traits that a description names.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Attire {
    /// In the order of the text, at most one for each place.
    pub worn: Vec<Trait>,
    /// Places on which nothing may be worn.
    bare: Vec<Place>,
    denied: Vec<Trait>,
}

/// A piece of clothing named at the start of a phrase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The number of words of its name.
    pub words: usize,
    pub item: Trait,
    /// True for "hat" without a kind.
    any_hat: bool,
    /// True if the word names clothing only in some contexts: a flower may be worn, but also be loved or grown.
    doubtful: bool,
}

/// Words that name a piece of clothing in every context.
const SURE: &[(&str, Trait)] = &[
    ("bow tie", Trait::BowTie),
    ("bowtie", Trait::BowTie),
    ("necktie", Trait::Necktie),
    ("scarf", Trait::Scarf),
    ("shawl", Trait::Scarf),
    ("bandana", Trait::Bandana),
    ("bandanna", Trait::Bandana),
    ("kerchief", Trait::Bandana),
    ("neckerchief", Trait::Bandana),
    ("neck scarf", Trait::Scarf),
    ("cape", Trait::Cape),
    ("cloak", Trait::Cape),
    ("glasses", Trait::Glasses),
    ("eyeglasses", Trait::Glasses),
    ("spectacles", Trait::Glasses),
    ("sunglasses", Trait::Sunglasses),
    ("sun glasses", Trait::Sunglasses),
    ("shades", Trait::Sunglasses),
    ("goggles", Trait::Glasses),
    ("monocle", Trait::Monocle),
    ("eye patch", Trait::EyePatch),
    ("eyepatch", Trait::EyePatch),
    ("necklace", Trait::Necklace),
    ("pendant", Trait::Necklace),
    ("collar", Trait::Collar),
    ("beanie", Trait::Beanie),
    ("crown", Trait::Crown),
    ("tiara", Trait::Crown),
    ("diadem", Trait::Crown),
    ("flower crown", Trait::Flower),
    ("bonnet", Trait::Beanie),
    ("beret", Trait::Beanie),
    ("turban", Trait::Beanie),
    ("helmet", Trait::Helmet),
    ("cap", Trait::Cap),
    ("nightcap", Trait::Beanie),
    ("sombrero", Trait::SunHat),
    ("fedora", Trait::SunHat),
    ("stetson", Trait::SunHat),
    ("headphones", Trait::Headphones),
    ("headphone", Trait::Headphones),
    ("earmuffs", Trait::Headphones),
    ("toque", Trait::ChefHat),
];

/// Words that name a piece of clothing only if the text says that it is worn.
const DOUBTFUL: &[(&str, Trait)] = &[
    ("flower", Trait::Flower),
    ("daisy", Trait::Flower),
    ("blossom", Trait::Flower),
    ("rose", Trait::Flower),
    ("bow", Trait::Bow),
    ("ribbon", Trait::Bow),
    ("tie", Trait::Necktie),
    ("badge", Trait::Badge),
    ("star", Trait::Badge),
    ("medal", Trait::Necklace),
    ("bell", Trait::Necklace),
    ("patch", Trait::EyePatch),
];

/// Kinds of hats, by the word before "hat".
const HATS: &[(&str, Trait)] = &[
    ("party", Trait::PartyHat),
    ("birthday", Trait::PartyHat),
    ("cone", Trait::PartyHat),
    ("wizard", Trait::WizardHat),
    ("witch", Trait::WizardHat),
    ("magic", Trait::WizardHat),
    ("magician", Trait::TopHat),
    ("pointed", Trait::WizardHat),
    ("pointy", Trait::WizardHat),
    ("straw", Trait::SunHat),
    ("sun", Trait::SunHat),
    ("summer", Trait::SunHat),
    ("cowboy", Trait::SunHat),
    ("cowgirl", Trait::SunHat),
    ("safari", Trait::SunHat),
    ("explorer", Trait::SunHat),
    ("gardening", Trait::SunHat),
    ("farmer", Trait::SunHat),
    ("brimmed", Trait::SunHat),
    ("floppy", Trait::SunHat),
    ("wide", Trait::SunHat),
    ("bucket", Trait::SunHat),
    ("rain", Trait::SunHat),
    ("woolly", Trait::Beanie),
    ("wool", Trait::Beanie),
    ("woolen", Trait::Beanie),
    ("knitted", Trait::Beanie),
    ("knit", Trait::Beanie),
    ("bobble", Trait::Beanie),
    ("pom", Trait::Beanie),
    ("winter", Trait::Beanie),
    ("warm", Trait::Beanie),
    ("fuzzy", Trait::Beanie),
    ("fur", Trait::Beanie),
    ("santa", Trait::Beanie),
    ("christmas", Trait::Beanie),
    ("pirate", Trait::PirateHat),
    ("captain", Trait::PirateHat),
    ("admiral", Trait::PirateHat),
    ("chef", Trait::ChefHat),
    ("cook", Trait::ChefHat),
    ("baker", Trait::ChefHat),
    ("hard", Trait::Helmet),
    ("baseball", Trait::Cap),
];

/// Clothing that belongs to a trade or role.
const TRADES: &[(&str, Trait)] = &[
    ("king", Trait::Crown),
    ("queen", Trait::Crown),
    ("prince", Trait::Crown),
    ("princess", Trait::Crown),
    ("wizard", Trait::WizardHat),
    ("witch", Trait::WizardHat),
    ("sorcerer", Trait::WizardHat),
    ("magician", Trait::TopHat),
    ("pirate", Trait::PirateHat),
    ("chef", Trait::ChefHat),
    ("baker", Trait::ChefHat),
    ("explorer", Trait::SunHat),
    ("cowboy", Trait::SunHat),
    ("cowgirl", Trait::SunHat),
    ("gardener", Trait::SunHat),
    ("farmer", Trait::SunHat),
    ("builder", Trait::Helmet),
    ("professor", Trait::Glasses),
    ("librarian", Trait::Glasses),
    ("teacher", Trait::Glasses),
    ("bookworm", Trait::Glasses),
    ("superhero", Trait::Cape),
    ("sheriff", Trait::Badge),
    ("gentleman", Trait::TopHat),
];

const WEARING: &[&str] = &[
    "wear", "wears", "wearing", "worn", "with", "has", "having", "in", "sporting", "dressed", "around", "on",
];
/// Words after which a doubtful word does not name clothing: "loves flowers".
const OTHER_VERBS: &[&str] = &[
    "loves",
    "love",
    "likes",
    "like",
    "collects",
    "collecting",
    "grows",
    "growing",
    "sells",
    "picks",
    "picking",
    "makes",
    "making",
    "draws",
    "paints",
    "smells",
    "plants",
    "follows",
    "wishes",
    "dreams",
    "garden",
    "shop",
    "house",
    "boat",
    "room",
    "holding",
    "holds",
    "carrying",
    "carries",
    "ties",
];
const DENIALS: &[&str] = &[
    "no", "not", "never", "without", "neither", "nor", "isnt", "doesnt", "dont", "wont", "cannot", "cant", "hates",
    "dislikes", "lost", "loses", "refuses", "hatless", "lacks", "minus",
];
/// Words that end a denial: "no hat but a scarf".
const DENIAL_ENDS: &[&str] = &[
    "but", "with", "wears", "wearing", "has", "always", "instead", "only", "just", "except", "who",
];
const ALL_CLOTHING: &[&str] = &[
    "accessories",
    "accessory",
    "clothes",
    "clothing",
    "outfit",
    "ornaments",
    "decorations",
];

/// Returns the piece of clothing named by the first one or two words, the last of which may be a plural.
pub fn piece(words: &[Token]) -> Option<Piece> {
    let find = |table: &[(&str, Trait)], length: usize| {
        let phrase = words.get(..length)?;
        let (last, before) = phrase.split_last()?;
        let forms = std::iter::once(last.word.clone()).chain(singulars(&last.word));
        forms.into_iter().find_map(|form| {
            let words = before.iter().map(|token| token.word.as_str());
            let joined = words.chain([form.as_str()]).collect::<Vec<&str>>().join(" ");
            table.iter().find(|(name, _)| *name == joined).map(|(_, item)| *item)
        })
    };
    let piece = |words: usize, item: Trait, doubtful: bool| Piece {
        words,
        item,
        any_hat: false,
        doubtful,
    };
    if let Some(item) = find(SURE, 2) {
        return Some(piece(2, item, false));
    }
    // "Cowboy hat" names a hat, not a cowboy.
    if words
        .get(1)
        .is_some_and(|next| matches!(next.word.as_str(), "hat" | "hats"))
    {
        let kind = HATS.iter().find(|(kind, _)| *kind == words[0].word);
        let item = kind
            .map(|(_, item)| *item)
            .or((words[0].word == "top").then_some(Trait::TopHat));
        if let Some(item) = item {
            return Some(piece(2, item, false));
        }
    }
    let first = &words.first()?.word;
    if first == "hat" || first == "hats" {
        return Some(Piece {
            any_hat: true,
            ..piece(1, Trait::TopHat, false)
        });
    }
    find(SURE, 1)
        .map(|item| piece(1, item, false))
        .or_else(|| find(DOUBTFUL, 1).map(|item| piece(1, item, true)))
}

/// Returns the kind of hat named by the up to four words before "hat", and a top hat if they name none.
pub fn kind_of_hat(before: &[Token]) -> Trait {
    let near = before.iter().rev().take_while(|token| token.end == End::None).take(4);
    near.filter_map(|token| HATS.iter().find(|(word, _)| *word == token.word))
        .map(|(_, item)| *item)
        .next()
        .unwrap_or(Trait::TopHat)
}

/// Returns the item that a person of a trade wears.
pub fn by_trade(word: &str) -> Option<Trait> {
    TRADES.iter().find(|(trade, _)| *trade == word).map(|(_, item)| *item)
}

impl Piece {
    /// Returns the trait that this piece, found at `index` of a text, stands for.
    pub fn item_at(&self, tokens: &[Token], index: usize) -> Trait {
        if self.any_hat {
            kind_of_hat(&tokens[..index])
        } else {
            self.item
        }
    }

    pub fn is_doubtful(&self) -> bool {
        self.doubtful
    }
}

impl Attire {
    pub fn read(text: &str) -> Self {
        let tokens = scan(text);
        let mut attire = Self::default();
        let mut trades = Vec::new();
        let mut denying = Denial::None;
        let mut clause = 0;
        let mut index = 0;
        while index < tokens.len() {
            let token = &tokens[index];
            let word = token.word.as_str();
            denying = denying.after_word(&tokens, index);
            if let Some(place) = word.strip_suffix("less").and_then(bare_place) {
                attire.bare.push(place);
            }
            if denying != Denial::None && ALL_CLOTHING.contains(&word) {
                attire.bare.extend(Place::ALL);
            }
            let piece = piece(&tokens[index..]);
            let is_named = || is_worn(&tokens[clause..index]) && !super::features::is_of_coat(&tokens, index);
            let worn = |piece: &Piece| !piece.doubtful || denying != Denial::None || is_named();
            let free = tokens.get(index + 1).is_some_and(|next| next.word == "free");
            if let Some(piece) = piece.filter(worn) {
                let item = piece.item_at(&tokens, index);
                let hat = index > 0 && HATS.iter().any(|(kind, _)| *kind == tokens[index - 1].word);
                match (denying != Denial::None || free, piece.any_hat && !hat) {
                    (true, true) => attire.bare.push(Place::Head),
                    (true, false) => attire.denied.push(item),
                    (false, _) => attire.add(item),
                }
                index += piece.words - 1;
            } else if denying == Denial::None
                && let Some((_, item)) = TRADES.iter().find(|(trade, _)| *trade == word)
                && tokens.get(index + 1).is_none_or(|next| next.word != "hat")
            {
                trades.push(*item);
            }
            let end = tokens[index].end;
            denying = denying.after_punctuation(end, &tokens[index + 1..]);
            if end == End::Sentence {
                clause = index + 1;
            }
            index += 1;
        }
        for item in trades {
            attire.add(item);
        }
        let Self { worn, bare, denied } = &mut attire;
        worn.retain(|item| !denied.contains(item) && !bare.contains(&item.place()));
        attire
    }

    fn add(&mut self, item: Trait) {
        if !self.worn.iter().any(|known| known.place() == item.place()) {
            self.worn.push(item);
        }
    }

    pub fn allows(&self, item: Trait) -> bool {
        !self.denied.contains(&item) && !self.bare.contains(&item.place())
    }
}

/// Returns true if the words of a sentence so far say that the next item is worn.
fn is_worn(before: &[Token]) -> bool {
    let mut near = before.iter().rev().take(8);
    near.find(|token| WEARING.contains(&token.word.as_str()) || OTHER_VERBS.contains(&token.word.as_str()))
        .is_some_and(|token| WEARING.contains(&token.word.as_str()))
}

fn bare_place(item: &str) -> Option<Place> {
    match item {
        "hat" => Some(Place::Head),
        "tie" | "scarf" => Some(Place::Neck),
        _ => None,
    }
}

/// The scope of a denial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Denial {
    None,
    /// Denies one item: in "no hat and a scarf", the scarf is worn.
    One,
    /// Denies a whole list: in "without a hat and a scarf", neither is worn.
    All,
}

impl Denial {
    /// Returns the denial in effect after the word at `index`.
    fn after_word(self, tokens: &[Token], index: usize) -> Self {
        let word = |at: Option<usize>| at.and_then(|at| tokens.get(at)).map_or("", |token| token.word.as_str());
        let article = |word: &str| matches!(word, "a" | "an" | "his" | "her" | "its" | "their" | "the");
        match word(Some(index)) {
            "without" | "neither" | "doesnt" | "never" | "hates" | "dislikes" => Self::All,
            word if DENIALS.contains(&word) => Self::One,
            "and" if self == Self::One && article(word(Some(index + 1))) => Self::None,
            // "Not wearing a hat": directly after the denial, the verb does not end it.
            "wear" | "wears" | "wearing" if self != Self::None && DENIALS.contains(&word(index.checked_sub(1))) => {
                Self::All
            }
            word if DENIAL_ENDS.contains(&word) => Self::None,
            _ => self,
        }
    }

    /// Returns the denial in effect after a punctuation mark. A comma ends a denial unless a list continues.
    fn after_punctuation(self, end: End, rest: &[Token]) -> Self {
        let list = || {
            let clause = rest
                .iter()
                .position(|token| token.end == End::Sentence)
                .map_or(rest, |last| &rest[..=last]);
            clause
                .iter()
                .take(6)
                .take_while(|token| !DENIAL_ENDS.contains(&token.word.as_str()))
                .any(|token| matches!(token.word.as_str(), "or" | "nor"))
        };
        match end {
            End::None => self,
            End::Comma if self != Self::None && list() => self,
            End::Comma | End::Sentence => Self::None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clothing_that_a_description_names_is_worn() {
        for (text, worn) in [
            ("a brave little fox with a red scarf", vec![Trait::Scarf]),
            ("A fox with a scarf who goes to every party", vec![Trait::Scarf]),
            (
                "a squirrel in a tall black top hat and round glasses",
                vec![Trait::TopHat, Trait::Glasses],
            ),
            (
                "an owl. He wears a pointed blue wizard's hat, and a bow tie.",
                vec![Trait::WizardHat, Trait::BowTie],
            ),
            ("a bear with a woolly hat", vec![Trait::Beanie]),
            (
                "a mouse with a wide-brimmed straw hat and a cape",
                vec![Trait::SunHat, Trait::Cape],
            ),
            ("a rabbit with a birthday hat", vec![Trait::PartyHat]),
            ("a cat with a pink bow in her hair", vec![Trait::Bow]),
            ("a frog who is a pirate captain", vec![Trait::PirateHat]),
            ("a girl who loves flowers and stars", vec![]),
            (
                "a dog with a flower behind its ear, wearing sunglasses",
                vec![Trait::Flower, Trait::Sunglasses],
            ),
            ("a panda king with spectacles", vec![Trait::Glasses, Trait::Crown]),
            (
                "a fox with a hat, another hat and a scarf",
                vec![Trait::TopHat, Trait::Scarf],
            ),
            (
                "A small brown dog with floppy ears, a white belly and a red collar",
                vec![Trait::Collar],
            ),
            ("a big friendly bear with brown fur", vec![]),
        ] {
            assert_eq!(Attire::read(text).worn, worn, "{text}");
        }
    }

    #[test]
    fn clothing_that_a_description_denies_is_not_worn() {
        for (text, worn) in [
            ("a fox with no hat", vec![]),
            ("a fox with a scarf and no hat", vec![Trait::Scarf]),
            ("a fox without glasses, with a scarf", vec![Trait::Scarf]),
            ("a bear without a hat and a scarf", vec![]),
            ("a bear with no hat and a scarf", vec![Trait::Scarf]),
            ("a bear with no hat, scarf or glasses", vec![]),
            (
                "a bear with no hat, a scarf and glasses",
                vec![Trait::Scarf, Trait::Glasses],
            ),
            ("a cat that never wears a hat but always a bow tie", vec![Trait::BowTie]),
            ("a cat, not wearing glasses", vec![]),
            ("a cat that doesn't wear a crown. It wears a cap.", vec![Trait::Cap]),
            ("a hatless wizard with a scarf", vec![Trait::Scarf]),
            ("a mouse without any accessories", vec![]),
        ] {
            assert_eq!(Attire::read(text).worn, worn, "{text}");
        }
        let bare = Attire::read("a fox with no hat and no glasses");
        assert!(!bare.allows(Trait::PartyHat) && !bare.allows(Trait::Crown) && !bare.allows(Trait::Glasses));
        assert!(bare.allows(Trait::Scarf));
        assert!(!Attire::read("no top hat").allows(Trait::TopHat));
        assert!(Attire::read("no top hat").allows(Trait::Beanie));
    }
}

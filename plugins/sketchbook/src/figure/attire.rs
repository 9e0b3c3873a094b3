//! What a text says that somebody wears, and what it says they do not.

use super::traits::{Place, Trait};
use crate::words::{End, Token, scan, singulars};

/// The traits that a description names.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Attire {
    /// In the order of the text, one for each place.
    pub worn: Vec<Trait>,
    /// Where nothing may be worn.
    bare: Vec<Place>,
    denied: Vec<Trait>,
}

/// A piece of clothing at the start of some words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// How many words it takes.
    pub words: usize,
    pub item: Trait,
    /// Any hat, whichever kind.
    any_hat: bool,
    /// A flower may be worn, but also be loved or grown.
    doubtful: bool,
}

/// Words that are a piece of clothing wherever they stand.
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

/// Words that are one only where they are worn.
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
    ("collar", Trait::Necklace),
    ("bell", Trait::Necklace),
    ("patch", Trait::EyePatch),
];

/// What kind of hat the word before it makes it.
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

/// Who wears something by trade.
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
/// After these a flower is not worn.
const OTHERWISE: &[&str] = &[
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
const DENYING: &[&str] = &[
    "no", "not", "never", "without", "neither", "nor", "isnt", "doesnt", "dont", "wont", "cannot", "cant", "hates",
    "dislikes", "lost", "loses", "refuses", "hatless", "lacks", "minus",
];
/// After these what is denied has ended.
const AGAIN: &[&str] = &[
    "but", "with", "wears", "wearing", "has", "always", "instead", "only", "just", "except", "who",
];
const PLAIN: &[&str] = &[
    "accessories",
    "accessory",
    "clothes",
    "clothing",
    "outfit",
    "ornaments",
    "decorations",
];

/// The piece of clothing with which some words begin: at most two words and the plural of the last.
pub fn piece(words: &[Token]) -> Option<Piece> {
    let find = |table: &[(&str, Trait)], length: usize| {
        let phrase = words.get(..length)?;
        let (last, before) = phrase.split_last()?;
        let forms = std::iter::once(last.word.clone()).chain(singulars(&last.word));
        forms.into_iter().find_map(|form| {
            let joined: Vec<&str> = before
                .iter()
                .map(|token| token.word.as_str())
                .chain([form.as_str()])
                .collect();
            let joined = joined.join(" ");
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
    // A cowboy hat is no cowboy.
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

/// The kind of hat that the words before it tell.
pub fn kind_of_hat(before: &[Token]) -> Trait {
    let near = before.iter().rev().take_while(|token| token.end == End::None).take(4);
    near.filter_map(|token| HATS.iter().find(|(word, _)| *word == token.word))
        .map(|(_, item)| *item)
        .next()
        .unwrap_or(Trait::TopHat)
}

/// What somebody of a trade wears.
pub fn by_trade(word: &str) -> Option<Trait> {
    TRADES.iter().find(|(trade, _)| *trade == word).map(|(_, item)| *item)
}

impl Piece {
    /// The trait that stands at an index of a text.
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
            denying = denying.after(&tokens, index);
            if let Some(place) = word.strip_suffix("less").and_then(bare_place) {
                attire.bare.push(place);
            }
            if denying != Denial::None && PLAIN.contains(&word) {
                attire.bare.extend(Place::ALL);
            }
            let piece = piece(&tokens[index..]);
            let worn = |piece: &Piece| !piece.doubtful || denying != Denial::None || is_worn(&tokens[clause..index]);
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
            denying = denying.behind(end, &tokens[index + 1..]);
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

/// Whether the words of a sentence so far say that what comes next is worn.
fn is_worn(before: &[Token]) -> bool {
    let mut near = before.iter().rev().take(8);
    near.find(|token| WEARING.contains(&token.word.as_str()) || OTHERWISE.contains(&token.word.as_str()))
        .is_some_and(|token| WEARING.contains(&token.word.as_str()))
}

fn bare_place(item: &str) -> Option<Place> {
    match item {
        "hat" => Some(Place::Head),
        "tie" | "scarf" => Some(Place::Neck),
        _ => None,
    }
}

/// How far a "no" reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Denial {
    None,
    /// "No hat and a scarf" has a scarf.
    One,
    /// "Without a hat and a scarf" has neither.
    All,
}

impl Denial {
    /// Behind the word at an index.
    fn after(self, tokens: &[Token], index: usize) -> Self {
        let word = |at: Option<usize>| at.and_then(|at| tokens.get(at)).map_or("", |token| token.word.as_str());
        let article = |word: &str| matches!(word, "a" | "an" | "his" | "her" | "its" | "their" | "the");
        match word(Some(index)) {
            "without" | "neither" | "doesnt" | "never" | "hates" | "dislikes" => Self::All,
            word if DENYING.contains(&word) => Self::One,
            "and" if self == Self::One && article(word(Some(index + 1))) => Self::None,
            // "Not wearing a hat": right behind the denial the verb ends nothing.
            "wear" | "wears" | "wearing" if self != Self::None && DENYING.contains(&word(index.checked_sub(1))) => {
                Self::All
            }
            word if AGAIN.contains(&word) => Self::None,
            _ => self,
        }
    }

    /// A comma ends it, unless a list goes on.
    fn behind(self, end: End, rest: &[Token]) -> Self {
        let list = || {
            let clause = rest
                .iter()
                .position(|token| token.end == End::Sentence)
                .map_or(rest, |last| &rest[..=last]);
            clause
                .iter()
                .take(6)
                .take_while(|token| !AGAIN.contains(&token.word.as_str()))
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
    fn what_a_description_names_is_worn() {
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
            ("a big friendly bear with brown fur", vec![]),
        ] {
            assert_eq!(Attire::read(text).worn, worn, "{text}");
        }
    }

    #[test]
    fn what_a_description_denies_is_not_worn() {
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

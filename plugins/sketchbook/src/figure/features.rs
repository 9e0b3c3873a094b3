//! Features, which a text names and a body has: the shape of ears and tail, the coat, the legs, a beard.

use super::attire;
use super::body::{Tail, species_of};
use crate::art::Drawings;
use crate::catalog::{entry, label_of};
use crate::inflection::singulars;
use crate::token::{End, Token, scan};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    Ears(Ears),
    Tail(Tail),
    Spots,
    Stripes,
    /// One area of another color.
    Patch,
    Fluffy,
    ShortLegs,
    LongLegs,
    Beard,
    Moustache,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ears {
    Pointed,
    Floppy,
    Round,
    Long,
}

/// A feature, and the words of the text that name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    pub feature: Feature,
    pub words: String,
}

/// The place in a text where a feature is named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mention {
    /// The index of the first word, and the index after the last.
    pub(crate) from: usize,
    pub(crate) until: usize,
    pub(crate) named: Named,
    /// True if the words are in front of their owner: "a floppy-eared dog".
    pub(crate) describes: bool,
}

/// The maximum number of words between an adjective and its noun.
const MAX_WORDS_BETWEEN: usize = 2;
/// The words before a noun which say that a subject has it.
const HAVING: &[&str] = &["with", "has", "have", "having", "had", "and", "its", "his", "her"];
const DENIALS: &[&str] = &["no", "not", "without", "never"];
const COLORS: &[&str] = &[
    "white", "black", "brown", "dark", "light", "gray", "grey", "golden", "ginger", "orange", "red", "cream", "tan",
    "yellow", "beige",
];

/// Returns the feature that an adjective gives to a part of a body.
fn part(adjective: &str, noun: &str) -> Option<Feature> {
    let ears = |ears: Ears| Some(Feature::Ears(ears));
    let tail = |tail: Tail| Some(Feature::Tail(tail));
    match (noun, adjective) {
        ("ears" | "ear" | "eared", "pointed" | "pointy" | "upright" | "perky" | "pricked") => ears(Ears::Pointed),
        ("ears" | "ear" | "eared", "floppy" | "droopy" | "drooping" | "flopped" | "hanging" | "lop") => {
            ears(Ears::Floppy)
        }
        ("ears" | "ear" | "eared", "round" | "rounded") => ears(Ears::Round),
        ("ears" | "ear" | "eared", "long") => ears(Ears::Long),
        ("tail" | "tailed", "bushy" | "fluffy" | "feathery" | "furry") => tail(Tail::Bushy),
        ("tail" | "tailed", "long") => tail(Tail::Long),
        ("tail" | "tailed", "short" | "stubby" | "stumpy" | "tiny" | "docked") => tail(Tail::Stub),
        ("tail" | "tailed", "curly" | "curled" | "curling") => tail(Tail::Curly),
        ("fur" | "coat" | "hair" | "haired" | "furred", "long" | "fluffy" | "shaggy") => Some(Feature::Fluffy),
        ("fur" | "coat", "spotted" | "speckled" | "dappled") => Some(Feature::Spots),
        ("fur" | "coat", "striped") => Some(Feature::Stripes),
        ("legs" | "legged", "short" | "stubby" | "stumpy") => Some(Feature::ShortLegs),
        ("legs" | "legged", "long") => Some(Feature::LongLegs),
        _ => None,
    }
}

/// Returns the feature that an adjective gives to the animal or the person after it.
fn described(adjective: &str) -> Option<Feature> {
    Some(match adjective {
        "spotted" | "spotty" | "speckled" | "dappled" => Feature::Spots,
        "striped" | "stripy" | "stripey" => Feature::Stripes,
        "fluffy" | "shaggy" => Feature::Fluffy,
        "bearded" => Feature::Beard,
        "mustached" | "moustached" | "mustachioed" | "moustachioed" => Feature::Moustache,
        _ => return None,
    })
}

/// Returns the features that a text names.
pub fn read(text: &str) -> Vec<Named> {
    let mut found: Vec<Named> = Vec::new();
    for mention in mentions(&scan(text)) {
        if !found.iter().any(|known| known.feature == mention.named.feature) {
            found.push(mention.named);
        }
    }
    found
}

/// Returns the places of a text where features are named, in their order.
pub(crate) fn mentions(tokens: &[Token]) -> Vec<Mention> {
    let mut found: Vec<Mention> = Vec::new();
    for at in 0..tokens.len() {
        // "Long fluffy fur" names one feature.
        let free = found.last().map_or(0, |last| last.until);
        let mention = part_at(tokens, at, free)
            .or_else(|| mark_at(tokens, at, free))
            .or_else(|| adjective_at(tokens, at));
        let is_denied = |mention: &Mention| {
            let before = clause(tokens, mention.from).iter().rev().take(3);
            before.into_iter().any(|token| DENIALS.contains(&token.word.as_str()))
        };
        found.extend(mention.filter(|mention| mention.from >= free && !is_denied(mention)));
    }
    found
}

/// Returns true if "patch" at an index is a part of the coat and not an eye patch.
pub(crate) fn is_of_coat(tokens: &[Token], at: usize) -> bool {
    mark_at(tokens, at, 0).is_some()
}

/// Returns the words of the clause before an index.
fn clause(tokens: &[Token], at: usize) -> &[Token] {
    let from = tokens[..at].iter().rposition(|token| token.end != End::None);
    &tokens[from.map_or(0, |from| from + 1)..at]
}

fn mention(tokens: &[Token], (from, until): (usize, usize), feature: Feature, describes: bool) -> Mention {
    let words: Vec<&str> = tokens[from..until].iter().map(|token| token.word.as_str()).collect();
    Mention {
        from,
        until,
        named: Named {
            feature,
            words: words.join(" "),
        },
        describes,
    }
}

/// Finds a part of a body with an adjective: "floppy ears", "a tail that is bushy", "short-legged".
fn part_at(tokens: &[Token], at: usize, free: usize) -> Option<Mention> {
    let noun = tokens[at].word.as_str();
    let describes = noun.ends_with("ed");
    let from = at.saturating_sub(MAX_WORDS_BETWEEN + 1).max(free);
    for before in (from..at).rev() {
        let word = tokens[before].word.as_str();
        if let Some(feature) = part(word, noun) {
            return Some(mention(tokens, (before, at + 1), feature, describes));
        }
        let is_between = tokens[before].end == End::Sentence || HAVING[..5].contains(&word) || part_noun(word);
        if is_between || describes {
            break;
        }
    }
    if !tokens
        .get(at + 1)
        .is_some_and(|next| matches!(next.word.as_str(), "is" | "are"))
    {
        return None;
    }
    let after = at + 2..tokens.len().min(at + 3 + MAX_WORDS_BETWEEN);
    after
        .into_iter()
        .find_map(|index| Some((index, part(&tokens[index].word, noun)?)))
        .map(|(index, feature)| mention(tokens, (at, index + 1), feature, false))
}

fn part_noun(word: &str) -> bool {
    matches!(word, "ears" | "ear" | "tail" | "fur" | "coat" | "hair" | "legs")
}

/// Returns the feature that a noun names if a subject has it.
fn mark(noun: &str) -> Option<Feature> {
    Some(match noun {
        "spots" | "speckles" | "patches" => Feature::Spots,
        "stripes" => Feature::Stripes,
        "patch" | "spot" => Feature::Patch,
        "beard" | "beards" | "goatee" => Feature::Beard,
        "moustache" | "mustache" | "moustaches" | "mustaches" => Feature::Moustache,
        _ => return None,
    })
}

/// Finds a mark or a beard that a subject has: "with black spots", "has a white patch".
fn mark_at(tokens: &[Token], at: usize, free: usize) -> Option<Mention> {
    let word = tokens[at].word.as_str();
    let feature = mark(word)?;
    let before = clause(tokens, at);
    let near = &before[before.len().saturating_sub(4)..];
    let has = near.iter().rposition(|token| HAVING.contains(&token.word.as_str()));
    // "With floppy ears, a white patch": a list continues.
    let is_listed = at
        .checked_sub(before.len() + 1)
        .is_some_and(|last| tokens[last].end == End::Comma);
    // "A ball with stripes" is not the coat of its owner.
    let owner = has.and_then(|has| (before.len() - near.len() + has).checked_sub(1));
    let is_of_thing = owner.is_some_and(|owner| before[owner + 1].word != "and" && noun(&before[owner]) == Some(false));
    let phrase = &near[has.map_or(0, |has| has + 1)..];
    if is_of_thing || !(has.is_some() || is_listed) || phrase.iter().any(|token| noun(token).is_some()) {
        return None;
    }
    let color = phrase.iter().rposition(|token| COLORS.contains(&token.word.as_str()));
    let is_of = tokens.get(at + 1).is_some_and(|next| next.word == "of");
    let is_mark = match feature {
        // Pirates have a patch over an eye.
        Feature::Patch => !is_of && (is_on_body(tokens, at) || color.is_some_and(|at| phrase[at].word != "black")),
        _ => word != "patches" || color.is_some(),
    };
    if !is_mark {
        return None;
    }
    let color = color.filter(|_| !matches!(feature, Feature::Beard | Feature::Moustache));
    let start = at - phrase.len();
    let from = color.map_or(at, |color| start + color);
    (from >= free).then(|| mention(tokens, (from, at + 1), feature, false))
}

/// Returns true if the words of the clause after an index name a part of the body: "on its chest".
fn is_on_body(tokens: &[Token], at: usize) -> bool {
    let parts = ["chest", "belly", "back", "tummy", "side", "leg", "head", "fur"];
    let pairs = tokens[at..].windows(2).take(4);
    pairs
        .take_while(|pair| pair[0].end == End::None)
        .any(|pair| parts.contains(&pair[1].word.as_str()))
}

/// Finds an adjective before its owner, or after "is".
fn adjective_at(tokens: &[Token], at: usize) -> Option<Mention> {
    let feature = described(&tokens[at].word)?;
    let after = tokens[at + 1..].iter().take(MAX_WORDS_BETWEEN + 2);
    let ends = tokens[at].end == End::Sentence;
    let mut owner = None;
    for token in after.take(if ends { 0 } else { usize::MAX }) {
        if let Some(is_alive) = noun(token) {
            owner = Some(is_alive);
            break;
        }
        if token.end == End::Sentence {
            break;
        }
    }
    let is = clause(tokens, at)
        .iter()
        .rev()
        .take(3)
        .any(|token| matches!(token.word.as_str(), "is" | "are"));
    let describes = owner == Some(true);
    (describes || is && owner.is_none()).then(|| mention(tokens, (at, at + 1), feature, describes))
}

/// Returns true for the noun of an animal or a person, false for that of another thing, and `None` for other words.
fn noun(token: &Token) -> Option<bool> {
    let word = token.word.as_str();
    if COLORS.contains(&word) {
        return None;
    }
    let forms = std::iter::once(word.to_string()).chain(singulars(word));
    let label = forms.into_iter().find_map(|form| label_of(&form));
    if let Some(label) = label {
        let group = Drawings::get().with_label(label).next().map(|drawing| drawing.group);
        let animate = entry(label).and_then(|entry| entry.animate);
        return Some(animate.unwrap_or(matches!(group, Some(1 | 3))));
    }
    (part_noun(word) || attire::piece(std::slice::from_ref(token)).is_some()).then_some(false)
}

/// The features that drawings have anyway, with the labels of these drawings, separated by bars.
const NATURAL: &[(Feature, &str)] = &[
    (
        Feature::Ears(Ears::Pointed),
        "fox|wolf|cat|black cat|horse|donkey|deer|raccoon|bat|kangaroo|llama|chipmunk|goat|unicorn|rhinoceros",
    ),
    (
        Feature::Ears(Ears::Round),
        "bear|polar bear|panda|koala|mouse|hamster|lion|tiger|monkey|gorilla|orangutan|hippopotamus|teddy bear|rat|leopard|otter|beaver",
    ),
    (Feature::Ears(Ears::Floppy), "dog|elephant|guide dog|poodle|ewe"),
    (Feature::Ears(Ears::Long), "rabbit|donkey|kangaroo|llama"),
    (
        Feature::Tail(Tail::Bushy),
        "fox|wolf|chipmunk|skunk|raccoon|horse|unicorn|badger",
    ),
    (
        Feature::Tail(Tail::Long),
        "dog|cat|black cat|mouse|monkey|tiger|lion|cow|rat|kangaroo|leopard|horse|unicorn|crocodile|lizard|otter|dragon",
    ),
    (
        Feature::Tail(Tail::Stub),
        "rabbit|bear|polar bear|hamster|deer|goat|ewe|elephant|duck|penguin",
    ),
    (Feature::Tail(Tail::Curly), "pig"),
    (Feature::Spots, "leopard|giraffe|lady beetle|cow|octopus|blowfish"),
    (
        Feature::Stripes,
        "tiger|zebra|honeybee|chipmunk|badger|skunk|raccoon|tropical fish",
    ),
    (Feature::Patch, "cow|panda|penguin|badger|skunk|raccoon"),
    (
        Feature::Fluffy,
        "ewe|poodle|lion|baby chick|hatching chick|front-facing baby chick|bison|chipmunk|koala|owl|llama",
    ),
    (
        Feature::ShortLegs,
        "hedgehog|hippopotamus|hamster|mouse|crocodile|turtle|duck|penguin|badger|beaver",
    ),
    (
        Feature::LongLegs,
        "giraffe|horse|flamingo|ostrich|crane bird|deer|llama|camel|spider",
    ),
    (
        Feature::Beard,
        "goat|mage|man mage|santa claus|man: beard|merman|old man",
    ),
    (Feature::Moustache, "old man"),
];

impl Feature {
    /// Returns true if the drawings of a label have the feature anyway.
    pub fn is_natural_for(self, label: &str) -> bool {
        let known = NATURAL.iter().find(|(feature, _)| *feature == self);
        known.is_some_and(|(_, labels)| labels.split('|').any(|known| known == label))
    }

    /// Returns true if a subject with the label can have the feature: people have beards, and animals anything else.
    pub fn suits(self, label: &str) -> bool {
        let is_dressed = species_of(label).is_some_and(|species| species.is_dressed());
        let group = || Drawings::get().with_label(label).next().map(|drawing| drawing.group);
        let is_person = is_dressed || group() == Some(1);
        match self {
            Self::Beard | Self::Moustache => true,
            _ => !is_person,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_read_with_their_words() {
        let (ears, tail) = (Feature::Ears, Feature::Tail);
        for (text, features) in [
            (
                "a small brown dog with floppy ears, a white belly and a red collar",
                vec![(ears(Ears::Floppy), "floppy ears")],
            ),
            (
                "A dog with pointed ears and a long, bushy tail",
                vec![(ears(Ears::Pointed), "pointed ears"), (tail(Tail::Bushy), "bushy tail")],
            ),
            (
                "a floppy-eared rabbit whose tail is very short",
                vec![
                    (ears(Ears::Floppy), "floppy eared"),
                    (tail(Tail::Stub), "tail is very short"),
                ],
            ),
            (
                "a corgi with short legs and long fur",
                vec![(Feature::ShortLegs, "short legs"), (Feature::Fluffy, "long fur")],
            ),
            (
                "a puppy with a white patch and black spots",
                vec![(Feature::Patch, "white patch"), (Feature::Spots, "black spots")],
            ),
            ("a fluffy white cat", vec![(Feature::Fluffy, "fluffy")]),
            (
                "A spotted cow and a striped cat",
                vec![(Feature::Spots, "spotted"), (Feature::Stripes, "striped")],
            ),
            (
                "an old man with a long white beard and a moustache",
                vec![(Feature::Beard, "beard"), (Feature::Moustache, "moustache")],
            ),
            ("a bearded king", vec![(Feature::Beard, "bearded")]),
            ("a fox in a striped scarf with a floppy hat", vec![]),
            ("a fluffy cloud above a cat", vec![]),
            ("a dog and a ball with stripes", vec![]),
            (
                "a dog in a hat and with black spots",
                vec![(Feature::Spots, "black spots")],
            ),
            ("a pirate with a black patch over one eye", vec![]),
            ("a pirate with a patch. Back on the ship, he sleeps", vec![]),
            ("a pirate with a patch and a hat, side by side with a dog", vec![]),
            ("a panda with a patch on its chest", vec![(Feature::Patch, "patch")]),
            ("a pirate captain with a black beard", vec![(Feature::Beard, "beard")]),
            ("a rabbit in a vegetable patch", vec![]),
            ("a fox spots a bird", vec![]),
            ("a man without a beard, a dog with no spots", vec![]),
            (
                "a girl with long hair and short sleeves",
                vec![(Feature::Fluffy, "long hair")],
            ),
        ] {
            let found = read(text);
            let found: Vec<(Feature, &str)> = found.iter().map(|named| (named.feature, &*named.words)).collect();
            assert_eq!(found, features, "{text}");
        }
    }

    #[test]
    fn only_animals_have_long_fur_and_every_natural_feature_is_of_a_drawing() {
        assert!(Feature::Fluffy.suits("dog") && !Feature::Fluffy.suits("girl") && Feature::Beard.suits("man"));
        for (feature, labels) in NATURAL {
            for label in labels.split('|') {
                assert!(Drawings::get().has(label), "{feature:?}: {label}");
            }
        }
    }
}

//! The subjects of a page, and their forms in sentences and titles.

use crate::english::{article, definite, sentence, title_case, with_article};
use crate::lexicon::Lexicon;
use crate::world::Kind;

/// Words for the same person. Two of them never appear on the same page.
const KIN: &[&[&str]] = &[
    &["grandma", "grandmother"],
    &["grandpa", "grandfather"],
    &["mom", "mother"],
    &["dad", "father"],
    &["baker", "chef", "cook"],
    &["fireman", "firefighter"],
    &["policeman", "police officer"],
    &["nurse", "doctor"],
    &["brother", "boy", "son"],
    &["sister", "girl", "daughter"],
];

/// A subject that leads a page or accompanies the lead.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Who {
    /// A common noun: "fox".
    Common(String),
    /// A name: "Pip", with the species if the description contains it.
    Named { name: String, species: Option<String> },
}

impl Who {
    /// Returns the first mention: "a fox", "Pip the hedgehog".
    pub(crate) fn introduced(&self) -> String {
        match self {
            Self::Common(noun) => with_article(noun),
            Self::Named {
                name,
                species: Some(species),
            } => format!("{name} the {species}"),
            Self::Named { name, species: None } => name.clone(),
        }
    }

    /// Returns the first mention with adjectives: "a big happy fox", "Pip the hedgehog".
    pub(crate) fn described(&self, adjectives: &str) -> String {
        match self {
            Self::Common(noun) if noun == "Santa Claus" => noun.clone(),
            Self::Common(noun) => format!("{} {adjectives} {noun}", article(adjectives)),
            Self::Named { .. } => self.introduced(),
        }
    }

    /// Returns a later mention: "the fox", "Pip".
    pub(crate) fn known(&self) -> String {
        match self {
            Self::Common(noun) => definite(noun),
            Self::Named { name, .. } => name.clone(),
        }
    }

    /// Returns the noun or name alone: "fox", "Pip".
    pub(crate) fn called(&self) -> String {
        match self {
            Self::Common(noun) => noun.clone(),
            Self::Named { name, .. } => name.clone(),
        }
    }

    /// Returns the form in a title: "Fox", "Pip".
    pub(crate) fn titled(&self) -> String {
        match self {
            Self::Common(noun) => title_case(noun),
            Self::Named { name, .. } => name.clone(),
        }
    }

    /// Returns the form in a title with an adjective: "The Curious Fox", "Curious Pip".
    pub(crate) fn titled_with(&self, adjective: &str) -> String {
        match self {
            Self::Common(noun) if noun == "Santa Claus" => format!("{} {noun}", sentence(adjective)),
            Self::Common(_) => format!("The {} {}", sentence(adjective), self.titled()),
            Self::Named { .. } => format!("{} {}", sentence(adjective), self.titled()),
        }
    }

    /// Returns all words that name the subject, for excluding other things with the same name from the page.
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Common(noun) => KIN
                .iter()
                .find(|kin| kin.contains(&noun.as_str()))
                .map_or_else(|| noun.clone(), |kin| kin.join(" ")),
            Self::Named { name, species } => format!("{name} {}", species.as_deref().unwrap_or_default()),
        }
    }

    /// Returns true if the subject can act, such as wave or share.
    pub(crate) fn is_animate(&self) -> bool {
        match self {
            Self::Common(noun) => Lexicon::shared().kind(noun).is_none_or(Kind::is_animate),
            Self::Named { .. } => true,
        }
    }

    /// Returns true if the subject has a proper name.
    pub(crate) fn is_named(&self) -> bool {
        matches!(self, Self::Named { .. })
    }
}

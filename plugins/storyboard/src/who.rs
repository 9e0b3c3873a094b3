//! Who is on a page, and how a sentence calls them.

use crate::english::{article, definite, sentence, title_case, with_article};
use crate::lexicon::Lexicon;
use crate::world::Kind;

/// Words for the same person: they do not meet.
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

/// Somebody or something that leads a page or keeps company on it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Who {
    /// "fox".
    Common(String),
    /// "Pip", with the species when the description tells it.
    Named { name: String, species: Option<String> },
}

impl Who {
    /// "a fox", "Pip the hedgehog".
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

    /// "a big happy fox", "Pip the hedgehog".
    pub(crate) fn described(&self, adjectives: &str) -> String {
        match self {
            Self::Common(noun) if noun == "Santa Claus" => noun.clone(),
            Self::Common(noun) => format!("{} {adjectives} {noun}", article(adjectives)),
            Self::Named { .. } => self.introduced(),
        }
    }

    /// "the fox", "Pip".
    pub(crate) fn known(&self) -> String {
        match self {
            Self::Common(noun) => definite(noun),
            Self::Named { name, .. } => name.clone(),
        }
    }

    /// "fox", "Pip": as one calls out to them.
    pub(crate) fn called(&self) -> String {
        match self {
            Self::Common(noun) => noun.clone(),
            Self::Named { name, .. } => name.clone(),
        }
    }

    /// "Fox", "Pip".
    pub(crate) fn titled(&self) -> String {
        match self {
            Self::Common(noun) => title_case(noun),
            Self::Named { name, .. } => name.clone(),
        }
    }

    /// "The Curious Fox", "Curious Pip".
    pub(crate) fn titled_with(&self, adjective: &str) -> String {
        match self {
            Self::Common(noun) if noun == "Santa Claus" => format!("{} {noun}", sentence(adjective)),
            Self::Common(_) => format!("The {} {}", sentence(adjective), self.titled()),
            Self::Named { .. } => format!("{} {}", sentence(adjective), self.titled()),
        }
    }

    /// Every word that names them, to keep other things of that name off the page.
    pub(crate) fn words(&self) -> String {
        match self {
            Self::Common(noun) => KIN
                .iter()
                .find(|kin| kin.contains(&noun.as_str()))
                .map_or_else(|| noun.clone(), |kin| kin.join(" ")),
            Self::Named { name, species } => format!("{name} {}", species.as_deref().unwrap_or_default()),
        }
    }

    /// Whether it can act: wave, share, tell.
    pub(crate) fn is_animate(&self) -> bool {
        match self {
            Self::Common(noun) => Lexicon::shared().kind(noun).is_none_or(Kind::is_animate),
            Self::Named { .. } => true,
        }
    }

    /// Whether it bears a name of its own.
    pub(crate) fn is_named(&self) -> bool {
        matches!(self, Self::Named { .. })
    }
}

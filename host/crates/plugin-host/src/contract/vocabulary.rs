//! The question to an image provider for words that it cannot draw.
use linepress_model::Audience;

/// A text of a book plan.
#[derive(Clone, Debug)]
pub struct Wording {
    pub kind: WordingKind,
    pub text: String,
    /// The title of the page or book.
    pub title: String,
    pub audience: Audience,
    /// The names of characters that are drawn according to their own descriptions.
    pub names: Vec<String>,
}

/// The place of a text in a book plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordingKind {
    Theme,
    Cover,
    Page,
}

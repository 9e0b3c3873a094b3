//! The words that an image provider cannot draw, and the question for them.
use linepress_model::Audience;

use crate::log_text::distinct_lines;

/// Maximum number of words for one text. The rest of a longer list is dropped.
const MAX_WORDS: usize = 20;

/// Maximum length of a word. A longer word is cut.
const MAX_WORD_CHARS: usize = 60;

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

/// Limits a provider's list of words for one text.
pub(crate) fn unknown_words(words: &[String]) -> Vec<String> {
    distinct_lines(words, MAX_WORDS, MAX_WORD_CHARS)
}

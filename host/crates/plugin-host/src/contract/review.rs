//! The exchange with reviewers.
use linepress_model::{Aspect, Audience};

use super::image::{Media, Purpose};

/// A reviewer's description of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReviewerDescription {
    pub id: String,
    /// The display name.
    pub name: String,
    pub version: String,
}

/// The words that an image provider is about to get.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptToReview {
    pub purpose: Purpose,
    pub text: String,
    pub title: String,
    pub audience: Audience,
}

/// A picture that is about to be stored.
#[derive(Clone, Debug)]
pub struct PictureToReview {
    /// The words for which it was drawn.
    pub prompt: PromptToReview,
    pub aspect: Aspect,
    pub image: Media,
    /// True if it was drawn with a hint of the reviewer.
    pub is_redrawn: bool,
}

/// A reviewer's answer. Its texts are single lines without control characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Review {
    pub verdict: Verdict,
    /// The model that judged, if the reviewer names it: one line of at most 100 characters.
    pub model: Option<String>,
    /// The cost in millionths of a US dollar, if the reviewer reports it.
    pub cost_microdollars: Option<i64>,
}

/// A reviewer's decision. Only a picture can be drawn once more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Pass,
    /// The picture is to be drawn once more, with this hint of at most 500 characters.
    Redraw(String),
    /// Nothing is stored. The sentence for the customer has at most 200 characters.
    Refuse(Option<String>),
}

impl Verdict {
    /// The verdict in a word, for logs.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Redraw(_) => "redraw",
            Self::Refuse(_) => "refuse",
        }
    }
}

//! The exchange with reviewers.
use linepress_model::{Aspect, Audience};

use super::image::{Media, Purpose};
use super::report::Report;
use crate::error::CallError;
use crate::log_text::words_on_one_line;

/// Maximum length of a sentence for the customer. A longer one is cut.
const MAX_SENTENCE_CHARS: usize = 200;
/// Maximum length of a hint for the image provider. A longer one is cut.
const MAX_HINT_CHARS: usize = 500;
/// Maximum length of an alternative text. A longer one is cut.
const MAX_ALTERNATIVE_TEXT_CHARS: usize = 500;
/// Maximum length of a caption. A longer one is cut.
const MAX_CAPTION_CHARS: usize = 200;

/// A reviewer's description of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReviewerDescription {
    pub id: String,
    /// The display name.
    pub name: String,
    pub version: String,
    /// True if it can describe pictures.
    pub describes_pictures: bool,
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

impl Review {
    pub(crate) fn new(verdict: Verdict, report: &Report) -> Self {
        Self {
            verdict,
            model: report.model.clone(),
            cost_microdollars: report.cost_microdollars,
        }
    }
}

/// A picture that passed its review, to be described in words. It has no words of the prompt: the description is shown
/// to everyone who may see the picture, such as the readers of a review link, and they see neither prompts nor
/// instructions nor what is stored about characters.
#[derive(Clone, Debug)]
pub struct PictureToDescribe {
    pub purpose: Purpose,
    /// The title of the page.
    pub title: String,
    pub audience: Audience,
    pub aspect: Aspect,
    pub image: Media,
    /// The BCP 47 tag of the language of the description.
    pub language: String,
}

impl PictureToDescribe {
    /// Its prompt as the reviewer gets it, without the text.
    pub(crate) fn prompt(&self) -> PromptToReview {
        PromptToReview {
            purpose: self.purpose,
            text: String::new(),
            title: self.title.clone(),
            audience: self.audience,
        }
    }
}

/// A reviewer's description of a picture. Its texts are single lines without control characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PictureDescription {
    /// A text in place of the picture, of at most 500 characters.
    pub alternative_text: String,
    /// A line to print under the picture, of at most 200 characters.
    pub caption: Option<String>,
    /// The model that described it, if the reviewer names it: one line of at most 100 characters.
    pub model: Option<String>,
    /// The cost in millionths of a US dollar, if the reviewer reports it.
    pub cost_microdollars: Option<i64>,
}

impl PictureDescription {
    pub(crate) fn new(alternative_text: &str, caption: &str, report: &Report) -> Result<Self, CallError> {
        let Some(alternative_text) = words_on_one_line(alternative_text, MAX_ALTERNATIVE_TEXT_CHARS) else {
            return Err(CallError::InvalidResponse(
                "a description without an alternative text".into(),
            ));
        };
        Ok(Self {
            alternative_text,
            caption: words_on_one_line(caption, MAX_CAPTION_CHARS),
            model: report.model.clone(),
            cost_microdollars: report.cost_microdollars,
        })
    }
}

impl Verdict {
    /// A refusal with this sentence for the customer, or without one if it is empty.
    pub(crate) fn refuse(sentence: &str) -> Self {
        Self::Refuse(words_on_one_line(sentence, MAX_SENTENCE_CHARS))
    }

    /// Another drawing with this hint, which must not be empty.
    pub(crate) fn redraw(hint: &str) -> Result<Self, CallError> {
        match words_on_one_line(hint, MAX_HINT_CHARS) {
            Some(hint) => Ok(Self::Redraw(hint)),
            None => Err(CallError::InvalidResponse("a redraw without a hint".into())),
        }
    }

    /// The verdict in a word, for logs.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Redraw(_) => "redraw",
            Self::Refuse(_) => "refuse",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_of_a_verdict_are_short_lines() {
        assert_eq!(
            Verdict::redraw("no\u{1b} text\n"),
            Ok(Verdict::Redraw("no text".into()))
        );
        let Ok(Verdict::Redraw(hint)) = Verdict::redraw(&"x".repeat(1000)) else {
            panic!("a long hint is cut");
        };
        assert_eq!(hint.chars().count(), MAX_HINT_CHARS);
        assert!(matches!(Verdict::redraw(" \n"), Err(CallError::InvalidResponse(_))));
        assert_eq!(Verdict::refuse(" \0"), Verdict::Refuse(None));
        assert_eq!(Verdict::refuse("No\nblood."), Verdict::Refuse(Some("No blood.".into())));
        let Verdict::Refuse(Some(sentence)) = Verdict::refuse(&"ü".repeat(1000)) else {
            panic!("a long sentence is cut");
        };
        assert_eq!(sentence.chars().count(), MAX_SENTENCE_CHARS);
    }

    #[test]
    fn a_description_has_an_alternative_text_and_perhaps_a_caption() {
        let describe = |text: &str, caption: &str| PictureDescription::new(text, caption, &Report::default());
        let description = describe(" A fox\nin the snow. ", " ").unwrap();
        assert_eq!(description.alternative_text, "A fox in the snow.");
        assert_eq!(description.caption, None);
        let long = describe(&"ü".repeat(501), &"x".repeat(201)).unwrap();
        assert_eq!(long.alternative_text.chars().count(), MAX_ALTERNATIVE_TEXT_CHARS);
        assert_eq!(long.caption.unwrap().chars().count(), MAX_CAPTION_CHARS);
        assert!(matches!(describe("\0", "Brr!"), Err(CallError::InvalidResponse(_))));
    }
}

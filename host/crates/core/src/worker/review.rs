//! The reviews of an attempt: of its prompt before a provider is called, and of its picture before it is stored.
use linepress_imaging::Prepared;
use linepress_plugin_host::{Media, PictureToReview, PromptToReview};

use super::complete::AttemptOutcome;
use super::draw::Session;
use crate::operations::FailureCode;
use linepress_drawings::queue::CharacterSnapshot;
use linepress_drawings::screening::{self, Reviewed};

impl Session<'_> {
    /// Has the prompt reviewed. Returns the outcome of the attempt if no provider is to be called.
    pub(super) async fn review_prompt(&self) -> Option<AttemptOutcome> {
        let prompt = || self.prompt_to_review();
        outcome(screening::review_prompt(self.app, self.job, self.request, prompt).await)
    }

    /// Has the picture reviewed. Returns the outcome of the attempt if the picture is not to be stored.
    pub(super) async fn review_picture(&self, prepared: &Prepared) -> Option<AttemptOutcome> {
        let picture = PictureToReview {
            prompt: self.prompt_to_review(),
            aspect: self.request.aspect,
            image: Media {
                media_type: prepared.media_type.into(),
                bytes: prepared.image.clone(),
            },
            is_redrawn: false,
        };
        outcome(screening::review_picture(self.app, self.job, picture).await)
    }

    /// The prompt as the reviewer gets it, with the look in words and a line about each character.
    fn prompt_to_review(&self) -> PromptToReview {
        let characters = self.request.characters.iter().map(character_line);
        let parts: Vec<String> = [self.words(true)].into_iter().chain(characters).collect();
        PromptToReview {
            purpose: self.purpose(),
            text: parts.join("\n\n"),
            title: self.request.title.clone(),
            audience: self.request.audience,
        }
    }
}

/// The customer's words about a character.
fn character_line(character: &CharacterSnapshot) -> String {
    let CharacterSnapshot {
        name,
        description,
        style,
        ..
    } = character;
    let parts = [name, description, style].map(String::as_str);
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    format!("Character: {}", parts.join("; "))
}

/// The outcome of an attempt that ends with a review; `None` if it goes on.
fn outcome(reviewed: Reviewed) -> Option<AttemptOutcome> {
    match reviewed {
        Reviewed::Pass => None,
        Reviewed::Redraw(hint) => Some(AttemptOutcome::Redraw { hint }),
        Reviewed::Refuse(sentence) => Some(AttemptOutcome::Declined { sentence }),
        // The reviewer is at fault, not the customer's words.
        Reviewed::Unavailable => Some(AttemptOutcome::Failed(FailureCode::Failed)),
    }
}

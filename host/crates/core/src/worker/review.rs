//! The reviews of an attempt: of its prompt before a provider is called, and of its picture before it is stored.
use linepress_imaging::Prepared;
use linepress_plugin_host::{Media, PictureToReview, PromptToReview};

use super::complete::AttemptOutcome;
use super::draw::Session;
use crate::operations::FailureCode;
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

    /// The customer's words.
    fn prompt_to_review(&self) -> PromptToReview {
        PromptToReview {
            purpose: self.purpose(),
            text: self.words(true),
            title: self.request.title.clone(),
            audience: self.request.audience,
        }
    }
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

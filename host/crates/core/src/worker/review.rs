//! The reviews of an attempt: of its prompt before a provider is called, and of its picture before it is stored. A
//! picture that passes is described in words if the reviewer can do that.
use linepress_imaging::Prepared;
use linepress_plugin_host::{Media, PictureToDescribe, PictureToReview, PromptToReview};

use super::complete::{AttemptOutcome, AttemptResult};
use super::draw::Session;
use super::{log, retry_defect, retry_transient};
use crate::{books, pages};
use linepress_drawings::queue::{CharacterSnapshot, Target};
use linepress_drawings::screening::{self, Obstacle, Reviewed};
use linepress_platform::error::Result;
use linepress_platform::ids::PageId;

/// The language of descriptions for a page that is in no book.
const LANGUAGE_WITHOUT_BOOK: &str = "en";

impl Session<'_> {
    /// Has the prompt reviewed. Returns the result of the attempt if no provider is to be called.
    pub(super) async fn review_prompt(&self) -> Option<AttemptResult> {
        let prompt = self.prompt_to_review();
        match screening::review_prompt(self.app, self.job, prompt).await {
            // Nothing was drawn yet, so the attempt need not count.
            Reviewed::Unavailable(Obstacle {
                reason,
                after,
                is_defect: false,
            }) => {
                let after = Some(after);
                Some(unreviewed(AttemptOutcome::Postponed { after }, reason))
            }
            reviewed => self.ended(reviewed),
        }
    }

    /// Has the picture reviewed. Returns the result of the attempt, without its calls, if the picture is not to be
    /// stored.
    pub(super) async fn review_picture(&self, prepared: &Prepared) -> Option<AttemptResult> {
        let picture = PictureToReview {
            prompt: self.prompt_to_review(),
            aspect: self.request.aspect,
            image: media(prepared),
            is_redrawn: self.job.review_hint.is_some(),
        };
        let reviewed = screening::review_picture(self.app, self.job, picture).await;
        self.ended(reviewed)
    }

    /// Has the picture of a page described. None for another picture, and without a reviewer that describes it in
    /// time: no drawing fails because of that.
    pub(super) async fn describe_picture(&self, prepared: &Prepared) -> Option<String> {
        let Target::Page(page) = &self.job.target else {
            return None;
        };
        if !screening::describes_pictures(self.app).await {
            return None;
        }
        let language = self.language(page).await.unwrap_or_else(|error| {
            log(&error);
            None
        });
        let finished = PictureToDescribe {
            purpose: self.purpose(),
            title: self.request.title.clone(),
            audience: self.request.audience,
            aspect: self.request.aspect,
            image: media(prepared),
            language: language.unwrap_or_else(|| LANGUAGE_WITHOUT_BOOK.to_owned()),
        };
        screening::describe_picture(self.app, finished).await
    }

    /// The language of the first book that contains the page. None if there is none.
    async fn language(&self, page: &PageId) -> Result<Option<String>> {
        let account = &self.job.account_id;
        let books = pages::books_of(self.app, account, page).await?;
        match books.first() {
            Some(book) => books::language_of(self.app, account, book).await,
            None => Ok(None),
        }
    }

    /// The result of an attempt that ends with a review; `None` if it goes on.
    fn ended(&self, reviewed: Reviewed) -> Option<AttemptResult> {
        match reviewed {
            Reviewed::Pass => None,
            Reviewed::Redraw(hint) => Some(AttemptOutcome::Redraw { hint }.into()),
            Reviewed::Refuse(sentence) => Some(AttemptOutcome::Declined { sentence }.into()),
            Reviewed::Unavailable(Obstacle { reason, is_defect, .. }) => Some(unreviewed(
                match is_defect {
                    true => retry_defect(self.app, self.job),
                    // A provider draws the next picture at the operator's expense, so the attempt counts.
                    false => retry_transient(self.app, self.job),
                },
                reason,
            )),
        }
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

fn media(prepared: &Prepared) -> Media {
    Media {
        media_type: prepared.media_type.into(),
        bytes: prepared.image.clone(),
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

/// The result of an attempt that ends because the reviewer could not review.
fn unreviewed(outcome: AttemptOutcome, reason: String) -> AttemptResult {
    AttemptResult {
        error: Some(reason),
        ..AttemptResult::from(outcome)
    }
}

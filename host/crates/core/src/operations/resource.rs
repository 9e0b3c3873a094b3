//! Operations as clients see them.
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use linepress_model::text_enum;
use serde::{Deserialize, Serialize};

use crate::address::Address;
use linepress_accounts::accounts::Usage;
use linepress_accounts::credits::pricing;
use linepress_drawings::queue::{DrawingStatus, NewDrawingJob, TargetType};
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::ids::OperationId;

text_enum! {
    /// The kind of an operation.
    pub enum OperationType {
        CharacterCreate = "character.create",
        CharacterRegenerate = "character.regenerate",
        PageCreate = "page.create",
        PageRegenerate = "page.regenerate",
        PageRefine = "page.refine",
        BookCreate = "book.create",
        BookAddPage = "book.add_page",
        BookRegenerateCover = "book.regenerate_cover",
        BookRestyle = "book.restyle",
    }
}

impl OperationType {
    /// The increase of the account's usage when these drawings are accepted.
    pub(crate) fn added_usage(self, jobs: &[NewDrawingJob]) -> Usage {
        // A page may have several drawings, which are made from the same source picture.
        let pages = jobs.iter().filter(|job| job.target.kind() == TargetType::Page);
        let pages: BTreeSet<&str> = pages.map(|job| job.target.id()).collect();
        let pages = i64::try_from(pages.len()).unwrap_or(i64::MAX);
        let sources = jobs.iter().filter_map(|job| job.request.source.as_ref());
        let sources: BTreeMap<&str, i64> = sources.map(|source| (&*source.key, source.byte_size)).collect();
        let under_way = Usage {
            generations: 1,
            stored_bytes: sources.values().sum(),
            ..Usage::default()
        };
        match self {
            Self::CharacterCreate => Usage {
                characters: 1,
                ..under_way
            },
            Self::PageCreate | Self::BookAddPage => Usage { pages, ..under_way },
            Self::BookCreate => Usage {
                books: 1,
                pages,
                ..under_way
            },
            Self::CharacterRegenerate
            | Self::PageRegenerate
            | Self::PageRefine
            | Self::BookRegenerateCover
            | Self::BookRestyle => under_way,
        }
    }
}

text_enum! {
    /// The state of an operation. The last three are terminal.
    pub enum OperationStatus {
        Queued = "queued",
        Running = "running",
        Succeeded = "succeeded",
        PartiallySucceeded = "partially_succeeded",
        Failed = "failed",
    }
}

impl OperationStatus {
    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Succeeded | Self::PartiallySucceeded | Self::Failed)
    }

    /// The state of an operation that ended with these numbers of drawings.
    pub(super) fn ended_with(completed: i64, failed: i64) -> Self {
        match (completed, failed) {
            (_, 0) => Self::Succeeded,
            (0, _) => Self::Failed,
            _ => Self::PartiallySucceeded,
        }
    }
}

text_enum! {
    /// The kind of the resource that an operation is for.
    pub enum ResourceType {
        Character = "character",
        Page = "page",
        Book = "book",
    }
}

/// A generation in progress or ended. Poll `url` until `status` is terminal.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Operation {
    pub id: OperationId,
    #[serde(rename = "type")]
    pub kind: OperationType,
    pub status: OperationStatus,
    pub progress: Progress,
    pub credits: OperationCredits,
    pub resource: ResourceLink,
    /// One item for each drawing, in the order of the request.
    pub items: Vec<Item>,
    /// The error of the operation as a whole; null unless it failed.
    #[schema(required)]
    pub error: Option<SafeError>,
    /// The URL to poll.
    #[serde(default, skip_serializing_if = "Address::is_unset")]
    #[schema(value_type = String, format = "uri", required)]
    pub url: Address,
    /// The time when the operation was accepted.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// The time when the first drawing began; null while all drawings are queued.
    #[schema(value_type = Option<String>, format = DateTime, required)]
    pub started_at: Option<Timestamp>,
    /// The time when the last drawing ended; null until then.
    #[schema(value_type = Option<String>, format = DateTime, required)]
    pub finished_at: Option<Timestamp>,
}

/// The numbers of drawings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Progress {
    /// Drawings that succeeded.
    #[schema(minimum = 0)]
    pub completed: i64,
    /// Drawings that failed for good or were canceled.
    #[schema(minimum = 0)]
    pub failed: i64,
    /// All drawings.
    #[schema(minimum = 1)]
    pub total: i64,
}

/// The cost of an operation. `charged` never changes; credits for drawings that failed or were canceled are returned as
/// `refunded`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = OperationCredits)]
pub struct OperationCredits {
    /// Credits.
    #[schema(minimum = 0)]
    pub charged: i64,
    /// Credits.
    #[schema(minimum = 0)]
    pub refunded: i64,
}

/// The resource that an operation is for.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ResourceLink {
    #[serde(rename = "type")]
    pub kind: ResourceType,
    /// The resource's id.
    pub id: String,
    /// The resource's address.
    #[serde(default, skip_serializing_if = "Address::is_unset")]
    #[schema(value_type = String, format = "uri", required)]
    pub url: Address,
}

/// One drawing of an operation.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = OperationItem)]
pub struct Item {
    #[serde(rename = "type")]
    pub kind: TargetType,
    /// The id of the page, the character or, for a cover, the book.
    pub id: String,
    /// The title or name at the time of the request.
    pub title: String,
    pub status: DrawingStatus,
    /// The error of a drawing that failed; null otherwise.
    #[schema(required)]
    pub error: Option<SafeError>,
    /// A note of the image provider about the drawing, such as the words of the prompt that it cannot draw: one line of
    /// at most 200 characters, for people. Null without a note.
    #[schema(required)]
    pub note: Option<String>,
    /// What a refinement was to change in the picture; null for other drawings.
    #[serde(default)]
    #[schema(required)]
    pub instruction: Option<String>,
    /// The progress of the drawing. Null unless it is being drawn and the image provider reports its progress.
    #[schema(required)]
    pub progress: Option<ItemProgress>,
}

/// Steps of one drawing, as its image provider counts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ItemProgress {
    /// Completed steps.
    #[schema(minimum = 0)]
    pub done: i64,
    /// All steps.
    #[schema(minimum = 1)]
    pub total: i64,
}

impl Operation {
    /// An operation whose drawings are about to be queued.
    pub(crate) fn new_queued(
        app: &App,
        id: OperationId,
        kind: OperationType,
        (resource_type, resource_id): (ResourceType, &str),
        charged: i64,
        jobs: &[NewDrawingJob],
    ) -> Self {
        let items = jobs.iter().map(|job| Item {
            kind: job.target.kind(),
            id: job.target.id().into(),
            title: job.title.clone(),
            status: DrawingStatus::Queued,
            error: None,
            note: None,
            instruction: job.request.instruction().map(str::to_owned),
            progress: None,
        });
        Self {
            url: Address::default(),
            kind,
            status: OperationStatus::Queued,
            progress: Progress {
                completed: 0,
                failed: 0,
                total: i64::try_from(jobs.len()).unwrap_or(i64::MAX),
            },
            credits: OperationCredits { charged, refunded: 0 },
            resource: ResourceLink::new(resource_type, resource_id),
            items: items.collect(),
            error: None,
            created_at: app.clock.now(),
            started_at: None,
            finished_at: None,
            id,
        }
    }
}

impl ResourceLink {
    pub fn new(kind: ResourceType, id: &str) -> Self {
        Self {
            kind,
            id: id.into(),
            url: Address::default(),
        }
    }
}

text_enum! {
    /// The code of a drawing's failure. Clients may rely on these texts; more codes may be added.
    pub enum FailureCode {
        Failed = "generation_failed",
        Refused = "generation_refused",
        Invalid = "generation_invalid",
        /// The reviewer of the server declined the prompt or the picture.
        ReviewRefused = "review_refused",
        Canceled = "generation_canceled",
        /// Covers only: no drawing that was ordered with it succeeded, and the account had no free cover left.
        FreeCovers = "free_covers_used_up",
    }
}

/// An error of a generation, in words that are safe to display.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = GenerationError)]
pub struct SafeError {
    /// `generation_failed`, `generation_refused`, `generation_invalid`, `review_refused`, `generation_canceled` or
    /// `free_covers_used_up`; more may be added.
    #[schema(value_type = String, example = "generation_failed")]
    pub code: FailureCode,
    /// A sentence for people, safe to display.
    pub message: Cow<'static, str>,
}

impl SafeError {
    /// The error of a drawing that was charged this many credits, which were refunded when it failed.
    fn from_code(code: FailureCode, credits: i64) -> Self {
        let free = credits == 0;
        let refunded = pricing::refunded(credits);
        let message: Cow<'static, str> = match code {
            FailureCode::Refused => "The image provider declined to draw this. Change the prompt and try again.".into(),
            FailureCode::Invalid => {
                "The image provider cannot draw this as it stands. Change the prompt, or use another photograph, and try again.".into()
            }
            FailureCode::ReviewRefused => {
                "This server's reviewer declined the drawing. Change the prompt and try again.".into()
            }
            FailureCode::Canceled if free => "It was canceled, deleted or archived before it was drawn.".into(),
            FailureCode::Canceled => format!("It was canceled, deleted or archived before it was drawn. {refunded}.").into(),
            FailureCode::FreeCovers => {
                "No page of the book was drawn, and the account has no free cover left today. Have a page drawn, or \
                 draw the cover tomorrow.".into()
            }
            FailureCode::Failed if free => "The image could not be generated. It cost nothing.".into(),
            FailureCode::Failed => format!("The image could not be generated. {refunded}; try again.").into(),
        };
        Self { code, message }
    }

    /// The same error with the reviewer's sentence, if there is one.
    pub(super) fn with_sentence(self, sentence: Option<String>) -> Self {
        match sentence {
            Some(sentence) => Self {
                message: sentence.into(),
                ..self
            },
            None => self,
        }
    }
}

/// The failure of the last generation, as it is stored: NULL when it did not fail.
#[derive(Clone, Copy, Debug)]
pub struct LastFailure(Option<FailureCode>);

impl TryFrom<Option<String>> for LastFailure {
    type Error = linepress_model::UnknownText;

    fn try_from(stored: Option<String>) -> Result<Self, Self::Error> {
        stored.map(FailureCode::try_from).transpose().map(Self)
    }
}

impl LastFailure {
    /// The error to show for a drawing that was charged this many credits. None without a failure.
    pub fn error(self, credits: i64) -> Option<SafeError> {
        self.0.map(|code| SafeError::from_code(code, credits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_ends_in_a_terminal_state() {
        for (completed, failed, status) in [
            (3, 0, OperationStatus::Succeeded),
            (2, 1, OperationStatus::PartiallySucceeded),
            (0, 3, OperationStatus::Failed),
        ] {
            let ended = OperationStatus::ended_with(completed, failed);
            assert_eq!(ended, status);
            assert!(ended.is_terminal());
        }
        assert!(!OperationStatus::Queued.is_terminal());
        assert!(!OperationStatus::Running.is_terminal());
    }

    #[test]
    fn an_error_states_what_became_of_the_credits() {
        let refunded = "Its credit was given back";
        for code in FailureCode::ALL {
            let paid = SafeError::from_code(*code, 1);
            let free = SafeError::from_code(*code, 0);
            assert_eq!((paid.code, free.code), (*code, *code));
            assert!(!free.message.contains("given back"), "{code}: {}", free.message);
            let names_refund = matches!(code, FailureCode::Failed | FailureCode::Canceled);
            assert_eq!(
                paid.message.contains(refunded),
                names_refund,
                "{code}: {}",
                paid.message
            );
        }
        let two = SafeError::from_code(FailureCode::Failed, 2);
        assert_eq!(
            two.message,
            "The image could not be generated. Its 2 credits were given back; try again."
        );
        let free = SafeError::from_code(FailureCode::Failed, 0);
        assert_eq!(free.message, "The image could not be generated. It cost nothing.");
    }

    #[test]
    fn a_stored_failure_is_read_back_and_an_unknown_one_is_an_error() {
        let stored = |code: Option<&str>| LastFailure::try_from(code.map(str::to_owned));
        assert_eq!(stored(None).unwrap().error(1), None);
        let refused = stored(Some("generation_refused")).unwrap().error(1);
        assert_eq!(refused.map(|error| error.code), Some(FailureCode::Refused));
        assert!(stored(Some("generation_exploded")).is_err());
    }
}

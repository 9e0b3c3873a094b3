//! Operations as clients see them.
use linepress_model::text_enum;
use serde::Serialize;

use crate::accounts::Usage;
use crate::app::App;
use crate::clock::Timestamp;
use crate::ids::OperationId;
use crate::queue::{DrawingStatus, NewDrawingJob, TargetType};

text_enum! {
    /// What an operation does.
    pub enum OperationType {
        CharacterCreate = "character.create",
        CharacterRegenerate = "character.regenerate",
        PageCreate = "page.create",
        PageRegenerate = "page.regenerate",
        BookCreate = "book.create",
        BookAddPage = "book.add_page",
        BookRegenerateCover = "book.regenerate_cover",
    }
}

impl OperationType {
    /// What the account has more of once these drawings are accepted.
    pub(crate) fn adds(self, jobs: &[NewDrawingJob]) -> Usage {
        let pages = jobs.iter().filter(|job| job.target.kind() == TargetType::Page).count();
        let pages = i64::try_from(pages).unwrap_or(i64::MAX);
        let under_way = Usage {
            generations: 1,
            stored_bytes: jobs
                .iter()
                .filter_map(|job| job.request.source.as_ref())
                .map(|source| source.byte_size)
                .sum(),
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
            Self::CharacterRegenerate | Self::PageRegenerate | Self::BookRegenerateCover => under_way,
        }
    }
}

text_enum! {
    /// Where an operation stands. The last three are terminal.
    pub enum OperationStatus {
        Queued = "queued",
        Running = "running",
        Succeeded = "succeeded",
        PartiallySucceeded = "partially_succeeded",
        Failed = "failed",
    }
}

impl OperationStatus {
    pub(crate) fn is_terminal(self) -> bool {
        matches!(self, Self::Succeeded | Self::PartiallySucceeded | Self::Failed)
    }
}

text_enum! {
    /// The kind of resource an operation works for.
    pub enum ResourceType {
        Character = "character",
        Page = "page",
        Book = "book",
    }
}

impl ResourceType {
    fn collection(self) -> &'static str {
        match self {
            Self::Character => "characters",
            Self::Page => "pages",
            Self::Book => "books",
        }
    }
}

/// A generation under way or ended. Poll `url` until `status` is terminal.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct Operation {
    pub id: OperationId,
    #[serde(rename = "type")]
    pub kind: OperationType,
    pub status: OperationStatus,
    pub progress: Progress,
    pub credits: OperationCredits,
    pub resource: ResourceLink,
    /// One for each drawing, in the order they were asked for.
    pub items: Vec<Item>,
    /// What went wrong with the operation as a whole; null unless it failed.
    #[schema(required)]
    pub error: Option<SafeError>,
    /// Where to poll it.
    #[schema(format = "uri")]
    pub url: String,
    /// When it was accepted.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// When the first drawing began; null while all wait.
    #[schema(value_type = Option<String>, format = DateTime, required)]
    pub started_at: Option<Timestamp>,
    /// When the last drawing ended; null until then.
    #[schema(value_type = Option<String>, format = DateTime, required)]
    pub finished_at: Option<Timestamp>,
}

/// Drawings, counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub(crate) struct Progress {
    /// Drawings that succeeded.
    #[schema(minimum = 0)]
    pub completed: i64,
    /// Drawings that failed for good.
    #[schema(minimum = 0)]
    pub failed: i64,
    /// All drawings.
    #[schema(minimum = 1)]
    pub total: i64,
}

/// What an operation cost. `charged` is never changed; what failed comes back as `refunded`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[schema(as = OperationCredits)]
pub(crate) struct OperationCredits {
    /// Credits.
    #[schema(minimum = 0)]
    pub charged: i64,
    /// Credits.
    #[schema(minimum = 0)]
    pub refunded: i64,
}

/// The resource an operation works for.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct ResourceLink {
    #[serde(rename = "type")]
    pub kind: ResourceType,
    /// The resource's id.
    pub id: String,
    /// The resource's address.
    #[schema(format = "uri")]
    pub url: String,
}

/// One drawing of an operation.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
#[schema(as = OperationItem)]
pub(crate) struct Item {
    #[serde(rename = "type")]
    pub kind: TargetType,
    /// The page, character or, for a cover, book it is for.
    pub id: String,
    /// The title or name it was asked for with.
    pub title: String,
    pub status: DrawingStatus,
    /// Why it failed; null unless it did.
    #[schema(required)]
    pub error: Option<SafeError>,
    /// What the image provider says about the drawing, such as which words of the prompt it cannot draw: one line of at
    /// most 200 characters, for people. Null when it says nothing.
    #[schema(required)]
    pub note: Option<String>,
    /// How far the image provider is with the drawing. Null unless it is being drawn and the provider tells.
    #[schema(required)]
    pub progress: Option<ItemProgress>,
}

/// Steps of one drawing, as its image provider counts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub(crate) struct ItemProgress {
    /// Steps that are done.
    #[schema(minimum = 0)]
    pub done: i64,
    /// All steps.
    #[schema(minimum = 1)]
    pub total: i64,
}

impl Operation {
    /// An operation whose drawings are about to be queued.
    pub(crate) fn begun(
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
            progress: None,
        });
        Self {
            url: url(app, &id),
            kind,
            status: OperationStatus::Queued,
            progress: Progress {
                completed: 0,
                failed: 0,
                total: i64::try_from(jobs.len()).unwrap_or(i64::MAX),
            },
            credits: OperationCredits { charged, refunded: 0 },
            resource: ResourceLink::new(app, resource_type, resource_id),
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
    pub(super) fn new(app: &App, kind: ResourceType, id: &str) -> Self {
        Self::below(&app.config.base_url(), kind, id)
    }

    pub(crate) fn below(base_url: &str, kind: ResourceType, id: &str) -> Self {
        Self {
            kind,
            id: id.into(),
            url: format!("{base_url}/{}/{id}", kind.collection()),
        }
    }
}

/// Where to poll the operation.
pub(super) fn url(app: &App, id: &OperationId) -> String {
    format!("{}/operations/{id}", app.config.base_url())
}

text_enum! {
    /// Why a drawing failed. Clients may rely on the words; more may be added.
    pub enum FailureCode {
        Failed = "generation_failed",
        Refused = "generation_refused",
        Invalid = "generation_invalid",
        Canceled = "generation_canceled",
        /// A cover alone: nothing that was ordered with it was drawn, and the account had no free cover left.
        FreeCovers = "free_covers_used_up",
    }
}

/// An error of a generation, in words that are safe to show.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[schema(as = GenerationError)]
pub(crate) struct SafeError {
    /// `generation_failed`, `generation_refused`, `generation_invalid`, `generation_canceled` or `free_covers_used_up`; more
    /// may be added.
    #[schema(value_type = String, example = "generation_failed")]
    pub code: FailureCode,
    /// For people; safe to show.
    pub message: &'static str,
}

impl SafeError {
    /// The error of a drawing that cost so much; it was refunded when it failed.
    fn of(code: FailureCode, credits: i64) -> Self {
        let free = credits == 0;
        let message = match code {
            FailureCode::Refused => "The image provider declined to draw this. Change the prompt and try again.",
            FailureCode::Invalid => {
                "The image provider cannot draw this as it stands. Change the prompt and try again."
            }
            FailureCode::Canceled if free => "What it was for was deleted before it was drawn.",
            FailureCode::Canceled => "It was deleted or archived before it was drawn. Its credit was given back.",
            FailureCode::FreeCovers => {
                "No page of the book was drawn, and the account has no free cover left today. Have a page drawn, or \
                 draw the cover tomorrow."
            }
            FailureCode::Failed if free => "The image could not be generated. It cost nothing.",
            FailureCode::Failed => "The image could not be generated. Its credit was given back; try again.",
        };
        Self { code, message }
    }
}

/// How the last generation failed, as it is stored: NULL when it did not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LastFailure(Option<FailureCode>);

impl TryFrom<Option<String>> for LastFailure {
    type Error = linepress_model::UnknownText;

    fn try_from(stored: Option<String>) -> Result<Self, Self::Error> {
        stored.map(FailureCode::try_from).transpose().map(Self)
    }
}

impl LastFailure {
    /// What to tell of it when the drawing cost so much.
    pub(crate) fn error(self, credits: i64) -> Option<SafeError> {
        self.0.map(|code| SafeError::of(code, credits))
    }
}

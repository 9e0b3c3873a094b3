//! Operations as clients see them.
use serde::Serialize;

use crate::accounts::Countable;
use crate::clock::Timestamp;
use crate::drawing;
use crate::ids::OperationId;

/// What an operation does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
pub enum OperationType {
    #[serde(rename = "character.create")]
    CharacterCreate,
    #[serde(rename = "character.regenerate")]
    CharacterRegenerate,
    #[serde(rename = "page.create")]
    PageCreate,
    #[serde(rename = "page.regenerate")]
    PageRegenerate,
    #[serde(rename = "book.create")]
    BookCreate,
    #[serde(rename = "book.add_page")]
    BookAddPage,
}

impl OperationType {
    const ALL: [Self; 6] = [
        Self::CharacterCreate,
        Self::CharacterRegenerate,
        Self::PageCreate,
        Self::PageRegenerate,
        Self::BookCreate,
        Self::BookAddPage,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::CharacterCreate => "character.create",
            Self::CharacterRegenerate => "character.regenerate",
            Self::PageCreate => "page.create",
            Self::PageRegenerate => "page.regenerate",
            Self::BookCreate => "book.create",
            Self::BookAddPage => "book.add_page",
        }
    }

    /// What the account has more of once it is accepted.
    pub(super) fn adds(self) -> &'static [Countable] {
        match self {
            Self::CharacterCreate => &[Countable::Characters, Countable::Generations],
            Self::PageCreate | Self::BookAddPage => &[Countable::Pages, Countable::Generations],
            Self::BookCreate => &[Countable::Books, Countable::Pages, Countable::Generations],
            Self::CharacterRegenerate | Self::PageRegenerate => &[Countable::Generations],
        }
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// Where an operation stands. The last three are terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum OperationStatus {
    Queued,
    Running,
    Succeeded,
    PartiallySucceeded,
    Failed,
}

impl OperationStatus {
    pub const ALL: [Self; 5] = [
        Self::Queued,
        Self::Running,
        Self::Succeeded,
        Self::PartiallySucceeded,
        Self::Failed,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Succeeded => "succeeded",
            Self::PartiallySucceeded => "partially_succeeded",
            Self::Failed => "failed",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.as_str() == text)
    }

    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Succeeded | Self::PartiallySucceeded | Self::Failed)
    }
}

/// The kind of resource an operation works for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResourceType {
    Character,
    Page,
    Book,
}

impl ResourceType {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Character => "character",
            Self::Page => "page",
            Self::Book => "book",
        }
    }

    pub(super) fn parse(text: &str) -> Option<Self> {
        [Self::Character, Self::Page, Self::Book]
            .into_iter()
            .find(|kind| kind.as_str() == text)
    }

    pub fn collection(self) -> &'static str {
        match self {
            Self::Character => "characters",
            Self::Page => "pages",
            Self::Book => "books",
        }
    }
}

/// A generation under way or ended. Poll `url` until `status` is terminal.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct Operation {
    pub id: OperationId,
    #[serde(rename = "type")]
    #[schema(inline)]
    pub kind: OperationType,
    #[schema(inline)]
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
pub struct Progress {
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
pub struct OperationCredits {
    /// Credits.
    #[schema(minimum = 0)]
    pub charged: i64,
    /// Credits.
    #[schema(minimum = 0)]
    pub refunded: i64,
}

/// The resource an operation works for.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct ResourceLink {
    #[serde(rename = "type")]
    #[schema(inline)]
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
pub struct Item {
    #[serde(rename = "type")]
    #[schema(inline)]
    pub kind: drawing::TargetType,
    /// The page, character or, for a cover, book it is for.
    pub id: String,
    /// The title or name it was asked for with.
    pub title: String,
    #[schema(inline)]
    pub status: drawing::DrawingStatus,
    /// Why it failed; null unless it did.
    #[schema(required)]
    pub error: Option<SafeError>,
}

/// An error of a generation, in words that are safe to show.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[schema(as = GenerationError)]
pub struct SafeError {
    /// `generation_failed`, `generation_refused` or `generation_invalid`; more may be added.
    #[schema(example = "generation_failed")]
    pub code: String,
    /// For people; safe to show.
    pub message: String,
}

impl SafeError {
    /// The error behind a code that was stored.
    pub fn of_code(code: &str) -> Self {
        let message = match code {
            "generation_refused" => "The image provider declined to draw this. Change the prompt and try again.",
            "generation_invalid" => {
                "The image provider cannot draw this as it stands. Change the prompt and try again."
            }
            "generation_canceled" => "It was deleted or archived before it was drawn. Its credit was given back.",
            _ => "The image could not be generated. Its credit was given back; try again.",
        };
        Self {
            code: code.into(),
            message: message.into(),
        }
    }
}

//! Pages as clients see them.
use serde::Serialize;

use super::{StoredPage, image_url};
use crate::app::App;
use crate::artwork::{Aspect, Audience, Image};
use crate::characters::{self, CharacterLink};
use crate::clock::Timestamp;
use crate::ids::{BookId, OperationId, PageId};
use crate::operations::{Operation, SafeError};

/// Where a page's image came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    Generated,
    Imported,
}

/// Where a page or character stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Generating,
    Ready,
    Failed,
}

impl Origin {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Generated => "generated",
            Self::Imported => "imported",
        }
    }
}

impl Status {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Generating => "generating",
            Self::Ready => "ready",
            Self::Failed => "failed",
        }
    }

    pub fn parse(text: &str) -> Self {
        match text {
            "generating" => Self::Generating,
            "ready" => Self::Ready,
            // The schema allows no fourth word.
            _ => Self::Failed,
        }
    }
}

/// A page.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub struct Page {
    pub id: PageId,
    #[schema(example = "A fox in the woods")]
    pub title: String,
    /// What the drawing shows, in the words it was asked for with.
    pub prompt: String,
    /// The line printed under the drawing; empty when there is none.
    pub caption: String,
    #[schema(inline)]
    pub aspect: Aspect,
    #[schema(inline)]
    pub origin: Origin,
    #[schema(inline)]
    pub status: Status,
    /// Who appears on the page, the most important first.
    pub characters: Vec<CharacterLink>,
    /// The books the page stands in.
    pub book_ids: Vec<BookId>,
    /// The drawing; null until there is one.
    #[schema(required)]
    pub image: Option<Image>,
    /// Why the last generation failed, when it left the page without an image.
    #[schema(required)]
    pub error: Option<SafeError>,
    /// The operation that is drawing it at this moment; null when none is.
    #[schema(required)]
    pub active_operation_id: Option<OperationId>,
    /// When it was asked for.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// When it last changed; drawing it counts.
    #[schema(value_type = String, format = DateTime)]
    pub updated_at: Timestamp,
}

/// The answer to an accepted generation.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct PageAccepted {
    pub page: Page,
    /// Poll it to learn when the page is drawn.
    pub operation: Operation,
}

impl StoredPage {
    pub(super) fn into_page(self, app: &App) -> Page {
        Page {
            image: self.image.at(image_url(app, &self.id)),
            characters: characters::links(self.characters.as_deref()),
            book_ids: self
                .book_ids
                .as_deref()
                .map(|ids| ids.split(characters::BETWEEN).map(BookId::from_text).collect())
                .unwrap_or_default(),
            error: self.error_code.as_deref().map(SafeError::of_code),
            status: Status::parse(&self.status),
            origin: if self.origin == "imported" {
                Origin::Imported
            } else {
                Origin::Generated
            },
            aspect: Aspect::parse(&self.aspect).unwrap_or_default(),
            id: PageId::from_text(self.id),
            title: self.title,
            prompt: self.prompt,
            caption: self.caption,
            active_operation_id: self.active_operation_id.map(OperationId::from_text),
            created_at: Timestamp::from_microseconds(self.created_at),
            updated_at: Timestamp::from_microseconds(self.updated_at),
        }
    }

    pub(super) fn audience(&self) -> Audience {
        Audience::parse(&self.audience).unwrap_or_default()
    }
}

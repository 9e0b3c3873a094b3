//! Accepted orders: a summary of what will be drawn, and the operation that draws it.
use linepress_model::Aspect;
use serde::Serialize;
use utoipa::ToSchema;

use super::books::BookSummary;
use super::operations::OperationDetail;
use linepress_core::artwork::Status;
use linepress_core::characters::Character;
use linepress_core::pages::Page;
use linepress_platform::ids::{CharacterId, PageId};

/// The result of an order.
#[derive(Serialize, ToSchema)]
pub(crate) struct Order<T> {
    /// What was ordered.
    #[serde(flatten)]
    #[schema(inline)]
    pub items: T,
    pub operation: OperationDetail,
    /// The balance after the order.
    pub credits_available: i64,
    /// True if the order was accepted before.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub replayed: bool,
}

/// The book of an order of a book or a cover.
#[derive(Serialize, ToSchema)]
pub(crate) struct OrderedBook {
    pub book: BookSummary,
}

/// The page and the book of an order of a page in a book.
#[derive(Serialize, ToSchema)]
pub(crate) struct OrderedBookPage {
    pub page: PageOfOrder,
    pub book: BookSummary,
}

/// The page of an order of a page.
#[derive(Serialize, ToSchema)]
pub(crate) struct OrderedPage {
    pub page: PageOfOrder,
}

/// The character of an order of a character.
#[derive(Serialize, ToSchema)]
pub(crate) struct OrderedCharacter {
    pub character: CharacterOfOrder,
}

/// A page that is being drawn.
#[derive(Serialize, ToSchema)]
pub(crate) struct PageOfOrder {
    id: PageId,
    title: String,
    aspect: Aspect,
    status: Status,
}

impl From<&Page> for PageOfOrder {
    fn from(page: &Page) -> Self {
        Self {
            id: page.id.clone(),
            title: page.title.clone(),
            aspect: page.aspect,
            status: page.status,
        }
    }
}

/// A character that is being drawn.
#[derive(Serialize, ToSchema)]
pub(crate) struct CharacterOfOrder {
    id: CharacterId,
    name: String,
    status: Status,
}

impl From<&Character> for CharacterOfOrder {
    fn from(character: &Character) -> Self {
        Self {
            id: character.id.clone(),
            name: character.name.clone(),
            status: character.status,
        }
    }
}

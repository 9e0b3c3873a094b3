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

/// The result of an order of a book or a cover.
#[derive(Serialize, ToSchema)]
pub(crate) struct BookOrder {
    pub book: BookSummary,
    pub operation: OperationDetail,
    /// The balance after the order.
    pub credits_available: i64,
    /// True if the order was accepted before.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub replayed: bool,
}

/// The result of an order of a page in a book.
#[derive(Serialize, ToSchema)]
pub(crate) struct BookPageOrder {
    pub page: OrderedPage,
    pub book: BookSummary,
    pub operation: OperationDetail,
    /// The balance after the order.
    pub credits_available: i64,
    /// True if the order was accepted before.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub replayed: bool,
}

/// The result of an order of a page.
#[derive(Serialize, ToSchema)]
pub(crate) struct PageOrder {
    pub page: OrderedPage,
    pub operation: OperationDetail,
    /// The balance after the order.
    pub credits_available: i64,
    /// True if the order was accepted before.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub replayed: bool,
}

/// The result of an order of a character.
#[derive(Serialize, ToSchema)]
pub(crate) struct CharacterOrder {
    pub character: OrderedCharacter,
    pub operation: OperationDetail,
    /// The balance after the order.
    pub credits_available: i64,
    /// True if the order was accepted before.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub replayed: bool,
}

/// A page that is being drawn.
#[derive(Serialize, ToSchema)]
pub(crate) struct OrderedPage {
    id: PageId,
    title: String,
    aspect: Aspect,
    status: Status,
}

impl From<&Page> for OrderedPage {
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
pub(crate) struct OrderedCharacter {
    id: CharacterId,
    name: String,
    status: Status,
}

impl From<&Character> for OrderedCharacter {
    fn from(character: &Character) -> Self {
        Self {
            id: character.id.clone(),
            name: character.name.clone(),
            status: character.status,
        }
    }
}

//! Deleted books and pages.
use serde::Serialize;
use utoipa::ToSchema;

use super::Meta;
use super::books::BookHead;
use super::pages::PageDetail;
use linepress_core::books::Book;
use linepress_core::deletion::{DeletedId, DeletedItem, DeletedKind};
use linepress_core::pages::Page;
use linepress_platform::clock::Timestamp;

/// A deleted book or page.
#[derive(Serialize, ToSchema)]
pub(crate) struct DeletedSummary {
    #[schema(value_type = String)]
    id: DeletedId,
    #[serde(rename = "type")]
    kind: DeletedKind,
    title: String,
    #[schema(value_type = String)]
    deleted_at: Timestamp,
    #[schema(value_type = String)]
    expires_at: Timestamp,
    stored_bytes: i64,
}

impl From<&DeletedItem> for DeletedSummary {
    fn from(item: &DeletedItem) -> Self {
        Self {
            id: item.id.clone(),
            kind: item.kind,
            title: item.title.clone(),
            deleted_at: item.deleted_at,
            expires_at: item.expires_at,
            stored_bytes: item.stored_bytes,
        }
    }
}

/// The result of `list_bin`.
#[derive(Serialize, ToSchema)]
pub(crate) struct BinResult {
    pub deleted_items: Vec<DeletedSummary>,
    pub meta: Meta,
}

/// The result of `restore_deleted`.
#[derive(Default, Serialize, ToSchema)]
pub(crate) struct RestoredResult {
    #[serde(skip_serializing_if = "Option::is_none")]
    book: Option<BookHead>,
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<PageDetail>,
}

impl RestoredResult {
    pub(crate) fn book(book: &Book) -> Self {
        Self {
            book: Some(book.into()),
            page: None,
        }
    }

    pub(crate) fn page(page: Page) -> Self {
        Self {
            page: Some(page.into()),
            book: None,
        }
    }
}

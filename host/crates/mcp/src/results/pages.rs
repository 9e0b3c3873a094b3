//! Pages, outside of books and in lists.
use linepress_model::Aspect;
use serde::Serialize;
use utoipa::ToSchema;

use super::Meta;
use linepress_core::artwork::uploads::Upload;
use linepress_core::artwork::{Fault, Status};
use linepress_core::pages::{Origin, Page};
use linepress_platform::ids::{BookId, OperationId, PageId};

/// The result of a tool that returns one page.
#[derive(Serialize, ToSchema)]
pub(crate) struct PageResult {
    page: PageDetail,
}

/// A page with every field.
#[derive(Serialize, ToSchema)]
pub(super) struct PageDetail {
    #[serde(flatten)]
    page: Page,
    faults: Vec<Fault>,
}

impl From<Page> for PageDetail {
    fn from(page: Page) -> Self {
        Self {
            faults: faults(&page),
            page,
        }
    }
}

impl From<Page> for PageResult {
    fn from(page: Page) -> Self {
        Self { page: page.into() }
    }
}

/// The summary of a page, for lists.
#[derive(Serialize, ToSchema)]
pub(crate) struct PageSummary {
    id: PageId,
    title: String,
    caption: String,
    aspect: Aspect,
    origin: Origin,
    status: Status,
    book_ids: Vec<BookId>,
    active_operation_id: Option<OperationId>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    locked: bool,
    faults: Vec<Fault>,
}

impl From<&Page> for PageSummary {
    fn from(page: &Page) -> Self {
        Self {
            id: page.id.clone(),
            title: page.title.clone(),
            caption: page.caption.clone(),
            aspect: page.aspect,
            origin: page.origin,
            status: page.status,
            book_ids: page.book_ids.clone(),
            active_operation_id: page.active_operation_id.clone(),
            locked: page.locked,
            faults: faults(page),
        }
    }
}

/// The result of `list_pages`.
#[derive(Serialize, ToSchema)]
pub(crate) struct PagesResult {
    pub pages: Vec<PageSummary>,
    pub meta: Meta,
}

/// The result of `delete_page` and `delete_book`.
#[derive(Serialize, ToSchema)]
pub(crate) struct Deleted {
    pub deleted: bool,
}

/// The result of `create_artwork_upload`.
#[derive(Serialize, ToSchema)]
pub(crate) struct UploadResult {
    pub artwork_upload: Upload,
}

/// The faults that make a page hard to color.
pub(crate) fn faults(page: &Page) -> Vec<Fault> {
    let quality = page.image.as_ref().and_then(|image| image.quality.as_ref());
    let faults = quality.into_iter().flat_map(|quality| &quality.faults);
    faults.map(|fault| fault.code).collect()
}

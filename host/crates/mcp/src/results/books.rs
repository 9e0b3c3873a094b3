//! Books, in full and in lists, and their pages.
use linepress_model::{Aspect, Audience, DetailLevel, FrameStyle, LineWeight};
use serde::Serialize;
use utoipa::ToSchema;

use super::{Meta, pages};
use linepress_core::artwork::{Fault, Status};
use linepress_core::books::{Book, BookStatus, CoverStyle, PageSummary};
use linepress_core::characters::CharacterLink;
use linepress_core::operations::SafeError;
use linepress_core::pages::Page;
use linepress_platform::clock::Timestamp;
use linepress_platform::ids::{BookId, OperationId, PageId};

/// The summary of a book, without its pages.
#[derive(Serialize, ToSchema)]
pub(crate) struct BookSummary {
    id: BookId,
    title: String,
    status: BookStatus,
    aspect: Aspect,
    page_count: usize,
    active_operation_id: Option<OperationId>,
    #[schema(value_type = String)]
    created_at: Timestamp,
}

impl From<&Book> for BookSummary {
    fn from(book: &Book) -> Self {
        Self {
            id: book.id.clone(),
            title: book.title.clone(),
            status: book.status,
            aspect: book.aspect,
            page_count: book.page_count,
            active_operation_id: book.active_operation_id.clone(),
            created_at: book.created_at,
        }
    }
}

/// The result of `list_books`.
#[derive(Serialize, ToSchema)]
pub(crate) struct BooksResult {
    pub books: Vec<BookSummary>,
    pub meta: Meta,
}

/// The result of a tool that changes a book: all fields that may have changed, without the pages.
#[derive(Serialize, ToSchema)]
pub(crate) struct ChangedBookResult {
    book: BookHead,
}

impl From<&Book> for ChangedBookResult {
    fn from(book: &Book) -> Self {
        Self { book: book.into() }
    }
}

/// The result of `get_book`.
#[derive(Serialize, ToSchema)]
pub(crate) struct BookResult {
    book: BookWithPages,
}

#[derive(Serialize, ToSchema)]
struct BookWithPages {
    #[serde(flatten)]
    head: BookHead,
    pages: Vec<PageInBook>,
}

impl BookResult {
    pub(crate) fn new(head: BookHead, pages: Vec<PageInBook>) -> Self {
        Self {
            book: BookWithPages { head, pages },
        }
    }
}

/// A book without its pages and pictures.
#[derive(Serialize, ToSchema)]
pub(crate) struct BookHead {
    id: BookId,
    title: String,
    subtitle: String,
    author: String,
    description: String,
    audience: Audience,
    aspect: Aspect,
    language: String,
    isbn: String,
    line_weight: LineWeight,
    detail: DetailLevel,
    style: String,
    frame: FrameStyle,
    status: BookStatus,
    cover: Cover,
    characters: Vec<CharacterLink>,
    page_count: usize,
    print_formats: Vec<String>,
    active_operation_id: Option<OperationId>,
    #[schema(value_type = String)]
    created_at: Timestamp,
    #[schema(value_type = String)]
    updated_at: Timestamp,
}

/// A cover without its picture.
#[derive(Serialize, ToSchema)]
struct Cover {
    prompt: String,
    style: CoverStyle,
    status: Status,
}

impl From<&Book> for BookHead {
    fn from(book: &Book) -> Self {
        // Destructured by name, so that a new field must be shown or left out on purpose.
        let Book {
            id,
            title,
            subtitle,
            author,
            description,
            audience,
            aspect,
            language,
            isbn,
            line_weight,
            detail,
            style,
            frame,
            status,
            cover,
            characters,
            pages: _,
            page_count,
            print_formats,
            active_operation_id,
            created_at,
            updated_at,
        } = book;
        Self {
            id: id.clone(),
            title: title.clone(),
            subtitle: subtitle.clone(),
            author: author.clone(),
            description: description.clone(),
            audience: *audience,
            aspect: *aspect,
            language: language.clone(),
            isbn: isbn.clone(),
            line_weight: *line_weight,
            detail: *detail,
            style: style.clone(),
            frame: *frame,
            status: *status,
            cover: Cover {
                prompt: cover.prompt.clone(),
                style: cover.style,
                status: cover.status,
            },
            characters: characters.clone(),
            page_count: *page_count,
            print_formats: print_formats.clone(),
            active_operation_id: active_operation_id.clone(),
            created_at: *created_at,
            updated_at: *updated_at,
        }
    }
}

/// A page in a book.
#[derive(Serialize, ToSchema)]
pub(crate) struct PageInBook {
    pub id: PageId,
    pub title: String,
    pub position: i64,
    pub status: Status,
    /// The operation that draws only this page, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_operation_id: Option<OperationId>,
    /// Missing if the caller wants summaries.
    #[serde(flatten)]
    pub texts: Option<PageTexts>,
}

/// The texts and faults of a page.
#[derive(Serialize, ToSchema)]
pub(crate) struct PageTexts {
    pub prompt: String,
    pub caption: String,
    pub characters: Vec<CharacterLink>,
    pub error: Option<SafeError>,
    pub faults: Vec<Fault>,
}

impl PageInBook {
    /// The summary of a page. `operation` is the operation that draws only this page, if any.
    pub(crate) fn new(page: &PageSummary, operation: Option<&OperationId>) -> Self {
        Self {
            id: page.id.clone(),
            title: page.title.clone(),
            position: page.position,
            status: page.status,
            active_operation_id: operation.cloned(),
            texts: None,
        }
    }

    pub(crate) fn with_texts(self, page: &Page) -> Self {
        let texts = PageTexts {
            prompt: page.prompt.clone(),
            caption: page.caption.clone(),
            characters: page.characters.clone(),
            error: page.error.clone(),
            faults: pages::faults(page),
        };
        Self {
            texts: Some(texts),
            ..self
        }
    }
}

/// The result of `detach_book_page`.
#[derive(Serialize, ToSchema)]
pub(crate) struct Detached {
    pub detached: bool,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::samples;

    #[test]
    fn a_page_in_a_book_has_texts_only_in_full() {
        let book = samples::book(BookStatus::Ready, &[Status::Ready]);
        let brief = PageInBook::new(&book.pages[0], None);
        let summary = json!({"id": "page_1", "title": "Page \"1\"", "position": 1, "status": "ready"});
        assert_eq!(json!(brief), summary);
        let mut page = samples::page(Status::Ready);
        page.image = Some(samples::image(&[Fault::Blank]));
        let mut full = summary;
        for (field, value) in [
            ("prompt", json!("A fox on a bicycle")),
            ("caption", json!("Ring")),
            ("characters", json!([])),
            ("error", json!(null)),
            ("faults", json!(["blank"])),
        ] {
            full[field] = value;
        }
        assert_eq!(json!(brief.with_texts(&page)), full);
    }

    #[test]
    fn a_changed_book_has_neither_pages_nor_pictures() {
        let changed = json!(ChangedBookResult::from(&samples::book(
            BookStatus::Ready,
            &[Status::Ready]
        )));
        assert_eq!(changed["book"]["page_count"], 1);
        assert_eq!(
            changed["book"]["cover"],
            json!({"prompt": "Trees", "status": "ready", "style": "line_art"})
        );
        assert!(changed["book"].get("pages").is_none(), "{changed}");
    }
}

//! Books as clients see them.
use linepress_model::{Aspect, Audience, DetailLevel, FrameStyle, LineWeight, Look, text_enum};
use serde::{Deserialize, Serialize};

use super::CoverStyle;
use super::store::{BookRow, PageRow};
use crate::artwork::{Image, Status};
use crate::characters::CharacterLink;
use crate::operations::Operation;
use crate::pages::Page;
use crate::print;
use linepress_accounts::credits::pricing;
use linepress_platform::app::App;
use linepress_platform::clock::Timestamp;
use linepress_platform::ids::{BookId, OperationId, PageId};

text_enum! {
    /// The state of a book.
    pub enum BookStatus {
        /// A page or the cover is being drawn.
        Generating = "generating",
        /// Every page is ready.
        Ready = "ready",
        /// A page has failed, or the book has no pages.
        Incomplete = "incomplete",
    }
}

impl BookStatus {
    /// The state of a book with these pages. `is_active` is true while an operation draws for the book.
    fn from_pages(is_active: bool, pages: &[Status]) -> Self {
        if is_active || pages.contains(&Status::Generating) {
            Self::Generating
        } else if !pages.is_empty() && pages.iter().all(|page| *page == Status::Ready) {
            Self::Ready
        } else {
            Self::Incomplete
        }
    }
}

/// A book.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Book {
    pub id: BookId,
    #[schema(example = "Woodland Friends")]
    pub title: String,
    /// Printed below the title; may be empty.
    pub subtitle: String,
    /// Printed on the title page; may be empty.
    pub author: String,
    /// A description of the book; may be empty.
    pub description: String,
    pub audience: Audience,
    pub aspect: Aspect,
    /// The language of the PDF file and of the words that its layout adds; a BCP 47 tag.
    #[schema(example = "en")]
    pub language: String,
    /// The ISBN with 13 digits and hyphens, whose barcode is printed on covers for printing services; may be empty.
    #[serde(default)]
    #[schema(required)]
    pub isbn: String,
    /// The look of new pages and of the next cover; present pages may have others.
    #[serde(default)]
    #[schema(required)]
    pub line_weight: LineWeight,
    #[serde(default)]
    #[schema(required)]
    pub detail: DetailLevel,
    /// A style in words; may be empty.
    #[serde(default)]
    #[schema(required)]
    pub style: String,
    #[serde(default)]
    #[schema(required)]
    pub frame: FrameStyle,
    pub status: BookStatus,
    pub cover: Cover,
    /// The characters that appear on the cover and, unless a page names others, on every page.
    pub characters: Vec<CharacterLink>,
    /// The pages, in the order of printing.
    pub pages: Vec<PageSummary>,
    /// The number of pages.
    pub page_count: usize,
    /// The ids of the print formats that match the aspect, the default first.
    pub print_formats: Vec<String>,
    /// The operation that is drawing it now; null if there is none.
    #[schema(required)]
    pub active_operation_id: Option<OperationId>,
    /// The time of its creation.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// The time when it was last changed or drawn.
    #[schema(value_type = String, format = DateTime)]
    pub updated_at: Timestamp,
}

/// The drawing on the title page.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Cover {
    /// The prompt of the drawing.
    pub prompt: String,
    /// The style of the next drawing, and of artwork that replaces it. The present image may have another one.
    #[serde(default)]
    #[schema(required)]
    pub style: CoverStyle,
    pub status: Status,
    /// The drawing; null until there is one.
    #[schema(required)]
    pub image: Option<Image>,
}

impl Book {
    /// The look of new pages and of the next cover.
    pub fn look(&self) -> Look {
        Look {
            line_weight: self.line_weight,
            detail: self.detail,
            style: self.style.clone(),
            frame: self.frame,
        }
    }
}

impl Cover {
    /// The price of a regeneration, in credits.
    pub fn price(&self) -> i64 {
        pricing::cover_again(self.image.is_some())
    }
}

/// A page as its book shows it.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct PageSummary {
    pub id: PageId,
    #[schema(example = "A fox in the woods")]
    pub title: String,
    /// Its position in the book, from 1.
    #[schema(minimum = 1)]
    pub position: i64,
    pub status: Status,
    /// The drawing; null until there is one.
    #[schema(required)]
    pub image: Option<Image>,
    /// The operation that is drawing it now, for interfaces that show it.
    #[serde(skip)]
    pub active_operation_id: Option<OperationId>,
}

/// One book.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct BookReply {
    pub book: Book,
}

/// The reply to an accepted generation.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct BookAccepted {
    pub book: Book,
    /// Poll it until the cover and the pages are drawn.
    pub operation: Operation,
}

/// The reply to an accepted page of a book.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct BookPageAccepted {
    pub page: Page,
    pub book: Book,
    pub operation: Operation,
}

impl BookRow {
    pub(super) fn into_book(self, app: &App, pages: Vec<PageRow>) -> Book {
        let look = Look::from(self.look);
        let statuses: Vec<Status> = pages.iter().map(|page| page.status).collect();
        let status = BookStatus::from_pages(self.active_operation_id.is_some(), &statuses);
        // Stored positions have gaps where pages were removed.
        let pages: Vec<PageSummary> = (1..)
            .zip(pages)
            .map(|(position, row)| PageSummary {
                image: row.image.into_image(),
                id: row.id,
                title: row.title,
                position,
                status: row.status,
                active_operation_id: row.active_operation_id,
            })
            .collect();
        Book {
            status,
            cover: Cover {
                prompt: self.cover_prompt,
                style: self.cover_style,
                status: self.cover_status,
                image: self.image.into_image(),
            },
            id: self.id,
            title: self.title,
            subtitle: self.subtitle,
            author: self.author,
            description: self.description,
            audience: self.audience,
            aspect: self.aspect,
            language: self.language,
            isbn: self.isbn,
            line_weight: look.line_weight,
            detail: look.detail,
            style: look.style,
            frame: look.frame,
            characters: self.characters.0,
            page_count: pages.len(),
            pages,
            print_formats: print::formats(app)
                .iter()
                .filter(|offered| offered.format.aspect == self.aspect)
                .map(|offered| offered.format.id.clone())
                .collect(),
            active_operation_id: self.active_operation_id,
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_of_a_book_follows_from_its_pages() {
        use Status::{Failed, Generating, Ready};
        for (is_active, pages, status) in [
            (false, &[Ready, Ready][..], BookStatus::Ready),
            (false, &[Ready, Failed], BookStatus::Incomplete),
            (false, &[], BookStatus::Incomplete),
            (false, &[Failed, Generating], BookStatus::Generating),
            // The cover is being drawn.
            (true, &[Ready], BookStatus::Generating),
            (true, &[], BookStatus::Generating),
        ] {
            assert_eq!(
                BookStatus::from_pages(is_active, pages),
                status,
                "{is_active} {pages:?}"
            );
        }
    }
}

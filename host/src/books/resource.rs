//! Books as clients see them.
use linepress_model::{Aspect, Audience, text_enum};
use serde::Serialize;

use super::store::{BookRow, PageRow};
use super::url;
use crate::app::App;
use crate::artwork::{Image, Status};
use crate::characters::CharacterLink;
use crate::clock::Timestamp;
use crate::credits::pricing;
use crate::ids::{BookId, OperationId, PageId};
use crate::operations::Operation;
use crate::pages::{self, Page};
use crate::print;

text_enum! {
    /// Where a book stands.
    pub enum BookStatus {
        /// Something of it is being drawn.
        Generating = "generating",
        /// Every page is ready.
        Ready = "ready",
        /// A page has failed, or there is none.
        Incomplete = "incomplete",
    }
}

/// A book.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct Book {
    pub id: BookId,
    #[schema(example = "Woodland Friends")]
    pub title: String,
    /// Printed below the title; may be empty.
    pub subtitle: String,
    /// Printed on the title page; may be empty.
    pub author: String,
    /// What the book is about; may be empty.
    pub description: String,
    pub audience: Audience,
    pub aspect: Aspect,
    /// Of the few words that a layout prints beside the book's own, and of the file; a BCP 47 tag.
    #[schema(example = "en")]
    pub language: String,
    pub status: BookStatus,
    pub cover: Cover,
    /// Who appears on the cover and, unless a page names others, on every page.
    pub characters: Vec<CharacterLink>,
    /// In the order they are printed.
    pub pages: Vec<PageSummary>,
    /// How many pages there are.
    pub page_count: usize,
    /// The ids of the print formats that match the aspect, the default first.
    pub print_formats: Vec<String>,
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

/// The drawing on the title page.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct Cover {
    /// What it shows.
    pub prompt: String,
    pub status: Status,
    /// The drawing; null until there is one.
    #[schema(required)]
    pub image: Option<Image>,
}

impl Cover {
    /// The price of drawing it again, in credits.
    pub(crate) fn price(&self) -> i64 {
        pricing::cover_again(self.image.is_some())
    }
}

/// A page as its book shows it.
#[derive(Clone, Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct PageSummary {
    pub id: PageId,
    #[schema(example = "A fox in the woods")]
    pub title: String,
    /// Its place in the book, from 1.
    #[schema(minimum = 1)]
    pub position: i64,
    pub status: Status,
    /// The drawing; null until there is one.
    #[schema(required)]
    pub image: Option<Image>,
    /// The operation that is drawing it at this moment, for interfaces that name it.
    #[serde(skip)]
    pub active_operation_id: Option<OperationId>,
}

/// One book.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct BookReply {
    pub book: Book,
}

/// The reply to an accepted generation.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct BookAccepted {
    pub book: Book,
    /// Poll it to learn when cover and pages are drawn.
    pub operation: Operation,
}

/// The reply to an accepted page of a book.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub(crate) struct BookPageAccepted {
    pub page: Page,
    pub book: Book,
    pub operation: Operation,
}

impl BookRow {
    pub(super) fn into_book(self, app: &App, pages: Vec<PageRow>) -> Book {
        let drawing = self.active_operation_id.is_some() || pages.iter().any(|page| page.status == Status::Generating);
        let status = if drawing {
            BookStatus::Generating
        } else if !pages.is_empty() && pages.iter().all(|page| page.status == Status::Ready) {
            BookStatus::Ready
        } else {
            BookStatus::Incomplete
        };
        // Positions are stored with gaps where pages were taken away.
        let pages: Vec<PageSummary> = (1..)
            .zip(pages)
            .map(|(position, row)| PageSummary {
                image: row.image.at(pages::image_url(app, &row.id)),
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
                status: self.cover_status,
                image: self.image.at(format!("{}/cover_image", url(app, &self.id))),
            },
            id: self.id,
            title: self.title,
            subtitle: self.subtitle,
            author: self.author,
            description: self.description,
            audience: self.audience,
            aspect: self.aspect,
            language: self.language,
            characters: self.characters.0,
            page_count: pages.len(),
            pages,
            print_formats: print::formats(app)
                .into_iter()
                .filter(|offered| offered.format.aspect == self.aspect)
                .map(|offered| offered.format.id)
                .collect(),
            active_operation_id: self.active_operation_id,
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }
}

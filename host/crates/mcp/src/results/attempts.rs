//! Attempts of pages, covers and characters.
use serde::Serialize;
use utoipa::ToSchema;

use super::Meta;
use super::books::BookHead;
use super::pages::PageDetail;
use linepress_core::artwork::attempts::Attempt;
use linepress_core::artwork::{Fault, Origin};
use linepress_core::books::Book;
use linepress_core::characters::Character;
use linepress_core::pages::Page;
use linepress_platform::clock::Timestamp;
use linepress_platform::ids::AttemptId;

/// An attempt without its picture.
#[derive(Serialize, ToSchema)]
pub(crate) struct AttemptSummary {
    id: AttemptId,
    chosen: bool,
    origin: Origin,
    prompt: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    #[schema(value_type = String)]
    created_at: Timestamp,
    faults: Vec<Fault>,
}

impl From<&Attempt> for AttemptSummary {
    fn from(attempt: &Attempt) -> Self {
        Self {
            id: attempt.id.clone(),
            chosen: attempt.chosen,
            origin: attempt.origin,
            prompt: attempt.prompt.clone(),
            note: attempt.note.clone(),
            created_at: attempt.created_at,
            faults: faults(attempt),
        }
    }
}

/// The result of `list_attempts`.
#[derive(Serialize, ToSchema)]
pub(crate) struct AttemptsResult {
    pub attempts: Vec<AttemptSummary>,
    pub meta: Meta,
}

/// The result of `choose_attempt`: what shows the attempt now.
#[derive(Default, Serialize, ToSchema)]
pub(crate) struct ChosenResult {
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<PageDetail>,
    #[serde(skip_serializing_if = "Option::is_none")]
    book: Option<BookHead>,
    #[serde(skip_serializing_if = "Option::is_none")]
    character: Option<Character>,
}

impl ChosenResult {
    pub(crate) fn page(page: Page) -> Self {
        Self {
            page: Some(page.into()),
            ..Self::default()
        }
    }

    pub(crate) fn book(book: &Book) -> Self {
        Self {
            book: Some(book.into()),
            ..Self::default()
        }
    }

    pub(crate) fn character(character: Character) -> Self {
        Self {
            character: Some(character),
            ..Self::default()
        }
    }
}

/// The faults that make the picture hard to color.
pub(crate) fn faults(attempt: &Attempt) -> Vec<Fault> {
    let faults = attempt.image.quality.iter().flat_map(|quality| &quality.faults);
    faults.map(|fault| fault.code).collect()
}

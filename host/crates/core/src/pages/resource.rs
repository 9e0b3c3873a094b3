//! Pages as clients see them.
use linepress_model::{Aspect, DetailLevel, FrameStyle, LineWeight, Look};
use serde::{Deserialize, Serialize};

use super::{NewImport, NewPage, PageSpec, PageTexts, StoredPage};
use crate::artwork::{Image, Origin, Status};
use crate::characters::{CharacterLink, ReadyCharacter};
use crate::operations::{Operation, SafeError};
use linepress_accounts::credits::pricing;
use linepress_platform::clock::Timestamp;
use linepress_platform::error::{Error, ErrorKind};
use linepress_platform::ids::{BookId, OperationId, PageId};

/// A page.
#[derive(Clone, Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct Page {
    pub id: PageId,
    #[schema(example = "A fox in the woods")]
    pub title: String,
    /// The prompt with which the drawing was requested.
    pub prompt: String,
    /// The line printed under the drawing; empty when there is none.
    pub caption: String,
    /// The text in place of the present picture, for readers who cannot see it: a reviewer's description, or what the
    /// account made of it. Null when there is none.
    #[serde(default)]
    #[schema(required)]
    pub alternative_text: Option<String>,
    pub aspect: Aspect,
    /// The look of the next drawing: the present image may have another one.
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
    pub origin: Origin,
    pub status: Status,
    /// The characters on the page, the most important first.
    pub characters: Vec<CharacterLink>,
    /// The books that contain the page.
    pub book_ids: Vec<BookId>,
    /// The drawing; null until there is one.
    #[schema(required)]
    pub image: Option<Image>,
    /// The error of the last generation, if it left the page without an image; null otherwise.
    #[schema(required)]
    pub error: Option<SafeError>,
    /// The operation that is drawing it now; null if there is none.
    #[schema(required)]
    pub active_operation_id: Option<OperationId>,
    /// True while the page is locked: it is not drawn again, and its picture is not replaced.
    #[serde(default)]
    #[schema(required)]
    pub locked: bool,
    /// The time of its creation.
    #[schema(value_type = String, format = DateTime)]
    pub created_at: Timestamp,
    /// The time when it was last changed or drawn.
    #[schema(value_type = String, format = DateTime)]
    pub updated_at: Timestamp,
}

/// One page.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct PageReply {
    pub page: Page,
}

/// The reply to an accepted generation.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct PageAccepted {
    pub page: Page,
    /// Poll it until the page is drawn.
    pub operation: Operation,
}

impl Page {
    /// A new page, before its first drawing is queued.
    pub fn to_draw(id: PageId, spec: &PageSpec<'_>, operation: &OperationId, now: Timestamp) -> Self {
        // Destructured by name, so that a new field must be used or left out on purpose.
        let NewPage {
            title,
            prompt,
            caption,
            // Taken from the specification, which may use a book's.
            aspect: _,
            character_ids: _,
            // Belong to the drawing jobs.
            source_upload_id: _,
            variants: _,
            line_weight: _,
            detail: _,
            style: _,
            frame: _,
        } = spec.page;
        let look = spec.page.look_change().over(spec.look);
        Self {
            id,
            title: title.to_string(),
            prompt: prompt.as_deref().unwrap_or(title).into(),
            caption: caption.as_deref().unwrap_or_default().into(),
            alternative_text: None,
            aspect: spec.aspect,
            line_weight: look.line_weight,
            detail: look.detail,
            style: look.style,
            frame: look.frame,
            origin: Origin::Generated,
            status: Status::Generating,
            characters: spec.characters.iter().map(ReadyCharacter::link).collect(),
            book_ids: spec.book.into_iter().cloned().collect(),
            image: None,
            error: None,
            active_operation_id: Some(operation.clone()),
            locked: false,
            created_at: now,
            updated_at: now,
        }
    }

    /// The look of the next drawing.
    pub fn look(&self) -> Look {
        Look {
            line_weight: self.line_weight,
            detail: self.detail,
            style: self.style.clone(),
            frame: self.frame,
        }
    }

    /// The texts that a form changes.
    pub fn texts(&self) -> PageTexts {
        PageTexts {
            title: self.title.clone(),
            prompt: self.prompt.clone(),
            caption: self.caption.clone(),
            source_upload_id: None,
        }
    }

    /// A new page of imported artwork.
    pub(super) fn imported(
        id: PageId,
        new: &NewImport,
        aspect: Aspect,
        characters: &[ReadyCharacter],
        now: Timestamp,
    ) -> Self {
        // Destructured by name, so that a new field must be used or left out on purpose.
        let NewImport {
            title,
            caption,
            // Passed separately, because it follows from the picture if omitted.
            aspect: _,
            character_ids: _,
            upload_id: _,
            image_url: _,
        } = new;
        Self {
            id,
            title: title.to_string(),
            // The prompt of a later regeneration.
            prompt: title.to_string(),
            caption: caption.as_deref().unwrap_or_default().into(),
            alternative_text: None,
            aspect,
            line_weight: LineWeight::default(),
            detail: DetailLevel::default(),
            style: String::new(),
            frame: FrameStyle::default(),
            origin: Origin::Imported,
            status: Status::Ready,
            characters: characters.iter().map(ReadyCharacter::link).collect(),
            book_ids: Vec::new(),
            image: None,
            error: None,
            active_operation_id: None,
            locked: false,
            created_at: now,
            updated_at: now,
        }
    }
}

impl StoredPage {
    /// The error of a request for another picture of a page that is locked or being drawn.
    pub(super) fn refusal(self) -> Error {
        match self.locked_at {
            Some(_) => ErrorKind::PageLocked.into(),
            None => Error::generation_active("page", self.active_operation_id),
        }
    }

    pub(crate) fn into_page(self) -> Page {
        let quality = self.quality.quality();
        let image = self.image.into_image();
        let alternative_text = image.as_ref().and_then(|image| image.alternative_text.clone());
        let look = Look::from(self.look);
        Page {
            line_weight: look.line_weight,
            detail: look.detail,
            style: look.style,
            frame: look.frame,
            image: image.map(|image| Image { quality, ..image }),
            characters: self.characters.0,
            book_ids: self.book_ids.0,
            error: self.error_code.error(pricing::PAGE),
            status: self.status,
            origin: self.origin,
            aspect: self.aspect,
            id: self.id,
            title: self.title,
            prompt: self.prompt,
            caption: self.caption,
            alternative_text,
            active_operation_id: self.active_operation_id,
            locked: self.locked_at.is_some(),
            created_at: self.created_at,
            updated_at: self.updated_at,
        }
    }
}

#[cfg(test)]
mod tests {
    use linepress_model::Audience;

    use super::*;

    fn id() -> PageId {
        PageId::from_text("page_1")
    }

    #[test]
    fn a_new_page_shows_its_title_if_no_prompt_was_given() {
        let now = Timestamp::from_microseconds(0);
        let operation = OperationId::from_text("op_1");
        for (prompt, shown) in [("A fox asleep", "A fox asleep"), ("", "A fox")] {
            let new = NewPage::from(PageTexts {
                title: "A fox".into(),
                prompt: prompt.into(),
                ..PageTexts::default()
            });
            let spec = PageSpec {
                page: &NewPage {
                    aspect: Some(Aspect::Portrait),
                    ..new
                },
                // The aspect of the book in which the page is created.
                aspect: Aspect::Square,
                audience: Audience::default(),
                look: &Look::default(),
                book: None,
                seed_book: None,
                characters: &[],
            };
            let page = Page::to_draw(id(), &spec, &operation, now);
            assert_eq!((page.prompt.as_str(), page.caption.as_str()), (shown, ""));
            assert_eq!((page.status, page.origin), (Status::Generating, Origin::Generated));
            assert_eq!(page.aspect, Aspect::Square);
            assert_eq!(page.active_operation_id.as_ref(), Some(&operation));
        }
    }

    #[test]
    fn an_imported_page_is_ready_and_drawn_again_from_its_title() {
        let new = NewImport {
            title: "A fox".into(),
            caption: Some("Good night".into()),
            ..NewImport::default()
        };
        let page = Page::imported(id(), &new, Aspect::Landscape, &[], Timestamp::from_microseconds(0));
        assert_eq!((page.prompt.as_str(), page.caption.as_str()), ("A fox", "Good night"));
        assert_eq!((page.status, page.origin), (Status::Ready, Origin::Imported));
        assert_eq!(page.aspect, Aspect::Landscape);
        assert_eq!(page.active_operation_id, None);
    }
}

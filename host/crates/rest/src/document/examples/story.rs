//! The example story: Pip the hedgehog, two pages and a book.
use linepress_model::{Aspect, Audience, DetailLevel, FrameStyle, LineWeight, Look};

use super::requests;
use crate::addresses::{Addressed, Addresses};
use linepress_accounts::credits::pricing;
use linepress_core::address::Address;
use linepress_core::artwork::attempts::Attempt;
use linepress_core::artwork::{Image, Origin, Quality, Status};
use linepress_core::books::{Book, BookStatus, Cover, CoverStyle, PageSummary};
use linepress_core::characters::{Character, CharacterLink};
use linepress_core::operations::{
    Item, Operation, OperationCredits, OperationStatus, OperationType, Progress, ResourceLink, ResourceType,
};
use linepress_core::pages::{Page, PageSpec};
use linepress_drawings::queue::{DrawingStatus, Target, TargetType};
use linepress_platform::clock::Timestamp;
use linepress_platform::ids::{AttemptId, BookId, CharacterId, OperationId, PageId};

pub(super) const CREATED_AT: Timestamp = Timestamp::from_microseconds(1_795_262_400_000_000);
pub(super) const FINISHED_AT: Timestamp = Timestamp::from_microseconds(1_795_262_403_250_000);
pub(super) const CHARACTER: &str = "char_01KAFMYG00000000000000000A";
pub(super) const PAGES: [&str; 2] = ["page_01KAFMYG00000000000000000B", "page_01KAFMYG00000000000000000C"];
pub(super) const TITLES: [&str; 2] = ["A fox in the woods", "An owl at dusk"];
pub(super) const BOOK: &str = "book_01KAFMYG00000000000000000D";
const ATTEMPTS: [&str; 2] = ["att_01KAFMYG00000000000000000A", "att_01KAFMYG00000000000000000B"];
const OPERATION: &str = "op_01KAFMYG00000000000000000E";
pub(super) const COVER_PROMPT: &str = "Woodland animals around a mossy stump";

/// The resources of the story, with their addresses.
pub(super) struct Story {
    pub(super) addresses: Addresses,
}

impl Story {
    fn with_addresses<T: Addressed>(&self, mut resource: T) -> T {
        resource.set_addresses(&self.addresses);
        resource
    }

    pub(super) fn character(&self, drawn: bool) -> Character {
        self.with_addresses(Character {
            id: CharacterId::from_text(CHARACTER),
            name: "Pip".into(),
            description: "A small hedgehog with a striped scarf".into(),
            style: String::new(),
            public_preview: false,
            public_preview_url: None,
            status: status(drawn),
            reference_image: drawn.then(|| image(Aspect::Square)),
            active_operation_id: (!drawn).then(operation_id),
            created_at: CREATED_AT,
            updated_at: if drawn { FINISHED_AT } else { CREATED_AT },
        })
    }

    pub(super) fn page(&self, drawn: bool) -> Page {
        let spec = PageSpec {
            page: &requests::new_page(),
            aspect: Aspect::Portrait,
            audience: Audience::Child,
            look: &Look::default(),
            book: None,
            seed_book: None,
            characters: &[],
        };
        let mut page = Page::to_draw(PageId::from_text(PAGES[0]), &spec, &operation_id(), CREATED_AT);
        page.characters = vec![pip()];
        if drawn {
            page.status = Status::Ready;
            page.image = Some(Image {
                quality: Some(quality()),
                ..image(Aspect::Portrait)
            });
            page.active_operation_id = None;
            page.updated_at = FINISHED_AT;
        }
        self.with_addresses(page)
    }

    /// Two drawings of the fox, of which the first is chosen.
    pub(super) fn attempts(&self) -> Vec<Attempt> {
        let page = PageId::from_text(PAGES[0]);
        let attempt = |id: &str, prompt: &str, chosen| {
            self.with_addresses(Attempt {
                id: AttemptId::from_text(id),
                origin: Origin::Generated,
                prompt: prompt.into(),
                chosen,
                note: None,
                image: Image {
                    quality: Some(quality()),
                    ..image(Aspect::Portrait)
                },
                created_at: FINISHED_AT,
                target: Target::Page(page.clone()),
            })
        };
        vec![
            attempt(ATTEMPTS[1], "A fox leaping over a brook", false),
            attempt(ATTEMPTS[0], "A fox beside a brook, ferns around it", true),
        ]
    }

    pub(super) fn book(&self, drawn: bool) -> Book {
        let image = || drawn.then(|| image(Aspect::Portrait));
        let summary = |(index, id): (usize, &&str)| PageSummary {
            id: PageId::from_text(*id),
            title: TITLES[index].into(),
            position: index as i64 + 1,
            status: status(drawn),
            image: image(),
            active_operation_id: None,
        };
        let pages: Vec<PageSummary> = PAGES.iter().enumerate().map(summary).collect();
        self.with_addresses(Book {
            id: BookId::from_text(BOOK),
            title: "Woodland Friends".into(),
            subtitle: "A coloring book".into(),
            author: "Ada Lovelace".into(),
            description: String::new(),
            audience: Audience::Child,
            aspect: Aspect::Portrait,
            language: "en".into(),
            isbn: String::new(),
            line_weight: LineWeight::Usual,
            detail: DetailLevel::Usual,
            style: String::new(),
            frame: FrameStyle::Usual,
            status: if drawn {
                BookStatus::Ready
            } else {
                BookStatus::Generating
            },
            cover: Cover {
                prompt: COVER_PROMPT.into(),
                style: CoverStyle::LineArt,
                status: status(drawn),
                image: image(),
            },
            characters: vec![pip()],
            page_count: pages.len(),
            pages,
            print_formats: vec!["us_letter".into(), "a4".into()],
            active_operation_id: (!drawn).then(operation_id),
            created_at: CREATED_AT,
            updated_at: if drawn { FINISHED_AT } else { CREATED_AT },
        })
    }

    pub(super) fn operation(
        &self,
        kind: OperationType,
        resource: ResourceType,
        id: &str,
        status: OperationStatus,
    ) -> Operation {
        let items: Vec<Item> = match resource {
            ResourceType::Character => vec![item(TargetType::Character, CHARACTER, "Pip", status)],
            ResourceType::Page => vec![item(TargetType::Page, PAGES[0], TITLES[0], status)],
            ResourceType::Book => {
                let mut items = vec![item(TargetType::Cover, BOOK, "Woodland Friends", status)];
                items.extend(
                    PAGES
                        .iter()
                        .zip(TITLES)
                        .map(|(id, title)| item(TargetType::Page, id, title, status)),
                );
                items
            }
        };
        let charged = match resource {
            ResourceType::Character => pricing::CHARACTER,
            ResourceType::Page => pricing::PAGE,
            ResourceType::Book => pricing::book(PAGES.len()),
        };
        let ended = status.is_terminal();
        self.with_addresses(Operation {
            id: operation_id(),
            kind,
            status,
            progress: Progress {
                completed: if ended { items.len() as i64 } else { 0 },
                failed: 0,
                total: items.len() as i64,
            },
            credits: OperationCredits { charged, refunded: 0 },
            resource: ResourceLink::new(resource, id),
            items,
            error: None,
            url: Address::default(),
            created_at: CREATED_AT,
            started_at: (status != OperationStatus::Queued).then_some(CREATED_AT),
            finished_at: ended.then_some(FINISHED_AT),
        })
    }
}

fn image(aspect: Aspect) -> Image {
    let (width, height) = aspect.recommended_pixels();
    Image {
        url: Address::default(),
        width: width.into(),
        height: height.into(),
        media_type: "image/png".into(),
        byte_size: 48_213,
        revision: 1,
        quality: None,
        alternative_text: None,
    }
}

pub(super) fn operation_id() -> OperationId {
    OperationId::from_text(OPERATION)
}

fn status(drawn: bool) -> Status {
    if drawn { Status::Ready } else { Status::Generating }
}

fn quality() -> Quality {
    Quality {
        ink: 0.0931,
        grays: 0.0,
        regions: 48,
        largest_region: 0.2104,
        uncolorable_regions: 2,
        faults: Vec::new(),
    }
}

fn pip() -> CharacterLink {
    CharacterLink {
        id: CharacterId::from_text(CHARACTER),
        name: "Pip".into(),
    }
}

fn item(kind: TargetType, id: &str, title: &str, operation: OperationStatus) -> Item {
    let status = if operation.is_terminal() {
        DrawingStatus::Succeeded
    } else {
        DrawingStatus::Queued
    };
    Item {
        kind,
        id: id.into(),
        title: title.into(),
        status,
        error: None,
        note: None,
        instruction: None,
        progress: None,
    }
}

#[cfg(test)]
mod tests {
    use serde::Serialize;
    use serde::de::DeserializeOwned;
    use serde_json::json;

    use super::*;

    /// Asserts that a reply which was saved as JSON is the same when it is read back and sent again.
    fn assert_is_sent_again<T: Addressed + Serialize + DeserializeOwned>(story: &Story, resource: &T) {
        let sent = json!(resource);
        let saved = sent
            .to_string()
            .replace("https://old.example.com", "https://new.example.com");
        let read: T = serde_json::from_str(&saved).unwrap();
        assert_eq!(json!(story.with_addresses(read)), sent);
    }

    #[test]
    fn a_saved_reply_is_sent_again_with_the_addresses_of_today() {
        let story = Story {
            addresses: Addresses::below("https://old.example.com/api/v1"),
        };
        for drawn in [false, true] {
            assert_is_sent_again(&story, &story.page(drawn));
            assert_is_sent_again(&story, &story.book(drawn));
            assert_is_sent_again(&story, &story.character(drawn));
        }
        for status in [OperationStatus::Queued, OperationStatus::Succeeded] {
            let operation = story.operation(OperationType::BookCreate, ResourceType::Book, BOOK, status);
            assert_is_sent_again(&story, &operation);
        }
    }
}

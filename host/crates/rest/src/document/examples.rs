//! Examples of bodies. They tell one small story in the server's own types, so that no example has missing or surplus
//! fields.
mod admin;
mod keys;
mod records;
mod requests;
mod reviews;
mod webhooks;

use std::collections::BTreeMap;

use linepress_model::{Aspect, Audience, DetailLevel, LineWeight, Look};
use linepress_preflight::{Finding, PageRange, Report, Rule, Severity};
use linepress_printers::{Edition, Part};
use serde_json::{Value, json};
use utoipa::openapi::{Content, RefOr, path};

use super::installation::Installation;
use super::responses_of;
use super::schema::name_of_body;
use crate::addresses::{Addressed, Addresses};
use linepress_accounts::credits::pricing;
use linepress_core::address::Address;
use linepress_core::artwork::attempts::Attempt;
use linepress_core::artwork::{Image, Origin, Quality, Status};
use linepress_core::books::{
    Book, BookCopy, BookRestyling, BookStatus, Cover, CoverRegeneration, CoverStyle, PageSummary,
};
use linepress_core::characters::{Character, CharacterLink, CharacterRegeneration};
use linepress_core::deletion::{DeletedId, DeletedItem, DeletedKind};
use linepress_core::operations::{
    Item, Operation, OperationCredits, OperationStatus, OperationType, Progress, ResourceLink, ResourceType,
};
use linepress_core::pages::{Page, PageRefinement, PageRegeneration, PageSpec};
use linepress_drawings::queue::{DrawingStatus, Target, TargetType};
use linepress_platform::clock::Timestamp;
use linepress_platform::ids::{AttemptId, BinId, BookId, CharacterId, OperationId, PageId};

/// Adds examples to the bodies of the operation's request and responses, by the name of their schema.
pub(super) fn add(operation: &mut path::Operation, bodies: &BTreeMap<&str, Value>) {
    if let Some(RefOr::T(request)) = &mut operation.request_body {
        request.content.values_mut().for_each(|content| add_to(content, bodies));
    }
    for (_, response) in responses_of(operation) {
        response
            .content
            .values_mut()
            .for_each(|content| add_to(content, bodies));
    }
}

fn add_to(content: &mut RefOr<Content>, bodies: &BTreeMap<&str, Value>) {
    let example = name_of_body(content).and_then(|name| bodies.get(name));
    if let (RefOr::T(content), Some(example)) = (content, example.cloned()) {
        content.example = Some(example);
    }
}

/// The example of each body, by the name of its schema.
pub(super) fn bodies(installation: &Installation) -> BTreeMap<&'static str, Value> {
    let story = Story {
        addresses: Addresses::below(&installation.base_url),
    };
    let mut bodies = story.bodies(installation);
    bodies.extend(admin::bodies(&installation.public_url));
    bodies.extend(keys::bodies());
    bodies.extend(records::bodies());
    bodies.extend(reviews::bodies(&installation.public_url));
    bodies.extend(webhooks::bodies());
    bodies
}

/// The example story: Pip the hedgehog, two pages and a book.
struct Story {
    addresses: Addresses,
}

impl Story {
    fn bodies(&self, installation: &Installation) -> BTreeMap<&'static str, Value> {
        let formats = &installation.print_formats;
        let one_page = json!({"next_cursor": null});
        let drawing = |kind, resource, id: &str| self.operation(kind, resource, id, OperationStatus::Queued);
        BTreeMap::from([
            ("AccountReply", json!({"account": requests::account(formats)})),
            ("PrintFormatsReply", json!({"print_formats": formats, "meta": one_page})),
            ("BookPlanBody", json!({"book_plan": requests::new_plan()})),
            ("BookPlanReply", json!({"book_plan": requests::plan()})),
            ("CharacterBody", json!({"character": requests::new_character()})),
            (
                "CharacterRegenerationBody",
                json!({"character": CharacterRegeneration {
                    description: Some("A small hedgehog with a pointed hat".into()),
                }}),
            ),
            ("CharacterReply", json!({"character": self.character(true)})),
            (
                "CharactersReply",
                json!({"characters": [self.character(true)], "meta": one_page}),
            ),
            (
                "CharacterAccepted",
                json!({
                    "character": self.character(false),
                    "operation": drawing(OperationType::CharacterCreate, ResourceType::Character, CHARACTER),
                }),
            ),
            ("PageBody", json!({"page": requests::new_page()})),
            (
                "PageRegenerationBody",
                json!({"page": PageRegeneration {
                    prompt: Some("A fox leaping over a brook".into()),
                    ..PageRegeneration::default()
                }}),
            ),
            (
                "PageRefinementBody",
                json!({"page": PageRefinement {
                    instruction: "Make the brook wider and remove the bridge".into(),
                    ..PageRefinement::default()
                }}),
            ),
            ("PageReply", json!({"page": self.page(true)})),
            ("AttemptsReply", json!({"attempts": self.attempts(), "meta": one_page})),
            (
                "DeletedItemsReply",
                json!({"deleted_items": [deleted_item()], "meta": one_page}),
            ),
            ("RestoredReply", json!({"page": self.page(true)})),
            ("PagesReply", json!({"pages": [self.page(true)], "meta": one_page})),
            (
                "PageAccepted",
                json!({
                    "page": self.page(false),
                    "operation": drawing(OperationType::PageCreate, ResourceType::Page, PAGES[0]),
                }),
            ),
            ("GenerationRequest", json!({"book": requests::new_book()})),
            ("BookReply", json!({"book": self.book(true)})),
            ("PrintCheckReply", json!({"print_check": print_check()})),
            ("BooksReply", json!({"books": [self.book(true)], "meta": one_page})),
            (
                "BookAccepted",
                json!({
                    "book": self.book(false),
                    "operation": drawing(OperationType::BookCreate, ResourceType::Book, BOOK),
                }),
            ),
            ("CharacterChangeBody", json!({"character": {"public_preview": true}})),
            (
                "PageChangeBody",
                json!({"page": {"title": "A sleepy fox", "caption": "Good night, little fox"}}),
            ),
            (
                "BookChangeBody",
                json!({"book": {"subtitle": "A coloring book", "author": "Ada Lovelace"}}),
            ),
            (
                "CoverRegenerationBody",
                json!({"cover": CoverRegeneration {
                    prompt: Some("All animals asleep around the stump".into()),
                    style: Some(CoverStyle::Color),
                }}),
            ),
            (
                "BookRestylingBody",
                json!({"book": BookRestyling {
                    line_weight: Some(LineWeight::Bold),
                    style: Some("Woodcut".into()),
                    ..BookRestyling::default()
                }}),
            ),
            (
                "BookCopyBody",
                json!({"book": BookCopy {
                    title: Some("Woodland Friends, Large Print".into()),
                }}),
            ),
            ("BookPageBody", json!({"page": requests::new_page(), "position": 2})),
            (
                "BookPageAccepted",
                json!({
                    "page": self.page(false),
                    "book": self.book(false),
                    "operation": drawing(OperationType::BookAddPage, ResourceType::Book, BOOK),
                }),
            ),
            ("OrderBody", json!({"page_ids": [PAGES[1], PAGES[0]]})),
            (
                "NewImport",
                json!({"title": "A fox, by hand", "image_url": "https://pictures.example.com/fox.png"}),
            ),
            ("NewImage", json!({"image_url": "https://pictures.example.com/fox.png"})),
            (
                "ImportForm",
                json!({"image": "the bytes of fox.png", "title": "A fox, by hand", "caption": "Good night, little fox"}),
            ),
            ("ImageForm", json!({"image": "the bytes of fox.png"})),
            (
                "ArtworkUploadReply",
                json!({"artwork_upload": upload(&installation.public_url)}),
            ),
            (
                "OperationReply",
                json!({
                    "operation": self.operation(OperationType::BookCreate, ResourceType::Book, BOOK, OperationStatus::Running),
                }),
            ),
            (
                "OperationsReply",
                json!({
                    "operations": [self.operation(OperationType::BookCreate, ResourceType::Book, BOOK, OperationStatus::Succeeded)],
                    "meta": one_page,
                }),
            ),
        ])
    }

    fn with_addresses<T: Addressed>(&self, mut resource: T) -> T {
        resource.set_addresses(&self.addresses);
        resource
    }

    fn character(&self, drawn: bool) -> Character {
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

    fn page(&self, drawn: bool) -> Page {
        let spec = PageSpec {
            page: &requests::new_page(),
            aspect: Aspect::Portrait,
            audience: Audience::Child,
            look: &Look::default(),
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
    fn attempts(&self) -> Vec<Attempt> {
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

    fn book(&self, drawn: bool) -> Book {
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

    fn operation(&self, kind: OperationType, resource: ResourceType, id: &str, status: OperationStatus) -> Operation {
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
    }
}

fn upload(public_url: &str) -> Value {
    json!({
        "id": "upl_01KAFMYG00000000000000000A",
        "url": format!("{public_url}/uploads/0f7c1e"),
        "max_bytes": 32_000_000,
        "expires_at": "2026-11-21T13:00:00.000Z",
        "created_at": "2026-11-21T12:00:00.000Z",
    })
}

const CREATED_AT: Timestamp = Timestamp::from_microseconds(1_795_262_400_000_000);
const FINISHED_AT: Timestamp = Timestamp::from_microseconds(1_795_262_403_250_000);
const CHARACTER: &str = "char_01KAFMYG00000000000000000A";
const PAGES: [&str; 2] = ["page_01KAFMYG00000000000000000B", "page_01KAFMYG00000000000000000C"];
const TITLES: [&str; 2] = ["A fox in the woods", "An owl at dusk"];
const BOOK: &str = "book_01KAFMYG00000000000000000D";
const ATTEMPTS: [&str; 2] = ["att_01KAFMYG00000000000000000A", "att_01KAFMYG00000000000000000B"];
const OPERATION: &str = "op_01KAFMYG00000000000000000E";
const COVER_PROMPT: &str = "Woodland animals around a mossy stump";

fn operation_id() -> OperationId {
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

/// A print check of an operator's own layout that prints in color.
fn print_check() -> Report {
    Report {
        edition: Edition::Kdp,
        part: Part::Interior,
        page_count: 32,
        findings: vec![Finding {
            severity: Severity::Warning,
            rule: Rule::Ink,
            pages: vec![PageRange { first: 1, last: 1 }],
            message: "text or shapes are in RGB, and the interior is printed with black ink alone".into(),
            remedy: "convert all colors to grayscale when you export the file".into(),
        }],
    }
}

/// The fox, a day after its page was deleted.
fn deleted_item() -> DeletedItem {
    DeletedItem {
        id: DeletedId::Page(PageId::from_text(PAGES[0])),
        kind: DeletedKind::Page,
        title: TITLES[0].into(),
        deleted_at: FINISHED_AT,
        expires_at: FINISHED_AT.plus(std::time::Duration::from_secs(30 * 24 * 3600)),
        stored_bytes: 412_309,
        entry_id: BinId::from_text(""),
    }
}

#[cfg(test)]
mod tests {
    use serde::Serialize;
    use serde::de::DeserializeOwned;

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

//! Examples of bodies. They tell one small story in the server's own types, so that no example has missing or surplus
//! fields.
mod admin;
mod keys;
mod records;
mod requests;
mod reviews;
mod story;
mod webhooks;

use std::collections::BTreeMap;

use linepress_model::LineWeight;
use linepress_preflight::{Finding, PageRange, Report, Rule, Severity};
use linepress_printers::{Edition, Part};
use serde_json::{Value, json};
use utoipa::openapi::{Content, RefOr, path};

use story::{BOOK, CHARACTER, COVER_PROMPT, CREATED_AT, FINISHED_AT, PAGES, Story, TITLES, operation_id};

use super::installation::Installation;
use super::responses_of;
use super::schema::name_of_body;
use crate::addresses::Addresses;
use linepress_core::books::{BookCopy, BookRestyling, CoverRegeneration, CoverStyle};
use linepress_core::characters::CharacterRegeneration;
use linepress_core::deletion::{DeletedId, DeletedItem, DeletedKind};
use linepress_core::operations::{OperationStatus, OperationType, ResourceType};
use linepress_core::pages::{PageRefinement, PageRegeneration};
use linepress_platform::ids::{BinId, PageId};

/// Adds examples to the bodies of the operation's request and responses: that of the operation's own reply, or else by
/// the name of their schema.
pub(super) fn add(operation: &mut path::Operation, bodies: &BTreeMap<&str, Value>) {
    if let Some(RefOr::T(request)) = &mut operation.request_body {
        request.content.values_mut().for_each(|content| add_to(content, bodies));
    }
    let own = own_reply(operation);
    for (status, response) in responses_of(operation) {
        for content in response.content.values_mut() {
            add_to(content, bodies);
            if let (RefOr::T(content), Some(own)) = (content, &own)
                && status.starts_with('2')
            {
                content.example = Some(own.clone());
            }
        }
    }
}

/// The example of a reply that differs from those of other operations with the same schema.
fn own_reply(operation: &path::Operation) -> Option<Value> {
    match operation.operation_id.as_deref()? {
        "renew_callback_secret" => Some(webhooks::callback_secret()),
        _ => None,
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
                    ..CharacterRegeneration::default()
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
                    ..CoverRegeneration::default()
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
                "NewCoverImage",
                json!({"image_url": "https://pictures.example.com/fox.png", "style": CoverStyle::Color}),
            ),
            (
                "ImportForm",
                json!({"image": "the bytes of fox.png", "title": "A fox, by hand", "caption": "Good night, little fox"}),
            ),
            ("ImageForm", json!({"image": "the bytes of fox.png"})),
            (
                "CoverImageForm",
                json!({"image": "the bytes of fox.png", "style": CoverStyle::Color}),
            ),
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

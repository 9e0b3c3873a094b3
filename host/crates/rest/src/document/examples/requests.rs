//! The requests of the story's client, and the resources of the server that it reads first.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::{COVER_PROMPT, TITLES};
use linepress_accounts::accounts::{Limit, Plan};
use linepress_core::books::{NewBook, PageEntry};
use linepress_core::characters::NewCharacter;
use linepress_core::me::{AccountResource, Capabilities, CreditsResource, PlanResource};
use linepress_core::pages::NewPage;
use linepress_core::print::PrintFormatResource;
use linepress_planning::plans::{BookPlan, Concept, CreditEstimate, GenerationRequest, NewPlan, Warning, WarningCode};
use linepress_platform::ids::AccountId;

/// Parses a request body from JSON, as the server does. Optional fields are left out.
fn parsed<T: DeserializeOwned>(body: Value) -> T {
    serde_json::from_value(body).expect("an example is a valid request body")
}

pub(super) fn new_character() -> NewCharacter {
    parsed(json!({
        "name": "Pip",
        "description": "A small hedgehog with a striped scarf",
        "public_preview": false,
    }))
}

pub(super) fn new_page() -> NewPage {
    parsed(json!({
        "title": TITLES[0],
        "prompt": "A fox curled up under an oak",
        "caption": "Good night, little fox",
        "aspect": "portrait",
    }))
}

pub(super) fn new_plan() -> NewPlan {
    parsed(json!({
        "theme": "A woodland day",
        "page_count": 2,
        "aspect": "portrait",
        "audience": "child",
        "title": "Woodland Friends",
        "language": "en",
    }))
}

pub(super) fn plan() -> BookPlan {
    let text = |text: Option<&str>| text.unwrap_or_default().to_owned();
    let concept = |page: &PageEntry| Concept {
        title: text(page.title.as_deref()),
        prompt: text(page.prompt.as_deref()),
        caption: text(page.caption.as_deref()),
    };
    let book = new_book();
    BookPlan {
        page_concepts: book.pages.iter().map(concept).collect(),
        warnings: vec![Warning::about(WarningCode::NotDrawn, vec!["oak".into()], &[1])],
        credit_estimate: CreditEstimate {
            credits: book.price(),
            pages: book.pages.len(),
        },
        generation_request: GenerationRequest {
            book,
            callback_url: None,
        },
    }
}

pub(super) fn new_book() -> NewBook {
    parsed(json!({
        "title": "Woodland Friends",
        "subtitle": "A coloring book",
        "author": "Ada Lovelace",
        "audience": "child",
        "aspect": "portrait",
        "cover": {"prompt": COVER_PROMPT},
        "pages": [
            {"title": TITLES[0], "prompt": "A fox curled up under an oak", "caption": "Good night, little fox"},
            {"title": TITLES[1], "prompt": "An owl on a branch above a lake", "caption": "Who goes there?"},
        ],
    }))
}

pub(super) fn account(formats: &[PrintFormatResource]) -> AccountResource {
    AccountResource {
        id: AccountId::from_text("acct_01KAFMYG00000000000000000F"),
        email: "ada@example.com".into(),
        plan: PlanResource {
            name: Plan::Business,
            active: true,
        },
        credits: CreditsResource {
            available: 42,
            spent: 10,
            refunded: 2,
        },
        capabilities: Capabilities {
            generate: true,
            plan: true,
            import: true,
            pdf: true,
            image_providers: vec!["linepress.sketchbook".into()],
            planners: vec!["linepress.storyboard".into()],
            print_formats: formats.iter().map(|format| format.id.clone()).collect(),
        },
        limits: BTreeMap::from([(
            "pages_per_book",
            Limit {
                limit: linepress_core::books::MAX_PAGES as i64,
                used: None,
            },
        )]),
    }
}

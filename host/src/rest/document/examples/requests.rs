//! What the client of the story sends, and what it reads of the server before it does.

use std::collections::BTreeMap;

use super::{COVER, TITLES};
use crate::accounts::{AccountResource, Capabilities, CreditsResource, Limit, Plan, PlanResource};
use crate::app::App;
use crate::artwork::{Aspect, Audience};
use crate::books::{NewBook, NewCover, PageEntry};
use crate::characters::NewCharacter;
use crate::ids::AccountId;
use crate::pages::NewPage;
use crate::plans::{BookPlan, Concept, CreditEstimate, GenerationRequest, NewPlan};
use crate::print::{self, PrintFormatResource};

pub fn new_character() -> NewCharacter {
    NewCharacter {
        name: "Pip".into(),
        description: Some("A small hedgehog with a striped scarf".into()),
        style: None,
        public_preview: Some(false),
    }
}

pub fn new_page() -> NewPage {
    NewPage {
        title: TITLES[0].into(),
        prompt: Some("A fox curled up under an oak".into()),
        caption: Some("Good night, little fox".into()),
        aspect: Some(Aspect::Portrait),
        character_ids: None,
    }
}

pub fn new_plan() -> NewPlan {
    NewPlan {
        theme: "A woodland day".into(),
        page_count: 2,
        aspect: Some(Aspect::Portrait),
        audience: Some(Audience::Child),
        title: Some("Woodland Friends".into()),
        character_ids: None,
        language: Some("en".into()),
        notes: None,
    }
}

pub fn plan() -> BookPlan {
    let concept = |page: &PageEntry| Concept {
        title: page.title.clone().unwrap_or_default(),
        prompt: page.prompt.clone().unwrap_or_default(),
        caption: page.caption.clone().unwrap_or_default(),
    };
    let book = new_book();
    BookPlan {
        page_concepts: book.pages.iter().map(concept).collect(),
        credit_estimate: CreditEstimate {
            credits: book.pages.len(),
            pages: book.pages.len(),
        },
        generation_request: GenerationRequest { book },
    }
}

pub fn new_book() -> NewBook {
    let page = |title: &str, prompt: &str, caption: &str| PageEntry {
        title: Some(title.into()),
        prompt: Some(prompt.into()),
        caption: Some(caption.into()),
        ..PageEntry::default()
    };
    NewBook {
        title: "Woodland Friends".into(),
        subtitle: Some("A coloring book".into()),
        author: Some("Ada Lovelace".into()),
        description: None,
        audience: Some(Audience::Child),
        aspect: Some(Aspect::Portrait),
        character_ids: None,
        cover: Some(NewCover { prompt: COVER.into() }),
        pages: vec![
            page(TITLES[0], "A fox curled up under an oak", "Good night, little fox"),
            page(TITLES[1], "An owl on a branch above a lake", "Who goes there?"),
        ],
    }
}

pub fn formats(app: &App) -> Vec<PrintFormatResource> {
    print::formats(app)
        .iter()
        .map(|format| PrintFormatResource::new(app, format))
        .collect()
}

pub fn account(app: &App) -> AccountResource {
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
            print_formats: print::formats(app).into_iter().map(|format| format.id).collect(),
        },
        limits: BTreeMap::from([(
            "pages_per_book",
            Limit {
                limit: crate::books::MAX_PAGES as i64,
                used: None,
            },
        )]),
    }
}

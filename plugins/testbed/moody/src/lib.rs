//! A planner that hardly ever plans.
//!
//! `{"fail": "refused", "words": "not today"}`: `fail` is `refused`, `invalid`, `rate-limited`, `unavailable` (which is
//! also what is taken without settings), `other`, `slow`, which takes for ever, `sorry`, which returns a plan that
//! holds the words alone, `untitled`, which returns a good plan without a title, `late`, which returns a good plan after half
//! a second, `miscounts`, which plans a page too many until it is told so, or anything else, which traps; `words` are what it
//! says about it.
use linepress_plugin_sdk::planner::config;
use linepress_plugin_sdk::planner::{BookPlan, Description, Guest, PageConcept, PlanError, PlanRequest};
use serde::Deserialize;
use std::time::Duration;

pub struct Moody;

impl Guest for Moody {
    fn describe() -> Description {
        Description {
            id: "testbed.moody".into(),
            name: "Moody".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            languages: Vec::new(),
            extra: Vec::new(),
        }
    }

    fn plan(request: PlanRequest) -> Result<BookPlan, PlanError> {
        let Settings { fail, words } =
            serde_json::from_str(&config::get()).expect("the settings are as the head of this file says");
        Err(match fail.as_str() {
            "refused" => PlanError::Refused(words),
            "invalid" => PlanError::Invalid(words),
            "rate-limited" => PlanError::RateLimited(Some(7)),
            "unavailable" => PlanError::Unavailable(words),
            "other" => PlanError::Other(words),
            "slow" => loop {
                std::hint::spin_loop();
            },
            "miscounts" => return Ok(second_try(&request)),
            "sorry" => return Ok(empty_plan(&words, request.page_count)),
            "untitled" => return Ok(plan_of(&request, "", 0)),
            "late" => {
                std::thread::sleep(Duration::from_millis(500));
                return Ok(plan_of(&request, "Foxes", 0));
            }
            _ => panic!("{words}"),
        })
    }
}

/// As many pages as were asked for, but nothing to draw on any.
fn empty_plan(words: &str, pages: u32) -> BookPlan {
    let page = PageConcept {
        title: words.into(),
        prompt: String::new(),
        caption: String::new(),
    };
    BookPlan {
        title: words.into(),
        subtitle: String::new(),
        description: String::new(),
        cover_prompt: String::new(),
        pages: vec![page; pages as usize],
        extra: Vec::new(),
    }
}

/// One page too many, or, for who says what was wrong with that, the right number and what was said.
fn second_try(request: &PlanRequest) -> BookPlan {
    let mismatch = request.extra.iter().find(|(name, _)| name == "mismatch");
    BookPlan {
        description: mismatch.map(|(_, told)| told.clone()).unwrap_or_default(),
        ..plan_of(request, "Foxes", u32::from(mismatch.is_none()))
    }
}

/// A plan of that title, with some pages more than were asked for.
fn plan_of(request: &PlanRequest, title: &str, more: u32) -> BookPlan {
    let pages = (1..=request.page_count + more).map(|page| PageConcept {
        title: format!("Page {page}"),
        prompt: "A fox".into(),
        caption: String::new(),
    });
    BookPlan {
        title: title.into(),
        subtitle: String::new(),
        description: String::new(),
        cover_prompt: "A fox".into(),
        pages: pages.collect(),
        extra: Vec::new(),
    }
}

#[cfg(target_family = "wasm")]
linepress_plugin_sdk::planner::export!(Moody);

#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Settings {
    fail: String,
    words: String,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            fail: "unavailable".into(),
            words: "not today".into(),
        }
    }
}

//! A planner that fails according to its settings.
//!
//! Settings, such as `{"fail": "refused", "words": "not today"}`:
//! - `fail`: `refused`, `invalid`, `rate-limited`, `unavailable` (the default), `other`, `slow` (never returns),
//!   `sorry` (returns a plan whose titles are `words` and whose prompts are empty), `untitled` (returns a good plan
//!   without a title), `late` (returns a good plan after half a second), `miscounts` (returns a page too many until the
//!   request contains a mismatch). Any other value traps.
//! - `words`: the text of the failure.
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
            serde_json::from_str(&config::get()).expect("the settings match the documentation of this crate");
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
            "untitled" => return Ok(plan_with(&request, "", 0)),
            "late" => {
                std::thread::sleep(Duration::from_millis(500));
                return Ok(plan_with(&request, "Foxes", 0));
            }
            _ => panic!("{words}"),
        })
    }
}

/// Returns a plan with the requested number of pages, but without prompts.
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

/// Returns a plan with one page too many. If the request contains a mismatch, the plan has the right number of pages
/// and the mismatch as its description.
fn second_try(request: &PlanRequest) -> BookPlan {
    let mismatch = request.extra.iter().find(|(name, _)| name == "mismatch");
    BookPlan {
        description: mismatch.map(|(_, reason)| reason.clone()).unwrap_or_default(),
        ..plan_with(request, "Foxes", u32::from(mismatch.is_none()))
    }
}

/// Returns a plan with this title, with `surplus` pages more than requested.
fn plan_with(request: &PlanRequest, title: &str, surplus: u32) -> BookPlan {
    let pages = (1..=request.page_count + surplus).map(|page| PageConcept {
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

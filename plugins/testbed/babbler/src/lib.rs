//! A planner that returns three identical page concepts more than requested. If the theme contains "epic", its titles
//! have a megabyte each.
use linepress_plugin_sdk::planner::{BookPlan, Description, Guest, PageConcept, PlanError, PlanRequest};

pub struct Babbler;

impl Guest for Babbler {
    fn describe() -> Description {
        Description {
            id: "testbed.babbler".into(),
            name: "Babbler".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            languages: Vec::new(),
            extra: Vec::new(),
        }
    }

    fn plan(request: PlanRequest) -> Result<BookPlan, PlanError> {
        let title = if request.theme.contains("epic") {
            "blah ".repeat(200_000)
        } else {
            "Blah".into()
        };
        let page = PageConcept {
            title: title.clone(),
            prompt: String::new(),
            caption: String::new(),
        };
        Ok(BookPlan {
            title,
            subtitle: String::new(),
            description: String::new(),
            cover_prompt: String::new(),
            pages: vec![page; request.page_count as usize + 3],
            extra: Vec::new(),
        })
    }
}

#[cfg(target_family = "wasm")]
linepress_plugin_sdk::planner::export!(Babbler);

//! A planner that does almost nothing: it returns the theme for each page. The time of a call is therefore mostly the
//! host's.
use linepress_plugin_sdk::planner::{BookPlan, Description, Guest, PageConcept, PlanError, PlanRequest};

pub struct Echo;

impl Guest for Echo {
    fn describe() -> Description {
        Description {
            id: "testbed.echo".into(),
            name: "Echo".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            languages: Vec::new(),
            extra: Vec::new(),
        }
    }

    fn plan(request: PlanRequest) -> Result<BookPlan, PlanError> {
        let PlanRequest {
            theme,
            page_count,
            title,
            ..
        } = request;
        let pages = 1..=page_count;
        Ok(BookPlan {
            title: title.unwrap_or_else(|| theme.clone()),
            subtitle: String::new(),
            description: theme.clone(),
            cover_prompt: theme.clone(),
            pages: pages
                .map(|page| PageConcept {
                    title: format!("{theme} {page}"),
                    prompt: theme.clone(),
                    caption: String::new(),
                })
                .collect(),
            extra: Vec::new(),
        })
    }
}

#[cfg(target_family = "wasm")]
linepress_plugin_sdk::planner::export!(Echo);

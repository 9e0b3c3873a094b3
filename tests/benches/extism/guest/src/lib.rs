//! The work of `testbed.echo` as an Extism plugin: from a JSON request to a JSON plan with the theme on every page.
use extism_pdk::{FnResult, Json, plugin_fn};
use serde::{Deserialize, Serialize};

#[derive(Deserialize)]
struct PlanRequest {
    theme: String,
    page_count: u32,
    title: Option<String>,
}

#[derive(Serialize)]
struct BookPlan {
    title: String,
    subtitle: String,
    description: String,
    cover_prompt: String,
    pages: Vec<PageConcept>,
}

#[derive(Serialize)]
struct PageConcept {
    title: String,
    prompt: String,
    caption: String,
}

#[plugin_fn]
pub fn plan(Json(request): Json<PlanRequest>) -> FnResult<Json<BookPlan>> {
    let PlanRequest {
        theme,
        page_count,
        title,
    } = request;
    let page = |page| PageConcept {
        title: format!("{theme} {page}"),
        prompt: theme.clone(),
        caption: String::new(),
    };
    Ok(Json(BookPlan {
        title: title.unwrap_or_else(|| theme.clone()),
        subtitle: String::new(),
        description: theme.clone(),
        cover_prompt: theme.clone(),
        pages: (1..=page_count).map(page).collect(),
    }))
}

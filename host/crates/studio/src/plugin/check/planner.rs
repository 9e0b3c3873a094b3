//! Checks of a planner: plans of several lengths, and unusual requests.
use std::time::{Duration, Instant};

use linepress_plugin_host::{CallError, Plan, PlanRequest, Planner};
use linepress_terminal::Report;

use super::calls::{character, woods};
use super::provider::report_outcome;
use super::usage;
use linepress_core::books::MAX_PAGES;

pub(super) async fn check(planner: &Planner, report: &mut Report) {
    let mut slowest = Duration::ZERO;
    let languages = &planner.description().languages;
    let language = languages.first().map_or("en", String::as_str).to_owned();
    let ordinary = |page_count, seed| PlanRequest {
        language: language.clone(),
        ..woods(page_count, seed)
    };
    let mut plan = async |request| {
        let began = Instant::now();
        let outcome: Result<Plan, CallError> = planner.plan(request).await;
        slowest = slowest.max(began.elapsed());
        outcome
    };
    for pages in [1, 8, u32::try_from(MAX_PAGES).unwrap_or(u32::MAX)] {
        let what = format!("a plan of {pages} pages");
        match plan(ordinary(pages, 1)).await.map(|plan| faults(&plan, pages)) {
            Ok(None) => report.good(&what, "complete"),
            Ok(Some(fault)) => report.bad(
                &what,
                &fault,
                "Return exactly the requested pages; a server accepts nothing else.",
            ),
            Err(error) => report.bad(
                &what,
                &error.to_string(),
                "Make sure that the planner accepts this ordinary request.",
            ),
        }
    }
    let (one, again, other) = (
        plan(ordinary(8, 1)).await,
        plan(ordinary(8, 1)).await,
        plan(ordinary(8, 2)).await,
    );
    match one.is_ok() {
        true if one != again => report.note("seeds", "the same seed gives a different plan each time"),
        true if one == other => report.note("seeds", "another seed gives the same plan"),
        true => report.good(
            "seeds",
            "the same seed gives the same plan, and another seed a different one",
        ),
        false => {}
    }
    for (what, request) in [
        (
            "a short theme",
            PlanRequest {
                theme: "x".into(),
                ..ordinary(3, 3)
            },
        ),
        (
            "a long theme",
            PlanRequest {
                theme: "foxes and hens, ".repeat(30),
                ..ordinary(3, 3)
            },
        ),
        (
            "a theme in other letters",
            PlanRequest {
                theme: "キツネ \u{1F98A} «лиса» \"}]<b>".into(),
                ..ordinary(3, 3)
            },
        ),
        (
            "a title, notes and characters",
            PlanRequest {
                title: Some("My book".into()),
                notes: Some("No snow, please.".into()),
                characters: (0..8).map(|number| character(number, None)).collect(),
                ..ordinary(3, 3)
            },
        ),
    ] {
        report_outcome(what, plan(request).await.map(drop), report);
    }
    usage(planner.usage(), slowest, None, report);
}

/// The reason why a server would reject the plan; `None` when it would accept it.
fn faults(plan: &Plan, pages: u32) -> Option<String> {
    if plan.pages.len() != pages as usize {
        return Some(format!("it has {} pages", plan.pages.len()));
    }
    if plan.title.trim().is_empty() {
        return Some("it has no title".into());
    }
    let without = plan.pages.iter().position(|page| page.prompt.trim().is_empty());
    without.map(|place| format!("page {} has no prompt", place + 1))
}

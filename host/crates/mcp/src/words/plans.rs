//! Book plans.
use linepress_planning::plans::{BookPlan, Warning};
use serde_json::json;

use super::{counted, credits, quoted};

/// A book plan, with the arguments that turn it into a book.
pub(crate) fn plan(plan: &BookPlan) -> String {
    let book = &plan.generation_request.book;
    let mut lines = vec![format!(
        "A plan of {} for {}, which costs {}.",
        counted(plan.credit_estimate.pages, "page"),
        quoted(&book.title),
        credits(plan.credit_estimate.credits),
    )];
    lines.extend(plan.warnings.iter().map(warning));
    lines.push(format!("Arguments of create_book: {}", json!(book)));
    lines.join("\n")
}

fn warning(warning: &Warning) -> String {
    let page = warning.page_number.map(|page| format!(" of page {page}"));
    format!("Warning{}: {}", page.unwrap_or_default(), warning.message)
}

/// The next step after a plan.
pub(crate) fn after_plan(plan: &BookPlan) -> String {
    format!(
        "show the plan to the user and change what they want; then call create_book with the fields of generation_request.book, an idempotency_key and confirm_credits: {}.",
        plan.credit_estimate.credits
    )
}

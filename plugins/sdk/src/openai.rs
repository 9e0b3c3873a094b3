//! Error codes of OpenAI's API, which compatible servers use as well.

use crate::Failure;
use crate::http::Problem;

/// Returns the failure for an error code whose meaning differs from the HTTP status.
pub fn explain(problem: &Problem) -> Option<Failure> {
    match problem.code.as_str() {
        "moderation_blocked" | "content_policy_violation" | "content_filter" | "contentFilter" => {
            Some(Failure::Refused(problem.text()))
        }
        // The API sends these codes with status 429, but waiting does not help.
        "insufficient_quota" | "billing_hard_limit_reached" => Some(problem.no_credit()),
        "model_not_found" | "invalid_model" => Some(problem.wrong_setting("model")),
        _ => None,
    }
}

//! The error codes of OpenAI's API, which the servers that are compatible with it share.

use crate::Failure;
use crate::http::Problem;

/// What a code means, where the status says something else.
pub fn explain(problem: &Problem) -> Option<Failure> {
    match problem.code.as_str() {
        "moderation_blocked" | "content_policy_violation" | "content_filter" | "contentFilter" => {
            Some(Failure::Refused(problem.text()))
        }
        // It comes as 429, but no time helps.
        "insufficient_quota" | "billing_hard_limit_reached" => Some(problem.no_credit()),
        "model_not_found" | "invalid_model" => Some(problem.wrong_setting("model")),
        _ => None,
    }
}

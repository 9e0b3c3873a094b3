//! A planner that uses the Messages API of Anthropic.

use linepress_plugin_sdk::http::{self, Problem, Request};
use linepress_plugin_sdk::planner::{BookPlan, Description, Guest, PlanError, PlanRequest};
use linepress_plugin_sdk::{Deadline, Failure, merge, planning};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// The version of the API that this plugin was written for.
const API_VERSION: &str = "2023-06-01";

pub struct AnthropicPlanner;

impl Guest for AnthropicPlanner {
    fn describe() -> Description {
        planning::description(
            "linepress.anthropic-planner",
            "Anthropic planner",
            env!("CARGO_PKG_VERSION"),
        )
    }

    fn plan(request: PlanRequest) -> Result<BookPlan, PlanError> {
        Ok(plan(&request)?)
    }
}

#[cfg(target_family = "wasm")]
linepress_plugin_sdk::planner::export!(AnthropicPlanner);

/// The operator's settings, which `config.json` documents.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    model: String,
    #[serde(default = "base_url")]
    base_url: String,
    #[serde(default = "max_tokens")]
    max_tokens: u32,
    #[serde(default)]
    parameters: Map<String, Value>,
    #[serde(default)]
    omit: Vec<String>,
    #[serde(default = "timeout_s")]
    timeout_s: u32,
}

fn base_url() -> String {
    "https://api.anthropic.com".into()
}

fn max_tokens() -> u32 {
    16_000
}

fn timeout_s() -> u32 {
    280
}

#[derive(Deserialize)]
struct Message {
    model: Option<String>,
    #[serde(default)]
    content: Vec<Block>,
    stop_reason: Option<String>,
    stop_details: Option<StopDetails>,
}

/// A block of the answer. Thinking blocks have no `text`.
#[derive(Deserialize)]
struct Block {
    text: Option<String>,
}

#[derive(Deserialize)]
struct StopDetails {
    explanation: Option<String>,
}

fn plan(request: &PlanRequest) -> Result<BookPlan, Failure> {
    let settings: Settings = linepress_plugin_sdk::settings()?;
    let deadline = Deadline::after_seconds(settings.timeout_s);
    let response = Request::post(http::join(&settings.base_url, "v1/messages"), &deadline)
        .header("anthropic-version", API_VERSION)
        .json(&body(request, &settings))
        .send()?;
    let message: Message = response.success(explain)?.json()?;
    match message.stop_reason.as_deref() {
        Some("refusal") => {
            let explanation = message.stop_details.and_then(|details| details.explanation);
            return Err(Failure::Refused(
                explanation.unwrap_or_else(|| "the model refused the plan".into()),
            ));
        }
        Some("max_tokens" | "model_context_window_exceeded") => {
            return Err(Failure::Other(
                "the plan exceeds the model's output limit: raise the setting `max_tokens`".into(),
            ));
        }
        _ => {}
    }
    let text: String = message.content.into_iter().filter_map(|block| block.text).collect();
    planning::read(&text, &message.model.unwrap_or(settings.model))
}

fn body(request: &PlanRequest, settings: &Settings) -> Value {
    let body = json!({
        "model": settings.model,
        "max_tokens": settings.max_tokens,
        "system": planning::INSTRUCTIONS,
        "messages": [{"role": "user", "content": planning::prompt(request)}],
        "output_config": {"format": {"type": "json_schema", "schema": planning::schema()}},
    });
    merge(body, &settings.parameters, &settings.omit)
}

/// Interprets the API's errors. The API reports an account without credit as an invalid request, so the message is
/// examined too.
fn explain(problem: &Problem) -> Option<Failure> {
    let is_billing = problem.body["error"]["type"] == "billing_error" || problem.message.contains("credit balance");
    let is_model = problem.status == 404 && problem.message.contains("model");
    if is_billing {
        Some(problem.no_credit())
    } else {
        is_model.then(|| problem.wrong_setting("model"))
    }
}

#[cfg(test)]
mod tests {
    use linepress_plugin_sdk::testing::{self, Reply, plan_request};

    use super::*;

    fn answer(status: u16, body: Value) -> Result<BookPlan, Failure> {
        testing::set_settings(json!({"model": "talker"}));
        testing::reply(Reply::json(status, body).header("retry-after", "30"));
        plan(&plan_request())
    }

    #[test]
    fn a_plan_is_requested_with_its_schema() {
        let text = r#"{"title": "a", "subtitle": "", "description": "", "cover_prompt": "", "pages": []}"#;
        let content = json!([{"type": "thinking", "thinking": "{}"}, {"type": "text", "text": text}]);
        let plan = answer(
            200,
            json!({"model": "talker-2", "content": content, "stop_reason": "end_turn"}),
        )
        .unwrap();
        assert_eq!(plan.extra, [("model".to_owned(), "talker-2".to_owned())]);
        let request = testing::requests().pop().unwrap();
        assert_eq!(request.url, "https://api.anthropic.com/v1/messages");
        assert!(
            request
                .headers
                .contains(&("anthropic-version".into(), API_VERSION.into()))
        );
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        assert_eq!(body["output_config"]["format"]["schema"], planning::schema());
        assert_eq!(body["max_tokens"], 16_000);
    }

    #[test]
    fn stop_reasons_and_errors_are_classified() {
        let refusal = json!({"content": [], "stop_reason": "refusal", "stop_details": {"explanation": "No."}});
        assert_eq!(answer(200, refusal).unwrap_err(), Failure::Refused("No.".into()));
        let cut = json!({"content": [{"type": "text", "text": "{"}], "stop_reason": "max_tokens"});
        assert!(matches!(answer(200, cut), Err(Failure::Other(reason)) if reason.contains("`max_tokens`")));
        let error = |kind, message| json!({"type": "error", "error": {"type": kind, "message": message}});
        let limited = answer(429, error("rate_limit_error", "Slow down."));
        assert_eq!(limited.unwrap_err(), Failure::RateLimited(Some(30)));
        for (status, kind, message, words) in [
            (529, "overloaded_error", "Overloaded", "Overloaded"),
            (
                400,
                "invalid_request_error",
                "Your credit balance is too low",
                "no credit",
            ),
            (404, "not_found_error", "model: talker", "`model`"),
            (401, "authentication_error", "invalid x-api-key", "key"),
        ] {
            let failure = answer(status, error(kind, message)).unwrap_err();
            assert!(
                matches!(&failure, Failure::Unavailable(reason) if reason.contains(words)),
                "{failure:?}"
            );
        }
        let invalid = answer(400, error("invalid_request_error", "messages: too long"));
        assert!(matches!(invalid, Err(Failure::Invalid(_))));
    }
}

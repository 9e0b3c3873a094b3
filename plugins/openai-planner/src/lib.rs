//! A planner that uses the Chat Completions API of OpenAI or of a compatible server such as Ollama, vLLM or LocalAI.

use linepress_plugin_sdk::planner::{BookPlan, Description, Guest, PlanError, PlanRequest};
use linepress_plugin_sdk::{Deadline, Failure, merge, openai, planning};
use serde::Deserialize;
use serde_json::{Map, Value, json};

pub struct OpenAiPlanner;

impl Guest for OpenAiPlanner {
    fn describe() -> Description {
        planning::description("linepress.openai-planner", "OpenAI planner", env!("CARGO_PKG_VERSION"))
    }

    fn plan(request: PlanRequest) -> Result<BookPlan, PlanError> {
        Ok(plan(&request)?)
    }
}

#[cfg(target_family = "wasm")]
linepress_plugin_sdk::planner::export!(OpenAiPlanner);

/// The operator's settings, which `config.json` documents.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Settings {
    model: String,
    #[serde(default = "base_url")]
    base_url: String,
    #[serde(default)]
    parameters: Map<String, Value>,
    #[serde(default)]
    omit: Vec<String>,
    #[serde(default = "timeout_s")]
    timeout_s: u32,
}

fn base_url() -> String {
    "https://api.openai.com/v1".into()
}

fn timeout_s() -> u32 {
    280
}

fn plan(request: &PlanRequest) -> Result<BookPlan, Failure> {
    let settings: Settings = linepress_plugin_sdk::settings()?;
    let deadline = Deadline::after_seconds(settings.timeout_s);
    let body = body(request, &settings);
    let completed = openai::complete_chat(&settings.base_url, &body, settings.model, "plan", &deadline)?;
    planning::read(&completed.text, &completed.model)
}

fn body(request: &PlanRequest, settings: &Settings) -> Value {
    let question = json!(planning::prompt(request));
    let schema = planning::schema();
    let body = openai::chat_body(
        &settings.model,
        planning::INSTRUCTIONS,
        &question,
        ("book_plan", &schema),
    );
    merge(body, &settings.parameters, &settings.omit)
}

#[cfg(test)]
mod tests {
    use linepress_plugin_sdk::testing::{self, Reply, plan_request};

    use super::*;

    fn answer(choice: Value) -> Result<BookPlan, Failure> {
        testing::set_settings(json!({"model": "talker", "parameters": {"max_completion_tokens": 9000}}));
        testing::reply(Reply::json(200, json!({"model": "talker-2", "choices": [choice]})));
        plan(&plan_request())
    }

    #[test]
    fn a_plan_is_requested_with_its_schema() {
        let text = r#"{"title": "a", "subtitle": "", "description": "", "cover_prompt": "", "pages": []}"#;
        let plan = answer(json!({"finish_reason": "stop", "message": {"content": text}})).unwrap();
        assert_eq!(plan.extra, [("model".to_owned(), "talker-2".to_owned())]);
        let request = testing::requests().pop().unwrap();
        assert_eq!(request.url, "https://api.openai.com/v1/chat/completions");
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        assert_eq!(body["max_completion_tokens"], 9000);
        assert_eq!(body["response_format"]["json_schema"]["strict"], true);
        assert!(body["messages"][1]["content"].as_str().unwrap().contains("exactly 12"));
    }

    #[test]
    fn refusals_and_truncated_plans_are_classified() {
        let refused = answer(json!({"message": {"refusal": "No."}}));
        assert_eq!(refused.unwrap_err(), Failure::Refused("No.".into()));
        let filtered = answer(json!({"finish_reason": "content_filter", "message": {}}));
        assert!(matches!(filtered, Err(Failure::Refused(_))));
        let cut = answer(json!({"finish_reason": "length", "message": {"content": "{\"title\": \"a"}}));
        assert!(matches!(cut, Err(Failure::Other(reason)) if reason.contains("tokens")));
        let empty = answer(json!({"finish_reason": "stop", "message": {"content": null}}));
        assert!(matches!(empty, Err(Failure::Other(_))));
    }
}

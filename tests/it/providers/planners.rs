//! Planners, which ask a language model for a plan that follows a JSON schema.
use linepress_plugin_host::CallError;
use serde_json::{Value, json};

use super::apis::{ANTHROPIC_PLANNER, Api, OPENAI_PLANNER};
use super::plugin_under_test::PluginUnderTest;
use super::replies::{Reply, assert_includes};

async fn plans(api: &'static Api) -> Value {
    let plugin = PluginUnderTest::for_api(api).await;
    plugin.succeeds_but([]);
    let plan = plugin.plan().await.unwrap();
    assert_eq!(plan.title, "Foxes in Winter");
    let titles: Vec<_> = plan.pages.iter().map(|page| page.title.as_str()).collect();
    assert_eq!(titles, ["First Snow", "The Key"]);
    plugin.received()[0].json()
}

/// Fails unless the schema requires every field of a plan.
fn assert_strict(schema: &Value) {
    let expected = json!({
        "type": "object", "additionalProperties": false,
        "required": ["title", "subtitle", "description", "cover_prompt", "pages"],
        "properties": {"pages": {"items": {"required": ["title", "prompt", "caption"], "additionalProperties": false}}},
    });
    assert_includes(schema, &expected);
}

fn assert_describes_the_book(prompt: &Value) {
    let prompt = prompt.as_str().unwrap();
    for part in ["Foxes in winter", "exactly 2", "children", "\"pt-BR\"", "no snowmen"] {
        assert!(prompt.contains(part), "{part}: {prompt}");
    }
}

#[tokio::test]
async fn openai_plans_a_book() {
    let sent = plans(&OPENAI_PLANNER).await;
    let format = json!({"type": "json_schema", "json_schema": {"name": "book_plan", "strict": true}});
    assert_includes(
        &sent,
        &json!({"model": "talker", "messages": [{"role": "system"}, {"role": "user"}]}),
    );
    assert_includes(&sent["response_format"], &format);
    assert_strict(&sent["response_format"]["json_schema"]["schema"]);
    assert_describes_the_book(&sent["messages"][1]["content"]);
}

#[tokio::test]
async fn anthropic_plans_a_book() {
    let sent = plans(&ANTHROPIC_PLANNER).await;
    let format = json!({"format": {"type": "json_schema"}});
    assert_includes(
        &sent,
        &json!({"model": "talker", "max_tokens": 16_000, "output_config": format}),
    );
    assert_strict(&sent["output_config"]["format"]["schema"]);
    assert_describes_the_book(&sent["messages"][0]["content"]);
}

#[tokio::test]
async fn planners_distinguish_a_refusal_from_a_truncated_plan() {
    let choice = |reason: &str, message: Value| json!({"choices": [{"finish_reason": reason, "message": message}]});
    let message =
        |reason: &str| json!({"content": [{"type": "text", "text": "{\"title\": \"Fo"}], "stop_reason": reason});
    let details = json!({"type": "refusal", "category": "general_harms", "explanation": "No."});
    let refused = json!({"content": [], "stop_reason": "refusal", "stop_details": details});
    for (api, answer, expected) in [
        (
            &OPENAI_PLANNER,
            choice("stop", json!({"content": null, "refusal": "No."})),
            "refused: No.",
        ),
        (
            &OPENAI_PLANNER,
            choice("content_filter", json!({"content": ""})),
            "refused: ",
        ),
        (
            &OPENAI_PLANNER,
            choice("length", json!({"content": "{\"title\": \"Fo"})),
            "failed: the plan exceeds the model's output limit",
        ),
        (
            &OPENAI_PLANNER,
            choice("stop", json!({"content": "{\"title\": 1}"})),
            "failed: the model's plan",
        ),
        (&ANTHROPIC_PLANNER, refused, "refused: No."),
        (
            &ANTHROPIC_PLANNER,
            message("max_tokens"),
            "failed: the plan exceeds the model's output limit",
        ),
        (&ANTHROPIC_PLANNER, message("end_turn"), "failed: the model's plan"),
    ] {
        let plugin = PluginUnderTest::for_api(api).await;
        plugin.answers([(api.path, vec![Reply::json(200, &answer).page()])]);
        let error = plugin.plan().await.unwrap_err().to_string();
        assert!(error.starts_with(expected), "{answer}: {error}");
    }
}

#[tokio::test]
async fn a_self_hosted_server_plans_without_a_key() {
    let plugin = PluginUnderTest::with(&OPENAI_PLANNER, &json!({"parameters": {"max_completion_tokens": 9000}})).await;
    let text = format!("<think>foxes</think>```json\n{}\n```", super::apis::plan());
    let answer = json!({"choices": [{"finish_reason": "stop", "message": {"role": "assistant", "content": text}}]});
    plugin.answers([(OPENAI_PLANNER.path, vec![Reply::json(200, &answer).page()])]);
    assert_eq!(plugin.plan().await.unwrap().pages.len(), 2);
    assert_eq!(plugin.received()[0].json()["max_completion_tokens"], 9000);
}

#[tokio::test]
async fn anthropic_reports_an_empty_account_as_an_invalid_request() {
    let plugin = PluginUnderTest::for_api(&ANTHROPIC_PLANNER).await;
    let error =
        json!({"type": "invalid_request_error", "message": "Your credit balance is too low to access the API."});
    let reply = Reply::json(400, &json!({"type": "error", "error": error}));
    plugin.answers([(ANTHROPIC_PLANNER.path, vec![reply.page()])]);
    let error = plugin.plan().await.unwrap_err();
    assert!(
        matches!(&error, CallError::Unavailable(reason) if reason.contains("credit")),
        "{error:?}"
    );
}

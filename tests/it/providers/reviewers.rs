//! Reviewers, which ask a model for a verdict that follows a JSON schema.
use linepress_plugin_host::Verdict;
use serde_json::{Value, json};

use super::apis::OPENAI_REVIEWER;
use super::plugin_under_test::PluginUnderTest;
use super::replies::{PICTURE, Reply, assert_includes, base64};
use crate::test_app::Page;

/// A completion with this verdict.
fn answer(verdict: &Value) -> Page {
    let message = json!({"role": "assistant", "content": verdict.to_string()});
    let completion = json!({"model": "talker-2", "choices": [{"finish_reason": "stop", "message": message}]});
    Reply::json(200, &completion).page()
}

#[tokio::test]
async fn a_prompt_is_reviewed_by_the_operators_rules() {
    let plugin = PluginUnderTest::with(&OPENAI_REVIEWER, &json!({"rules": "No foxes."})).await;
    let verdict = json!({"verdict": "refuse", "sentence": "No foxes,\nplease."});
    plugin.answers([(OPENAI_REVIEWER.path, vec![answer(&verdict)])]);
    let review = plugin.review_prompt().await.unwrap();
    assert_eq!(review.verdict, Verdict::Refuse(Some("No foxes, please.".into())));
    assert_eq!(review.model.as_deref(), Some("talker-2"));
    let sent = plugin.received()[0].json();
    let format = json!({"type": "json_schema", "json_schema": {"name": "review", "strict": true}});
    assert_includes(&sent["response_format"], &format);
    assert!(sent["messages"][0]["content"].as_str().unwrap().ends_with("No foxes."));
    let question = sent["messages"][1]["content"].as_str().unwrap();
    for part in ["children", "The key", "A fox finds a key in the snow"] {
        assert!(question.contains(part), "{part}: {question}");
    }
}

#[tokio::test]
async fn a_picture_is_reviewed_next_to_its_prompt() {
    let plugin = PluginUnderTest::for_api(&OPENAI_REVIEWER).await;
    for (verdict, expected) in [
        (json!({"verdict": "pass", "hint": "", "sentence": ""}), Verdict::Pass),
        (
            json!({"verdict": "redraw", "hint": "Four legs.", "sentence": ""}),
            Verdict::Redraw("Four legs.".into()),
        ),
        (
            json!({"verdict": "refuse", "hint": "", "sentence": ""}),
            Verdict::Refuse(None),
        ),
    ] {
        plugin.answers([(OPENAI_REVIEWER.path, vec![answer(&verdict)])]);
        assert_eq!(plugin.review_picture().await.unwrap().verdict, expected);
        let content = &plugin.received()[0].json()["messages"][1]["content"];
        let url = content[1]["image_url"]["url"].as_str().unwrap();
        let picture = [PICTURE, &[1]].concat();
        assert_eq!(url, format!("data:image/png;base64,{}", base64(&picture)));
    }
}

#[tokio::test]
async fn whatever_the_api_declines_to_see_is_refused_and_an_unclear_verdict_is_a_failure() {
    let plugin = PluginUnderTest::for_api(&OPENAI_REVIEWER).await;
    let declined = json!({"choices": [{"finish_reason": "stop", "message": {"content": null, "refusal": "No."}}]});
    let blocked = json!({"error": {"code": "content_policy_violation", "message": "No."}});
    for page in [Reply::json(200, &declined).page(), Reply::json(400, &blocked).page()] {
        plugin.answers([(OPENAI_REVIEWER.path, vec![page])]);
        assert_eq!(plugin.review_prompt().await.unwrap().verdict, Verdict::Refuse(None));
    }
    for verdict in [
        json!({"verdict": "maybe", "hint": "", "sentence": ""}),
        json!({"verdict": "redraw", "hint": " ", "sentence": ""}),
    ] {
        plugin.answers([(OPENAI_REVIEWER.path, vec![answer(&verdict)])]);
        let error = plugin.review_picture().await.unwrap_err().to_string();
        assert!(error.starts_with("failed: "), "{verdict}: {error}");
    }
}

#[tokio::test]
async fn a_reviewer_for_pictures_only_sends_no_prompt() {
    let plugin = PluginUnderTest::with(&OPENAI_REVIEWER, &json!({"prompts": false})).await;
    plugin.succeeds_but([]);
    assert_eq!(plugin.review_prompt().await.unwrap().verdict, Verdict::Pass);
    assert!(plugin.received().is_empty());
    assert_eq!(plugin.review_picture().await.unwrap().verdict, Verdict::Pass);
    assert_eq!(plugin.received().len(), 1);
}

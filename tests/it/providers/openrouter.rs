//! OpenRouter, whose errors may have a successful status.
use std::time::Duration;

use linepress_plugin_host::CallError;
use serde_json::{Value, json};

use super::apis::OPENROUTER;
use super::plugin_under_test::{PluginUnderTest, reference};
use super::replies::{PICTURE, Reply, assert_includes, base64};

#[tokio::test]
async fn openrouter_draws_with_the_pictures_of_characters() {
    let plugin = PluginUnderTest::for_api(&OPENROUTER).await;
    plugin.succeeds_but([]);
    let drawing = plugin.draw(1).await.unwrap();
    assert_eq!(
        (drawing.media_type.as_str(), drawing.bytes.as_slice()),
        ("image/png", PICTURE)
    );
    assert_eq!(
        (drawing.model.as_deref(), drawing.cost_microdollars),
        (Some("maker/painter"), Some(38_700))
    );
    let url = format!("data:image/png;base64,{}", base64(&reference(1).bytes));
    let sent = plugin.received()[0].json();
    let expected = json!({
        "model": "maker/painter", "modalities": ["image", "text"], "image_config": {"aspect_ratio": "3:4"},
        "messages": [{"role": "user", "content": [{"type": "text"}, {"type": "image_url", "image_url": {"url": url}}]}],
    });
    assert_includes(&sent, &expected);
}

#[tokio::test]
async fn openrouter_refuses_and_fails_in_several_ways() {
    let plugin = PluginUnderTest::for_api(&OPENROUTER).await;
    let flagged =
        json!({"code": 403, "message": "flagged", "metadata": {"reasons": ["violence"], "provider_name": "x"}});
    let broken = json!({"code": 502, "message": "the model is down"});
    let limited = json!({"code": 429, "message": "slow down"});
    let choice = |choice: Value| json!({"choices": [choice]});
    let refused: fn(&CallError) -> bool = |error| matches!(error, CallError::Refused(_));
    let down: fn(&CallError) -> bool = |error| matches!(error, CallError::Unavailable(_));
    let failed: fn(&CallError) -> bool = |error| matches!(error, CallError::Failed(_));
    let wait: fn(&CallError) -> bool = |error| *error == CallError::RateLimited(Some(Duration::from_secs(9)));
    for (status, answer, is_expected) in [
        (403, json!({"error": flagged}), refused),
        (
            403,
            json!({"error": {"code": 403, "message": "Key limit exceeded"}}),
            down,
        ),
        (200, json!({"error": broken}), down),
        (200, choice(json!({"error": broken, "finish_reason": "error"})), down),
        (200, json!({"error": limited}), wait),
        (
            200,
            choice(json!({"finish_reason": "content_filter", "message": {"content": null}})),
            refused,
        ),
        (
            200,
            choice(json!({"finish_reason": "stop", "message": {"content": "A fox."}})),
            failed,
        ),
    ] {
        let reply = Reply::json(status, &answer).header("Retry-After", "9");
        plugin.answers([(OPENROUTER.path, vec![reply.page()])]);
        let error = plugin.draw(0).await.unwrap_err();
        assert!(is_expected(&error), "{answer}: {error:?}");
    }
}

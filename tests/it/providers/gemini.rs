//! Both Gemini APIs, whose refusals have status 200.
use std::time::Duration;

use linepress_plugin_host::CallError;
use serde_json::json;

use super::apis::{GEMINI, GEMINI_INTERACTIONS};
use super::plugin_under_test::{PluginUnderTest, reference};
use super::replies::{PICTURE, Reply, assert_includes, base64};

#[tokio::test]
async fn gemini_draws_with_the_pictures_of_characters() {
    let data = base64(&reference(1).bytes);
    let plugin = PluginUnderTest::for_api(&GEMINI).await;
    plugin.succeeds_but([]);
    let drawing = plugin.draw(1).await.unwrap();
    assert_eq!(
        (drawing.media_type.as_str(), drawing.bytes.as_slice()),
        ("image/png", PICTURE)
    );
    let expected = json!({
        "contents": [{"role": "user", "parts": [{}, {"inlineData": {"mimeType": "image/png", "data": data}}]}],
        "generationConfig": {"responseModalities": ["IMAGE"], "imageConfig": {"aspectRatio": "3:4"}, "seed": 7},
    });
    assert_includes(&plugin.received()[0].json(), &expected);

    let plugin = PluginUnderTest::with(&GEMINI_INTERACTIONS, &json!({"image_size": "2K"})).await;
    plugin.succeeds_but([]);
    assert_eq!(plugin.draw(1).await.unwrap().bytes, PICTURE);
    let expected = json!({
        "model": "painter", "store": false,
        "input": [{"type": "text"}, {"type": "image", "mime_type": "image/png", "data": data}],
        "response_format": [{"type": "image", "aspect_ratio": "3:4", "image_size": "2K"}],
    });
    assert_includes(&plugin.received()[0].json(), &expected);
}

#[tokio::test]
async fn gemini_refuses_with_status_200() {
    let plugin = PluginUnderTest::for_api(&GEMINI).await;
    let stopped = |reason: &str| json!({"candidates": [{"finishReason": reason, "content": {"parts": []}}]});
    for (answer, is_refusal) in [
        (stopped("IMAGE_SAFETY"), true),
        (stopped("PROHIBITED_CONTENT"), true),
        (stopped("NO_IMAGE"), true),
        (json!({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}), true),
        (stopped("IMAGE_OTHER"), false),
        (stopped("STOP"), false),
    ] {
        plugin.answers([(GEMINI.path, vec![Reply::json(200, &answer).page()])]);
        let error = plugin.draw(0).await.unwrap_err();
        assert_eq!(
            matches!(error, CallError::Refused(_)),
            is_refusal,
            "{answer}: {error:?}"
        );
        assert_eq!(
            matches!(error, CallError::Failed(_)),
            !is_refusal,
            "{answer}: {error:?}"
        );
    }
    let plugin = PluginUnderTest::for_api(&GEMINI_INTERACTIONS).await;
    let fault = json!({"code": "https://ai.google.dev/errors/image_safety", "message": "The image was blocked."});
    let answer = json!({"status": "failed", "steps": [], "errors": [fault]});
    plugin.answers([(GEMINI_INTERACTIONS.path, vec![Reply::json(200, &answer).page()])]);
    let error = plugin.draw(0).await.unwrap_err();
    assert!(matches!(error, CallError::Refused(_)), "{error:?}");
}

#[tokio::test]
async fn gemini_says_in_the_body_how_long_to_wait() {
    let plugin = PluginUnderTest::for_api(&GEMINI).await;
    let details = json!([{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "33.2s"}]);
    let error = json!({"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "m", "details": details}});
    plugin.answers([(GEMINI.path, vec![Reply::json(429, &error).page()])]);
    let error = plugin.draw(0).await.unwrap_err();
    assert_eq!(error, CallError::RateLimited(Some(Duration::from_secs(34))));

    let details = json!([{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}]);
    let error = json!({"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": "m", "details": details}});
    plugin.answers([(GEMINI.path, vec![Reply::json(400, &error).page()])]);
    let error = plugin.draw(0).await.unwrap_err();
    assert!(
        matches!(&error, CallError::Unavailable(reason) if reason.contains("key")),
        "{error:?}"
    );
}

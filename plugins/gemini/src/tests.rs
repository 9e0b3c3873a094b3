//! Tests of the requests that are sent, and of how the API's responses are classified.

use linepress_plugin_sdk::data_url;
use linepress_plugin_sdk::testing::{self, Reply, draw_request};
use serde_json::json;

use super::*;

fn picture() -> String {
    data_url::to_base64(b"\x89PNG\r\n\x1a\n")
}

fn answer(api: &str, status: u16, body: Value) -> Result<Drawing, Failure> {
    testing::set_settings(json!({"model": "painter", "api": api, "image_size": "2K"}));
    testing::reply(Reply::json(status, body));
    draw(&draw_request(1))
}

fn sent() -> (String, Value) {
    let request = testing::requests().pop().unwrap();
    (request.url, serde_json::from_slice(&request.body).unwrap())
}

#[test]
fn content_is_requested_with_references_and_a_ratio() {
    let parts = json!([{"text": "Here"}, {"thought": true, "inlineData": {"data": "AAAA"}}, {"inlineData": {"data": picture()}}]);
    let drawn =
        json!({"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}], "modelVersion": "painter-2"});
    let drawing = answer("generate-content", 200, drawn).unwrap();
    assert_eq!(drawing.extra, [("model".to_owned(), "painter-2".to_owned())]);
    let (url, body) = sent();
    assert!(url.ends_with("/v1beta/models/painter:generateContent"), "{url}");
    assert_eq!(body["contents"][0]["parts"][1]["inlineData"]["data"], "iVBORw0KGgoB");
    assert_eq!(
        body["generationConfig"]["imageConfig"],
        json!({"aspectRatio": "3:4", "imageSize": "2K"})
    );
}

#[test]
fn an_interaction_is_requested_with_references_and_a_ratio() {
    let steps = json!([
        {"type": "thought", "content": [{"type": "image", "data": "AAAA"}]},
        {"type": "model_output", "content": [{"type": "text", "text": "Here"}, {"type": "image", "data": picture()}]},
    ]);
    answer("interactions", 200, json!({"status": "completed", "steps": steps})).unwrap();
    let (url, body) = sent();
    assert!(url.ends_with("/v1beta/interactions"), "{url}");
    assert_eq!(body["input"][1]["data"], "iVBORw0KGgoB");
    assert_eq!(body["response_format"][0]["aspect_ratio"], "3:4");
}

#[test]
fn a_refusal_with_status_200_is_recognized() {
    let refused = |api, body| {
        let failure = answer(api, 200, body).unwrap_err();
        assert!(matches!(failure, Failure::Refused(_)), "{failure:?}");
    };
    for reason in ["IMAGE_SAFETY", "PROHIBITED_CONTENT", "NO_IMAGE", "SAFETY"] {
        refused("generate-content", json!({"candidates": [{"finishReason": reason}]}));
    }
    refused(
        "generate-content",
        json!({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}),
    );
    let fault = json!({"code": "https://ai.google.dev/errors/image_safety", "message": "no"});
    refused("interactions", json!({"status": "failed", "errors": [fault]}));
    let step = json!({"type": "model_output", "error": {"code": 3, "message": "Blocked by a safety filter."}});
    refused("interactions", json!({"status": "incomplete", "steps": [step]}));
}

#[test]
fn a_response_without_a_picture_is_retried() {
    for (api, body) in [
        ("generate-content", json!({})),
        (
            "generate-content",
            json!({"candidates": [{"finishReason": "IMAGE_OTHER"}]}),
        ),
        (
            "generate-content",
            json!({"candidates": [{"finishReason": "STOP", "content": {"parts": [{"text": "a"}]}}]}),
        ),
        ("interactions", json!({"status": "completed"})),
    ] {
        assert!(
            matches!(answer(api, 200, body.clone()), Err(Failure::Other(_))),
            "{body}"
        );
    }
}

#[test]
fn details_contain_the_time_to_wait_and_the_reason_for_a_rejected_key() {
    let error = |details| json!({"error": {"code": 1, "status": "X", "message": "m", "details": details}});
    let limited = answer(
        "interactions",
        429,
        error(json!([{"@type": "QuotaFailure"}, {"retryDelay": "33.4s"}])),
    );
    assert_eq!(limited.unwrap_err(), Failure::RateLimited(Some(34)));
    let limited = answer("interactions", 429, error(json!([])));
    assert_eq!(limited.unwrap_err(), Failure::RateLimited(None));
    let refused = answer("generate-content", 400, error(json!([{"reason": "API_KEY_INVALID"}])));
    assert!(matches!(refused, Err(Failure::Unavailable(text)) if text.contains("key")));
    let invalid = answer("generate-content", 400, error(json!([])));
    assert!(matches!(invalid, Err(Failure::Invalid(_))));
}

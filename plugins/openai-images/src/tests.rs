//! Tests of the requests that are sent, and of how the API's responses are classified.

use linepress_plugin_sdk::testing::{self, Reply, draw_request, refine_request};

use super::*;

/// Draws with these settings, and returns the request that was sent.
fn sent(settings: Value, references: u8) -> Request {
    sent_for(settings, &draw_request(references))
}

fn sent_for(settings: Value, request: &DrawRequest) -> Request {
    testing::set_settings(settings);
    let drawing = data_url::to_base64(b"\x89PNG\r\n\x1a\n");
    testing::reply(Reply::json(200, json!({"data": [{"b64_json": drawing}]})));
    draw(request).unwrap();
    testing::requests().pop().unwrap()
}

fn body(settings: Value) -> Value {
    serde_json::from_slice(&sent(settings, 0).body).unwrap()
}

#[test]
fn the_size_depends_on_the_model() {
    for (settings, size) in [
        (json!({"model": "gpt-image-2"}), "1152x1536"),
        (json!({"model": "gpt-image-1.5"}), "1024x1536"),
        (json!({"model": "gpt-image-1-mini", "sizes": "any"}), "1152x1536"),
        (json!({"model": "sd", "sizes": "fixed"}), "1024x1536"),
    ] {
        assert_eq!(body(settings.clone())["size"], size, "{settings}");
    }
}

#[test]
fn parameters_change_the_request() {
    let settings = json!({"model": "m", "quality": "low", "parameters": {"steps": 4}, "omit": ["output_format"]});
    let body = body(settings);
    assert_eq!(body["quality"], "low");
    assert_eq!(body["steps"], 4);
    assert_eq!(body.get("output_format"), None);
    assert_eq!(body.get("response_format"), None, "GPT models reject it");
}

#[test]
fn a_picture_to_change_is_sent_first_with_the_instruction() {
    let json = sent_for(json!({"model": "m", "edits": "json"}), &refine_request(1));
    assert!(json.url.ends_with("/images/edits"));
    let body: Value = serde_json::from_slice(&json.body).unwrap();
    assert_eq!(body["images"][0]["image_url"], "data:image/jpeg;base64,/9j/");
    assert!(
        body["prompt"]
            .as_str()
            .unwrap()
            .contains("Change it as follows: Remove the key.")
    );
    let form = sent_for(json!({"model": "m"}), &refine_request(0));
    let text = String::from_utf8_lossy(&form.body).into_owned();
    assert!(text.contains("name=\"image\"; filename=\"reference-0.jpeg\""), "{text}");
}

#[test]
fn references_are_sent_according_to_the_setting() {
    let json = sent(json!({"model": "m", "edits": "json"}), 2);
    assert!(json.url.ends_with("/images/edits"));
    let body: Value = serde_json::from_slice(&json.body).unwrap();
    assert_eq!(body["images"][1]["image_url"], "data:image/png;base64,iVBORw0KGgoC");
    assert_eq!(body["size"], "1024x1536");

    let form = sent(json!({"model": "m"}), 2);
    let text = String::from_utf8_lossy(&form.body).into_owned();
    assert!(
        text.contains("name=\"image[]\"; filename=\"reference-1.png\""),
        "{text}"
    );
    assert!(text.contains("name=\"n\"\r\n\r\n1\r\n"), "{text}");
    assert!(text.contains("name=\"size\"\r\n\r\n1152x1536\r\n"), "{text}");

    let none = sent(json!({"model": "m", "edits": "none"}), 2);
    assert!(none.url.ends_with("/images/generations"));
}

#[test]
fn error_codes_of_the_api_are_classified() {
    testing::set_settings(json!({"model": "m"}));
    let failure = |status, error: Value| {
        testing::reply(Reply::json(status, json!({"error": error})).header("retry-after", "9"));
        draw(&draw_request(0)).unwrap_err()
    };
    assert!(matches!(
        failure(400, json!({"code": "moderation_blocked"})),
        Failure::Refused(_)
    ));
    assert!(matches!(
        failure(400, json!({"type": "image_generation_user_error"})),
        Failure::Refused(_)
    ));
    assert!(matches!(
        failure(400, json!({"code": "invalid_value"})),
        Failure::Invalid(_)
    ));
    assert!(
        matches!(failure(404, json!({"code": "model_not_found"})), Failure::Unavailable(text) if text.contains("`model`"))
    );
    assert_eq!(
        failure(429, json!({"code": "rate_limit_exceeded"})),
        Failure::RateLimited(Some(9))
    );
    assert!(matches!(
        failure(429, json!({"code": "insufficient_quota"})),
        Failure::Unavailable(_)
    ));
}

#[test]
fn a_response_without_a_picture_is_retried() {
    testing::set_settings(json!({"model": "m"}));
    for answer in [
        json!({}),
        json!({"data": []}),
        json!({"data": [{}]}),
        json!({"data": [{"b64_json": ""}]}),
    ] {
        testing::reply(Reply::json(200, answer.clone()));
        assert!(matches!(draw(&draw_request(0)), Err(Failure::Other(_))), "{answer}");
    }
}

#[test]
fn a_missing_model_is_named() {
    let failure = draw(&draw_request(0)).unwrap_err();
    assert!(matches!(failure, Failure::Unavailable(text) if text.contains("`model`")));
}

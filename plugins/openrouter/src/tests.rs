//! Tests of the requests that are sent, and of how the API's responses are classified.

use linepress_plugin_sdk::testing::{self, Reply, draw_request};

use super::*;

fn answer(status: u16, body: Value) -> Result<Drawing, Failure> {
    testing::set_settings(json!({"model": "maker/painter"}));
    testing::reply(Reply::json(status, body).header("retry-after", "5"));
    draw(&draw_request(2))
}

#[test]
fn a_drawing_has_its_model_and_cost() {
    let image = json!({"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBORw0KGgo="}});
    let drawing = answer(
        200,
        json!({
            "model": "maker/painter-2",
            "choices": [{"message": {"content": "", "images": [image]}, "finish_reason": "stop"}],
            "usage": {"cost": 0.0387},
        }),
    );
    let extra = [("model", "maker/painter-2"), ("cost-usd", "0.0387")];
    assert_eq!(
        drawing.unwrap().extra,
        extra.map(|(name, value)| (name.to_owned(), value.to_owned()))
    );
    let body: Value = serde_json::from_slice(&testing::requests()[0].body).unwrap();
    assert_eq!(body["image_config"]["aspect_ratio"], "3:4");
    assert_eq!(body["modalities"], json!(["image", "text"]));
    assert_eq!(
        body["messages"][0]["content"][2]["image_url"]["url"],
        "data:image/png;base64,iVBORw0KGgoC"
    );
}

#[test]
fn an_error_in_a_response_with_status_200_determines_the_status() {
    let error = |code| json!({"code": code, "message": "words"});
    assert_eq!(
        answer(200, json!({"error": error(429)})).unwrap_err(),
        Failure::RateLimited(Some(5))
    );
    let broken = answer(
        200,
        json!({"choices": [{"error": error(502), "finish_reason": "error"}]}),
    );
    assert!(matches!(broken, Err(Failure::Unavailable(text)) if text.contains("words")));
}

#[test]
fn a_flagged_prompt_is_distinguished_from_a_rejected_key() {
    let flagged = json!({"error": {"code": 403, "message": "flagged", "metadata": {"reasons": ["violence"]}}});
    assert!(matches!(answer(403, flagged), Err(Failure::Refused(text)) if text.contains("violence")));
    let key = json!({"error": {"code": 403, "message": "Key limit exceeded"}});
    assert!(matches!(answer(403, key), Err(Failure::Unavailable(_))));
}

#[test]
fn a_response_without_a_picture_is_refused_or_retried() {
    let choice = |choice| answer(200, json!({"choices": [choice]})).unwrap_err();
    assert!(matches!(
        choice(json!({"finish_reason": "content_filter"})),
        Failure::Refused(_)
    ));
    assert!(matches!(
        choice(json!({"message": {"refusal": "No."}})),
        Failure::Refused(_)
    ));
    assert!(matches!(
        choice(json!({"message": {"content": "A fox."}, "finish_reason": "stop"})),
        Failure::Other(_)
    ));
    assert!(matches!(answer(200, json!({})), Err(Failure::Other(_))));
}

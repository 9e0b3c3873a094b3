//! Tests of the requests that are sent, and of how the API's responses are classified.

use linepress_plugin_sdk::testing::{self, Reply, draw_request};

use super::*;

const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\n";

fn answer(settings: Value, result: Reply) -> Result<Drawing, Failure> {
    answer_with(settings, [result])
}

/// Draws while the API returns two statuses of the request, and then these replies.
fn answer_with<const COUNT: usize>(settings: Value, replies: [Reply; COUNT]) -> Result<Drawing, Failure> {
    testing::set_settings(settings);
    let address = "https://queue.fal.run/maker/painter/requests/1";
    testing::reply(Reply::json(
        200,
        json!({"request_id": "1", "status_url": format!("{address}/status"), "response_url": address}),
    ));
    testing::reply(Reply::json(202, json!({"status": "IN_QUEUE", "queue_position": 3})));
    testing::reply(Reply::json(200, json!({"status": "COMPLETED"})));
    replies.into_iter().for_each(testing::reply);
    draw(&draw_request(2))
}

fn model() -> Value {
    json!({"model": "maker/painter/turbo"})
}

fn sent() -> (String, Value) {
    let request = testing::requests().into_iter().next().unwrap();
    assert!(request.headers.contains(&("x-fal-no-retry".into(), "1".into())));
    (request.url, serde_json::from_slice(&request.body).unwrap())
}

#[test]
fn a_picture_is_downloaded_from_its_url() {
    let output = json!({"images": [{"url": "https://v3.fal.media/files/1.png"}], "has_nsfw_concepts": [false]});
    let drawing = answer_with(model(), [Reply::json(200, output), Reply::new(200, PICTURE)]);
    assert_eq!(drawing.unwrap().image.bytes, PICTURE);
    assert_eq!(testing::requests()[4].url, "https://v3.fal.media/files/1.png");
}

#[test]
fn pictures_of_characters_are_sent_to_the_edit_model() {
    let inline = |name: &str| Reply::json(200, json!({name: {"url": "data:image/png;base64,iVBORw0KGgo="}}));
    let settings = json!({
        "model": "maker/painter", "edit_model": "maker/painter/edit", "references_as": "image_url",
        "size_as": "aspect_ratio", "omit": ["num_images"],
    });
    let drawing = answer(settings, inline("image")).unwrap();
    assert_eq!(drawing.image.bytes, PICTURE);
    assert_eq!(drawing.extra, [("model".to_owned(), "maker/painter/edit".to_owned())]);
    let (url, body) = sent();
    assert_eq!(url, "https://queue.fal.run/maker/painter/edit");
    assert_eq!(body["image_url"], "data:image/png;base64,iVBORw0KGgoB");
    assert_eq!(body["aspect_ratio"], "3:4");
    assert_eq!((body.get("image_size"), body.get("num_images")), (None, None));
}

#[test]
fn without_an_edit_model_characters_are_described() {
    let output = json!({"images": [{"url": "data:image/png;base64,iVBORw0KGgo="}]});
    answer(model(), Reply::json(200, output)).unwrap();
    let (url, body) = sent();
    assert_eq!(url, "https://queue.fal.run/maker/painter/turbo");
    assert_eq!(body["image_size"], json!({"width": 1152, "height": 1536}));
    assert_eq!(body.get("image_urls"), None);
}

#[test]
fn failures_of_a_request_are_classified() {
    let detail = |kind: &str| json!({"detail": [{"loc": ["body"], "msg": "words", "type": kind}]});
    let refused = answer(model(), Reply::json(422, detail("content_policy_violation")));
    assert!(matches!(refused, Err(Failure::Refused(_))));
    let invalid = answer(model(), Reply::json(422, detail("string_too_long")));
    assert!(matches!(invalid, Err(Failure::Invalid(_))));
    let again = Reply::json(422, detail("image_load_error")).header("x-fal-retryable", "true");
    assert!(matches!(answer(model(), again), Err(Failure::Other(_))));
    let down = Reply::json(
        504,
        json!({"detail": "Request timed out", "error_type": "request_timeout"}),
    );
    assert!(matches!(answer(model(), down), Err(Failure::Unavailable(_))));
    let broke = Reply::json(403, json!({"detail": "User is locked. Reason: Exhausted balance."}));
    assert!(matches!(answer(model(), broke), Err(Failure::Unavailable(text)) if text.contains("no credit")));
    let black = json!({"images": [{"url": "https://v3.fal.media/1.png"}], "has_nsfw_concepts": [true]});
    assert!(matches!(
        answer(model(), Reply::json(200, black)),
        Err(Failure::Refused(_))
    ));
}

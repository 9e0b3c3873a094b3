//! Tests of the requests that are sent, and of how the API's responses are classified.

use linepress_plugin_sdk::testing::{self, Reply, draw_request};

use super::*;

const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\n";

fn settings() -> Value {
    json!({
        "workflow": {"1": {"inputs": {"text": "{{prompt}}"}}},
        "workflow_with_references": {"1": {"inputs": {"image": "{{reference_1}}", "text": "{{prompt}}"}}},
    })
}

/// Draws with this entry in the history.
fn answer(entry: Value, references: u8) -> Result<Drawing, Failure> {
    testing::set_settings(settings());
    if references > 0 {
        testing::reply(Reply::json(
            200,
            json!({"name": "a.png", "subfolder": "linepress", "type": "input"}),
        ));
    }
    testing::reply(Reply::json(
        200,
        json!({"prompt_id": "p1", "number": 1, "node_errors": {}}),
    ));
    testing::reply(Reply::json(200, json!({})));
    testing::reply(Reply::json(200, json!({"p1": entry})));
    testing::reply(Reply::new(200, PICTURE));
    draw(&draw_request(references))
}

fn done() -> Value {
    let preview = json!({"filename": "x.png", "subfolder": "", "type": "temp"});
    let saved = json!({"filename": "p 1.png", "subfolder": "a&b", "type": "output"});
    json!({
        "outputs": {"8": {"images": [preview]}, "9": {"images": [saved]}, "10": {"text": ["a"]}},
        "status": {"status_str": "success", "completed": true},
    })
}

#[test]
fn the_workflow_is_queued_and_its_saved_picture_is_fetched() {
    let drawing = answer(done(), 0).unwrap();
    assert_eq!(drawing.extra, [("model".to_owned(), "comfyui".to_owned())]);
    let requests = testing::requests();
    let urls: Vec<_> = requests
        .iter()
        .map(|request| request.url.trim_start_matches("http://127.0.0.1:8188/"))
        .collect();
    assert_eq!(
        urls,
        [
            "prompt",
            "history/p1",
            "history/p1",
            "view?filename=p%201.png&subfolder=a%26b&type=output"
        ]
    );
    let body: Value = serde_json::from_slice(&requests[0].body).unwrap();
    assert!(
        body["prompt"]["1"]["inputs"]["text"]
            .as_str()
            .unwrap()
            .contains("A fox finds a key")
    );
}

#[test]
fn pictures_of_characters_are_uploaded() {
    answer(done(), 1).unwrap();
    let requests = testing::requests();
    let upload = String::from_utf8_lossy(&requests[0].body).into_owned();
    assert!(requests[0].url.ends_with("/upload/image"));
    assert!(
        upload.contains("name=\"image\"; filename=\"") && upload.contains("name=\"overwrite\""),
        "{upload}"
    );
    let body: Value = serde_json::from_slice(&requests[1].body).unwrap();
    assert_eq!(body["prompt"]["1"]["inputs"]["image"], "linepress/a.png");
}

#[test]
fn a_failed_workflow_is_retried_and_its_message_is_reported() {
    let error = json!(["execution_error", {"node_type": "KSampler", "exception_message": "out of memory"}]);
    let failed = json!({"status": {"status_str": "error", "messages": [["execution_start", {}], error]}});
    assert!(matches!(answer(failed, 0), Err(Failure::Other(text)) if text.contains("out of memory")));
}

#[test]
fn a_workflow_without_a_saved_picture_is_reported() {
    let nothing = json!({"outputs": {}, "status": {"status_str": "success"}});
    assert!(matches!(answer(nothing, 0), Err(Failure::Other(text)) if text.contains("saves")));
}

#[test]
fn a_rejected_workflow_makes_the_provider_unavailable() {
    testing::set_settings(settings());
    let error = json!({"type": "prompt_no_outputs", "message": "Prompt has no outputs"});
    testing::reply(Reply::json(
        400,
        json!({"error": error, "node_errors": {"1": "no model"}}),
    ));
    let failure = draw(&draw_request(0)).unwrap_err();
    assert!(matches!(failure, Failure::Unavailable(text) if text.contains("workflow") && text.contains("no model")));
}

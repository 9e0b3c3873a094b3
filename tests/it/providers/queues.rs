//! APIs that queue a request and draw later: FLUX, fal and ComfyUI.
use futures::future::join_all;
use linepress_plugin_host::CallError;
use serde_json::{Value, json};

use super::apis::{Api, COMFYUI, FAL, FLUX};
use super::plugin_under_test::{PluginUnderTest, reference};
use super::replies::{PICTURE, Reply, assert_includes, base64};
use crate::test_app::Page;

#[derive(Clone, Copy)]
struct Queue {
    api: &'static Api,
    /// The path that returns the progress.
    status: &'static str,
    picture: &'static str,
}

const QUEUES: [Queue; 3] = [
    Queue {
        api: &FLUX,
        status: "/v1/get_result?id=t1",
        picture: "/results/t1.png?se=2026&sig=abc",
    },
    Queue {
        api: &FAL,
        status: "/maker/painter/requests/r1/status",
        picture: "/files/r1.png",
    },
    Queue {
        api: &COMFYUI,
        status: "/history/p1",
        picture: "/view?filename=page_00001_.png&subfolder=&type=output",
    },
];

#[tokio::test]
async fn flux_is_polled_at_its_address_and_its_picture_is_fetched() {
    let plugin = PluginUnderTest::for_api(&FLUX).await;
    plugin.succeeds_but([]);
    let drawing = plugin.draw(2).await.unwrap();
    assert_eq!(drawing.bytes, PICTURE);
    assert_eq!(
        (drawing.model.as_deref(), drawing.cost_microdollars),
        (Some("flux-2-pro"), Some(45_000))
    );
    let received = plugin.received();
    let [ask, first, second, picture] = &received[..] else {
        panic!("{:?}", plugin.lines())
    };
    let expected = json!({
        "width": 1152, "height": 1536, "seed": 7, "output_format": "png",
        "input_image": base64(&reference(1).bytes), "input_image_2": base64(&reference(2).bytes),
    });
    assert_includes(&ask.json(), &expected);
    for poll in [first, second] {
        assert_eq!(poll.line(), "GET /v1/get_result?id=t1");
        assert_eq!(poll.header("host"), Some("api.eu1.bfl.ai"));
        assert_eq!(poll.header("x-key"), Some("s3cret"));
    }
    assert_eq!(picture.header("host"), Some("delivery-eu1.bfl.ai"));
    assert_eq!(picture.header("x-key"), None, "the key goes to the API alone");
}

#[tokio::test]
async fn fal_is_polled_at_its_address_and_its_picture_is_fetched() {
    let plugin = PluginUnderTest::for_api(&FAL).await;
    plugin.succeeds_but([]);
    assert_eq!(plugin.draw(1).await.unwrap().bytes, PICTURE);
    let received = plugin.received();
    let [ask, _, status, result, picture] = &received[..] else {
        panic!("{:?}", plugin.lines())
    };
    assert_eq!(ask.line(), "POST /maker/painter/edit");
    assert_eq!(ask.header("x-fal-no-retry"), Some("1"));
    let url = format!("data:image/png;base64,{}", base64(&reference(1).bytes));
    let expected = json!({
        "image_size": {"width": 1152, "height": 1536}, "image_urls": [url], "output_format": "png", "num_images": 1,
    });
    assert_includes(&ask.json(), &expected);
    for request in [status, result] {
        assert_eq!(request.header("authorization"), Some("Key s3cret"));
    }
    assert_eq!(picture.header("host"), Some("v3.fal.media"));
    assert_eq!(picture.header("authorization"), None, "the key goes to the API alone");
}

#[tokio::test]
async fn comfyui_runs_the_operators_workflow() {
    let plugin = PluginUnderTest::for_api(&COMFYUI).await;
    plugin.succeeds_but([]);
    assert_eq!(plugin.draw(1).await.unwrap().bytes, PICTURE);
    let received = plugin.received();
    let [upload, ask, ..] = &received[..] else {
        panic!("{:?}", plugin.lines())
    };
    assert_eq!(upload.line(), "POST /upload/image");
    for part in [
        "name=\"image\"; filename=\"",
        "content-type: image/png",
        "name=\"subfolder\"\r\n\r\nlinepress\r\n",
    ] {
        assert!(upload.body.contains(part), "{part}: {}", upload.body);
    }
    let expected = json!({"prompt": {
        "1": {"inputs": {"image": "linepress/fox.png"}},
        "5": {"inputs": {"width": 1152, "height": 1536}},
        "6": {"class_type": "CLIPTextEncode", "inputs": {"clip": ["4", 1]}},
    }});
    let sent = ask.json();
    assert_includes(&sent, &expected);
    let text = sent["prompt"]["6"]["inputs"]["text"].as_str().unwrap();
    assert!(text.contains("A fox finds a key in the snow"), "{text}");
}

#[tokio::test]
async fn the_outcomes_of_a_queued_request_are_distinguished() {
    let flux = |status: &str| Reply::json(200, &json!({"id": "t1", "status": status, "result": null}));
    let detail = |kind: &str| json!({"detail": [{"loc": ["body", "prompt"], "msg": "words", "type": kind}]});
    let fal = |status, body: &Value| Reply::json(status, body);
    let black = json!({"images": [{"url": "https://v3.fal.media/files/r1.png"}], "has_nsfw_concepts": [true]});
    let error = json!(["execution_error", {"node_type": "KSampler", "exception_message": "out of memory"}]);
    let broken = json!({"p1": {"outputs": {}, "status": {"status_str": "error", "messages": [error]}}});
    let result = "/maker/painter/requests/r1";
    for (api, path, reply, expected) in [
        (&FLUX, QUEUES[0].status, flux("Request Moderated"), "refused"),
        (&FLUX, QUEUES[0].status, flux("Content Moderated"), "refused"),
        (&FLUX, QUEUES[0].status, flux("Error"), "failed"),
        (&FLUX, QUEUES[0].status, flux("Task not found"), "failed"),
        (&FAL, result, fal(422, &detail("content_policy_violation")), "refused"),
        (&FAL, result, fal(200, &black), "refused: the model's safety checker"),
        (&FAL, result, fal(422, &detail("string_too_long")), "invalid request"),
        (
            &FAL,
            result,
            fal(422, &detail("file_download_error")).header("X-Fal-Retryable", "true"),
            "failed",
        ),
        (
            &FAL,
            result,
            fal(504, &json!({"detail": "Request timed out"})).header("X-Fal-Error-Type", "request_timeout"),
            "unavailable",
        ),
        (
            &COMFYUI,
            QUEUES[2].status,
            Reply::json(200, &broken),
            "failed: the workflow failed: \"KSampler\" \"out of memory\"",
        ),
        (
            &COMFYUI,
            "/prompt",
            Reply::json(
                400,
                &json!({"error": {"type": "prompt_no_outputs", "message": "none"}, "node_errors": {}}),
            ),
            "unavailable: ComfyUI rejects the workflow",
        ),
    ] {
        let plugin = PluginUnderTest::for_api(api).await;
        plugin.succeeds_but([(path, vec![reply.page()])]);
        let error = plugin.draw(0).await.unwrap_err().to_string();
        assert!(error.starts_with(expected), "{}: {error}", api.plugin);
    }
}

/// Checks that a picture that cannot be fetched fails this drawing, which is retried.
async fn draws_again(Queue { api, picture, .. }: Queue) {
    let plugin = PluginUnderTest::for_api(api).await;
    for (reply, expected) in [
        (Reply::bytes(403, b"<Error>AccessDenied</Error>"), "failed: GET"),
        (Reply::bytes(404, b""), "failed: GET"),
        (Reply::bytes(200, b""), "failed: the API's picture is empty"),
        (Reply::bytes(200, b"<html>"), "failed: 6 bytes from the API"),
        (Reply::bytes(200, PICTURE).cut(), "unavailable: GET"),
    ] {
        plugin.succeeds_but([(picture, vec![reply.page()])]);
        let error = plugin.draw(0).await.unwrap_err().to_string();
        assert!(error.starts_with(expected), "{}: {error}", api.plugin);
    }
}

#[tokio::test]
async fn a_picture_that_cannot_be_fetched_is_drawn_again() {
    join_all(QUEUES.map(draws_again)).await;
}

/// Checks that one failed status request is tolerated, and three in a row are not.
async fn asks_again(Queue { api, status, .. }: Queue) {
    let plugin = PluginUnderTest::for_api(api).await;
    let busy = Reply::json(503, &json!({})).page();
    let pages = [vec![busy.clone()], statuses(api, status)].concat();
    plugin.succeeds_but([(status, pages)]);
    assert_eq!(plugin.draw(0).await.unwrap().bytes, PICTURE, "{}", api.plugin);

    plugin.succeeds_but([(status, vec![busy])]);
    let error = plugin.draw(0).await.unwrap_err();
    assert!(matches!(error, CallError::Unavailable(_)), "{}: {error:?}", api.plugin);
    let asked = plugin.lines().iter().filter(|line| line.ends_with(status)).count();
    assert_eq!(asked, 3, "{}", api.plugin);
}

#[tokio::test]
async fn a_failed_status_request_does_not_lose_a_paid_drawing() {
    join_all(QUEUES.map(asks_again)).await;
}

async fn gives_up_in_time(Queue { api, status, .. }: Queue) {
    let plugin = PluginUnderTest::with(api, &json!({"timeout_s": 2})).await;
    let waiting = statuses(api, status)[..1].to_vec();
    plugin.succeeds_but([(status, waiting)]);
    let error = plugin.draw(0).await.unwrap_err();
    let is_expected = matches!(&error, CallError::Unavailable(reason) if reason.contains("too long"));
    assert!(is_expected, "{}: {error:?}", api.plugin);
}

#[tokio::test]
async fn a_slow_drawing_is_given_up_before_the_deadline() {
    join_all(QUEUES.map(gives_up_in_time)).await;
}

/// Returns the successive status responses of a successful request; the first one says that it is waiting.
fn statuses(api: &Api, path: &str) -> Vec<Page> {
    let mut answers = (api.success)().into_iter();
    answers.find(|(known, _)| *known == path).unwrap().1
}

//! APIs that hand out a ticket and draw later: FLUX, fal and ComfyUI.
use linepress_plugin_host::CallError;
use serde_json::{Value, json};

use super::apis::{Api, COMFYUI, FAL, FLUX};
use super::bench::{Bench, reference};
use super::replies::{PICTURE, Reply, assert_includes, base64};

/// Where each of them says how far it is, and where its picture is.
const QUEUES: [(&Api, &str, &str); 3] = [
    (&FLUX, "/v1/get_result?id=t1", "/results/t1.png?se=2026&sig=abc"),
    (&FAL, "/maker/painter/requests/r1/status", "/files/r1.png"),
    (
        &COMFYUI,
        "/history/p1",
        "/view?filename=page_00001_.png&subfolder=&type=output",
    ),
];

#[tokio::test]
async fn flux_is_asked_where_it_says_and_its_picture_is_fetched() {
    let bench = Bench::of(&FLUX).await;
    bench.succeeds_but([]);
    assert_eq!(bench.draw(2).await.unwrap().bytes, PICTURE);
    let received = bench.received();
    let [ask, first, second, picture] = &received[..] else {
        panic!("{:?}", bench.lines())
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
async fn fal_is_asked_where_it_says_and_its_picture_is_fetched() {
    let bench = Bench::of(&FAL).await;
    bench.succeeds_but([]);
    assert_eq!(bench.draw(1).await.unwrap().bytes, PICTURE);
    let received = bench.received();
    let [ask, _, status, result, picture] = &received[..] else {
        panic!("{:?}", bench.lines())
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
    let bench = Bench::of(&COMFYUI).await;
    bench.succeeds_but([]);
    assert_eq!(bench.draw(1).await.unwrap().bytes, PICTURE);
    let received = bench.received();
    let [upload, ask, ..] = &received[..] else {
        panic!("{:?}", bench.lines())
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
async fn what_became_of_a_ticket_is_told_apart() {
    let flux = |status: &str| Reply::json(200, &json!({"id": "t1", "status": status, "result": null}));
    let detail = |kind: &str| json!({"detail": [{"loc": ["body", "prompt"], "msg": "words", "type": kind}]});
    let fal = |status, body: &Value| Reply::json(status, body);
    let black = json!({"images": [{"url": "https://v3.fal.media/files/r1.png"}], "has_nsfw_concepts": [true]});
    let error = json!(["execution_error", {"node_type": "KSampler", "exception_message": "out of memory"}]);
    let broken = json!({"p1": {"outputs": {}, "status": {"status_str": "error", "messages": [error]}}});
    let result = "/maker/painter/requests/r1";
    for (api, path, reply, expected) in [
        (&FLUX, QUEUES[0].1, flux("Request Moderated"), "refused"),
        (&FLUX, QUEUES[0].1, flux("Content Moderated"), "refused"),
        (&FLUX, QUEUES[0].1, flux("Error"), "failed"),
        (&FLUX, QUEUES[0].1, flux("Task not found"), "failed"),
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
            QUEUES[2].1,
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
            "unavailable: the workflow is refused",
        ),
    ] {
        let bench = Bench::of(api).await;
        bench.succeeds_but([(path, vec![reply.page()])]);
        let error = bench.draw(0).await.unwrap_err().to_string();
        assert!(error.starts_with(expected), "{}: {error}", api.plugin);
    }
}

#[tokio::test]
async fn a_picture_that_cannot_be_fetched_is_drawn_again() {
    for (api, _, picture) in QUEUES {
        let bench = Bench::of(api).await;
        for (reply, expected) in [
            (Reply::bytes(403, b"<Error>AccessDenied</Error>"), "failed: GET"),
            (Reply::bytes(404, b""), "failed: GET"),
            (Reply::bytes(200, b""), "failed: the API's picture is empty"),
            (Reply::bytes(200, b"<html>"), "failed: 6 bytes of the API"),
            (Reply::bytes(200, PICTURE).cut(), "unavailable: GET"),
        ] {
            bench.succeeds_but([(picture, vec![reply.page()])]);
            let error = bench.draw(0).await.unwrap_err().to_string();
            assert!(error.starts_with(expected), "{}: {error}", api.plugin);
        }
    }
}

#[tokio::test]
async fn a_failure_on_the_way_costs_no_drawing_that_is_paid_for() {
    for (api, status, _) in QUEUES {
        let bench = Bench::of(api).await;
        let (_, usual) = (api.success)().into_iter().find(|(path, _)| *path == status).unwrap();
        let busy = Reply::json(503, &json!({})).page();
        let pages = [vec![busy.clone()], usual].concat();
        bench.succeeds_but([(status, pages)]);
        assert_eq!(bench.draw(0).await.unwrap().bytes, PICTURE, "{}", api.plugin);

        bench.succeeds_but([(status, vec![busy])]);
        let error = bench.draw(0).await.unwrap_err();
        assert!(matches!(error, CallError::Unavailable(_)), "{}: {error:?}", api.plugin);
        let asked = bench.lines().iter().filter(|line| line.ends_with(status)).count();
        assert_eq!(asked, 3, "{}", api.plugin);
    }
}

#[tokio::test]
async fn a_drawing_that_takes_too_long_is_given_up_in_time() {
    for (api, status, _) in QUEUES {
        let bench = Bench::with(api, &json!({"timeout_s": 2})).await;
        let (_, usual) = (api.success)().into_iter().find(|(path, _)| *path == status).unwrap();
        bench.succeeds_but([(status, usual[..1].to_vec())]);
        let error = bench.draw(0).await.unwrap_err();
        let is_expected = matches!(&error, CallError::Unavailable(reason) if reason.contains("too long"));
        assert!(is_expected, "{}: {error:?}", api.plugin);
    }
}

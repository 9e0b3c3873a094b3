//! OpenAI's image API, and compatible servers.
use linepress_plugin_host::{CallError, Media};
use serde_json::json;

use super::apis::OPENAI_IMAGES;
use super::plugin_under_test::{PluginUnderTest, reference};
use super::replies::{PICTURE, Reply, assert_includes, base64};

const GENERATIONS: &str = "/v1/images/generations";
const EDITS: &str = "/v1/images/edits";

fn image() -> Reply {
    Reply::json(200, &json!({"created": 1, "data": [{"b64_json": base64(PICTURE)}]}))
}

#[tokio::test]
async fn openai_draws_a_page_in_its_own_size() {
    let plugin = PluginUnderTest::for_api(&OPENAI_IMAGES).await;
    plugin.answers([(GENERATIONS, vec![image().page()])]);
    let drawing = plugin.draw(0).await.unwrap();
    assert_eq!(
        (drawing.media_type.as_str(), drawing.bytes.as_slice()),
        ("image/png", PICTURE)
    );
    let sent = plugin.received()[0].json();
    let expected = json!({"model": "gpt-image-2", "n": 1, "size": "1152x1536", "output_format": "png"});
    assert_includes(&sent, &expected);
    let prompt = sent["prompt"].as_str().unwrap();
    assert!(
        prompt.contains("A fox finds a key in the snow") && prompt.contains("pure white"),
        "{prompt}"
    );
    assert_eq!(sent.get("response_format"), None);
}

#[tokio::test]
async fn openai_is_given_the_pictures_of_characters() {
    let plugin = PluginUnderTest::with(&OPENAI_IMAGES, &json!({"edits": "json"})).await;
    plugin.answers([(EDITS, vec![image().page()])]);
    plugin.draw(2).await.unwrap();
    let sent = plugin.received()[0].json();
    let url = |number| format!("data:image/png;base64,{}", base64(&reference(number).bytes));
    assert_eq!(sent["images"], json!([{"image_url": url(1)}, {"image_url": url(2)}]));

    let plugin = PluginUnderTest::for_api(&OPENAI_IMAGES).await;
    plugin.answers([(EDITS, vec![image().page()])]);
    plugin.draw(2).await.unwrap();
    let received = plugin.received();
    let content_type = received[0].header("content-type").unwrap();
    assert!(
        content_type.starts_with("multipart/form-data; boundary="),
        "{content_type}"
    );
    for part in [
        "name=\"prompt\"",
        "name=\"size\"\r\n\r\n1152x1536\r\n",
        "name=\"image[]\"; filename=\"reference-1.png\"",
    ] {
        assert!(received[0].body.contains(part), "{part}: {}", received[0].body);
    }
}

/// Far larger than a single read or write.
#[tokio::test]
async fn large_pictures_go_there_and_back() {
    let large = |number: u8| Media {
        media_type: "image/png".into(),
        bytes: [PICTURE, &vec![number; 5 << 20]].concat(),
    };
    let answer = json!({"created": 1, "data": [{"b64_json": base64(&large(3).bytes)}]});
    for edits in ["multipart", "json"] {
        let plugin = PluginUnderTest::with(&OPENAI_IMAGES, &json!({"edits": edits})).await;
        plugin.answers([(EDITS, vec![Reply::json(200, &answer).page()])]);
        let drawing = plugin.draw_from(vec![large(1), large(2)]).await.unwrap();
        assert!(
            drawing.bytes == large(3).bytes,
            "{edits}: {} bytes",
            drawing.bytes.len()
        );
        let sent = plugin.received()[0].body.len();
        assert!(sent > 10 << 20, "{edits}: {sent} bytes");
    }
}

#[tokio::test]
async fn a_compatible_server_may_give_the_address_of_a_picture() {
    let plugin = PluginUnderTest::for_api(&OPENAI_IMAGES).await;
    let answer = json!({"data": [{"url": "https://api.openai.com/files/1.png"}]});
    let answers = |file: Reply| {
        [
            (GENERATIONS, vec![Reply::json(200, &answer).page()]),
            ("/files/1.png", vec![file.page()]),
        ]
    };
    plugin.answers(answers(Reply::bytes(200, PICTURE)));
    assert_eq!(plugin.draw(0).await.unwrap().bytes, PICTURE);
    plugin.answers(answers(Reply::bytes(403, b"expired")));
    let error = plugin.draw(0).await.unwrap_err();
    assert!(
        matches!(&error, CallError::Failed(reason) if reason.contains("expired")),
        "{error:?}"
    );
}

#[tokio::test]
async fn openai_refuses_by_a_code() {
    let plugin = PluginUnderTest::for_api(&OPENAI_IMAGES).await;
    for (status, error, expected) in [
        (
            400,
            json!({"code": "moderation_blocked", "type": "image_generation_user_error"}),
            "refused",
        ),
        (
            400,
            json!({"code": "invalid_value", "type": "invalid_request_error", "param": "prompt"}),
            "invalid request",
        ),
        (
            429,
            json!({"code": "insufficient_quota", "type": "insufficient_quota"}),
            "unavailable",
        ),
        (
            404,
            json!({"code": "model_not_found", "type": "invalid_request_error"}),
            "unavailable",
        ),
    ] {
        plugin.answers([(GENERATIONS, vec![Reply::json(status, &json!({"error": error})).page()])]);
        let error = plugin.draw(0).await.unwrap_err().to_string();
        assert!(error.starts_with(expected), "{error}");
    }
}

#[tokio::test]
async fn an_answer_without_a_picture_is_a_failure_that_is_retried() {
    let plugin = PluginUnderTest::for_api(&OPENAI_IMAGES).await;
    for answer in [
        json!({"data": []}),
        json!({"data": [{"b64_json": ""}]}),
        json!({"data": [{"b64_json": base64(b"<svg>")}]}),
    ] {
        plugin.answers([(GENERATIONS, vec![Reply::json(200, &answer).page()])]);
        let error = plugin.draw(0).await.unwrap_err();
        assert!(matches!(error, CallError::Failed(_)), "{answer}: {error:?}");
    }
}

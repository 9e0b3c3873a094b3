//! Request bodies: those that are not understood cost nothing.
use axum::body::Body;
use linepress_platform::scopes::Scopes;
use serde_json::json;

use crate::test_app::TestApp;

#[tokio::test]
async fn a_typo_does_not_cost_a_credit() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let error = ada
        .generate(
            "/pages",
            "k1",
            &json!({"page": {"title": "A fox", "promt": "A red fox"}}),
        )
        .await
        .expect_error(422, "validation_failed");
    assert_eq!(error["details"][0]["field"], "page.promt");
    assert_eq!(ada.credits().await, 5);
}

#[tokio::test]
async fn a_body_of_something_other_than_objects_costs_nothing() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    for (body, field) in [
        (json!([["A fox"]]), "body"),
        (json!("A fox"), "body"),
        (json!({"page": ["A fox"]}), "page"),
        (json!({"page": "A fox"}), "page"),
        (json!({"page": null}), "page"),
    ] {
        let error = ada
            .generate("/pages", "k", &body)
            .await
            .expect_error(422, "validation_failed");
        assert_eq!(error["details"][0]["field"], field, "{body}");
    }
    let body = json!({"book": {"title": "B", "pages": [["page_1"], {"title": "A"}]}});
    ada.generate("/books", "k", &body)
        .await
        .expect_error(422, "validation_failed");
    let body = json!({"book": {"title": "B", "cover": ["A fox"], "pages": [{"title": "A"}]}});
    let error = ada
        .generate("/books", "k", &body)
        .await
        .expect_error(422, "validation_failed");
    assert_eq!(error["details"][0]["field"], "book.cover");
    assert_eq!(ada.credits().await, 5);
}

#[tokio::test]
async fn an_error_is_short_however_long_the_request() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let long = "x".repeat(50_000);
    for body in [
        json!({"page": {"title": "A", "aspect": long}}),
        json!({"page": {"title": "A", &long: 1}}),
    ] {
        let reply = ada.generate("/pages", "k", &body).await;
        reply.expect_error(422, "validation_failed");
        assert!(reply.body.len() < 2000, "{}", reply.body.len());
    }
}

#[tokio::test]
async fn a_request_that_takes_longer_than_the_limit_is_ended_and_leaves_nothing() {
    let app = TestApp::builder()
        .config(|config| config.request_timeout_seconds = 1)
        .start()
        .await;
    let ada = app.account(5).await;
    let headers = [("content-type", "application/json"), ("idempotency-key", "k")];
    let never = futures::stream::pending::<Result<bytes::Bytes, std::io::Error>>();
    let reply = ada.send("POST", "/pages", &headers, Body::from_stream(never)).await;
    reply.expect_error(503, "overloaded");
    assert_eq!(reply.header("retry-after"), "5");
    assert_eq!(reply.header("x-service-credits-available"), "5");
    assert_eq!(ada.get("/pages").await.expect(200)["pages"], json!([]));
    ada.generate("/pages", "k", &json!({"page": {"title": "A fox"}}))
        .await
        .expect(202);
}

#[tokio::test]
async fn web_pages_and_tools_time_out_on_a_body_that_never_arrives() {
    let app = TestApp::builder()
        .config(|config| config.request_timeout_seconds = 1)
        .start()
        .await;
    app.account(5).await;
    let token = app.grant("ada@example.com", Scopes::ALL, None).await.access_token;
    let form = [("content-type", "application/x-www-form-urlencoded")];
    let bearer = [("authorization", format!("Bearer {token}"))];
    let bearer = bearer.each_ref().map(|(name, value)| (*name, value.as_str()));
    for (address, headers) in [("/sign-in", &form[..]), ("/mcp", &bearer)] {
        let never = futures::stream::pending::<Result<bytes::Bytes, std::io::Error>>();
        let reply = app
            .anonymous()
            .send("POST", address, headers, Body::from_stream(never))
            .await;
        reply.expect_error(503, "overloaded");
    }
}

/// The memory that a body takes depends on the number of its values.
#[tokio::test]
async fn a_body_of_more_values_than_any_request_has_is_not_read() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let body = vec![json!({"": 0}); 10_000];
    ada.generate("/books", "k", &json!(body))
        .await
        .expect_error(413, "payload_too_large");
    assert_eq!(ada.credits().await, 5);
}

#[tokio::test]
async fn the_size_limit_of_a_body_depends_on_its_operation() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let space = " ".repeat(100_000);
    let headers = [("content-type", "application/json"), ("idempotency-key", "k")];
    for (path, body, status) in [
        ("/pages", format!(r#"{{"page": {{"title": "A"}}}}{space}"#), 413),
        (
            "/book_plans",
            format!(r#"{{"book_plan": {{"theme": "A", "page_count": 1}}}}{space}"#),
            413,
        ),
        (
            "/books",
            format!(r#"{{"book": {{"title": "A", "pages": [{{"title": "A"}}]}}}}{space}"#),
            202,
        ),
    ] {
        assert_eq!(
            ada.send("POST", path, &headers, body.into()).await.status,
            status,
            "{path}"
        );
    }
}

#[tokio::test]
async fn a_duplicate_field_is_refused_by_its_name() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let headers = [("content-type", "application/json"), ("idempotency-key", "k")];
    let body = r#"{"page": {"title": "A fox", "title": "An owl"}}"#;
    let error = ada.send("POST", "/pages", &headers, body.into()).await;
    let error = error.expect_error(400, "invalid_request");
    assert_eq!(error["message"], r#"The body repeats the field "title" in one object."#);
    assert_eq!(ada.credits().await, 5);
}

#[tokio::test]
async fn a_validation_error_says_what_is_allowed() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    for (path, body, field, message) in [
        (
            "/pages",
            json!({"page": {"title": "A", "aspect": "diagonal"}}),
            "page.aspect",
            "must be one of square, portrait, landscape",
        ),
        (
            "/pages",
            json!({"page": {"title": "A", "aspect": {"square": null}}}),
            "page.aspect",
            "must be one of square, portrait, landscape",
        ),
        (
            "/pages",
            json!({"page": {"titel": "A"}}),
            "page.titel",
            "is not known here; the fields are title, prompt, caption, aspect, character_ids, source_upload_id, variants, line_weight, detail, style, frame",
        ),
        (
            "/characters",
            json!({"character": {"nmae": "A"}}),
            "character.nmae",
            "is not known here; the fields are name, description, style, public_preview, source_upload_id, variants",
        ),
        (
            "/pages",
            json!({"page": {"title": 7}}),
            "page.title",
            "must be a string, not this number",
        ),
        (
            "/book_plans",
            json!({"book_plan": {"theme": "Woods", "page_count": "two"}}),
            "book_plan.page_count",
            "must be a whole number from 1, not a string",
        ),
        (
            "/book_plans",
            json!({"book_plan": {"theme": "Woods", "page_count": 5_000_000_000_u64}}),
            "book_plan.page_count",
            "is too large",
        ),
        (
            "/pages",
            json!({"page": {"title": "A \u{202E}fox"}}),
            "page.title",
            "must not contain invisible characters that control the text, such as U+202E",
        ),
        (
            "/book_plans",
            json!({"book_plan": {"theme": "Woods", "page_count": 101}}),
            "book_plan.page_count",
            "must be 1 to 100",
        ),
        (
            "/books",
            json!({"book": {"title": "Woods", "pages": []}}),
            "book.pages",
            "must be 1 to 100 pages",
        ),
        (
            "/books",
            json!({"book": {"title": "Woods", "pages": {}}}),
            "book.pages",
            "must be a list, not an object",
        ),
        (
            "/books",
            json!({"book": {"title": "Woods", "pages": [{}]}}),
            "book.pages[0].title",
            "is required, or a page_id in its place",
        ),
        ("/characters", json!({}), "character", "is required"),
        (
            "/characters",
            json!({"character": {"name": "Pip", "public_preview": "yes"}}),
            "character.public_preview",
            "must be true or false, not a string",
        ),
    ] {
        let error = ada.generate(path, "k", &body).await;
        let error = error.expect_error(422, "validation_failed");
        let detail = &error["details"][0];
        assert_eq!(
            (detail["field"].as_str(), detail["message"].as_str()),
            (Some(field), Some(message)),
            "{body}"
        );
    }
    assert_eq!(ada.credits().await, 5);
}

#[tokio::test]
async fn each_field_has_one_validation_error() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let body = json!({"book": {
        "title": "", "author": "\n", "cover": {"prompt": ""},
        "pages": [{"title": "", "caption": "\n"}, {}, {"title": "A", "prompt": " "}],
    }});
    let reply = ada.generate("/books", "k", &body).await;
    reply.expect_fields(&[
        "book.author",
        "book.cover.prompt",
        "book.pages[0].caption",
        "book.pages[0].title",
        "book.pages[1].title",
        "book.pages[2].prompt",
        "book.title",
    ]);
    assert_eq!(
        reply.json()["error"]["details"][6]["message"],
        "must be 1 to 200 characters"
    );
}

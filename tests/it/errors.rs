//! Section 7 of the specification: the table of errors, row by row, and its rules.
//!
//! Errors that need a separate table are tested with that table: 401, 403 and 404 for every operation in `coverage`;
//! 402 and 409 for every generation in `generation`; 400 for every list in `lists`; 422 for every limit in `limits`.
use std::collections::BTreeSet;

use axum::body::Body;
use serde_json::{Value, json};

use crate::test_app::{Actor, Form, Reply, TestApp, pictures};

async fn send_page(actor: &Actor, kind: &str, body: &str) -> Reply {
    let headers = [("content-type", kind), ("idempotency-key", "k1")];
    actor
        .send("POST", "/pages", &headers, Body::from(body.to_owned()))
        .await
}

#[tokio::test]
async fn malformed_json_a_malformed_header_or_parameter_and_an_unknown_format_are_400() {
    let app = TestApp::start().await;
    let ada = app.account(4).await;
    for body in [
        "{",
        "",
        "fox",
        r#"{"page": {"title": "A fox"}} {}"#,
        "{\"page\": {\"title\": \"\u{0}\"}}",
    ] {
        send_page(&ada, "application/json", body)
            .await
            .expect_error(400, "invalid_request");
    }
    send_page(
        &ada,
        "application/json; charset=utf-8",
        r#"{"page": {"title": "A fox"}}"#,
    )
    .await
    .expect(202);
    let kind = [("content-type", "multipart/form-data")];
    ada.send("POST", "/pages/import", &kind, "x".into())
        .await
        .expect_error(400, "invalid_request");
    ada.get("/operations?status=lost")
        .await
        .expect_error(400, "invalid_request");
    let book = app.ready_book(&ada, &["A fox"]).await;
    for query in ["format=broadsheet", "format=", "format=a4&format=a4"] {
        ada.get(&format!("/books/{book}/pdf?{query}"))
            .await
            .expect_error(400, "invalid_request");
    }
}

#[tokio::test]
async fn an_invalid_limit_or_cursor_is_400() {
    let app = TestApp::start().await;
    let ada = app.account(0).await;
    for bad in ["limit=0", "limit=101", "limit=ten", "after=forged"] {
        ada.get(&format!("/books?{bad}"))
            .await
            .expect_error(400, "invalid_pagination");
    }
}

#[tokio::test]
async fn an_unknown_route_is_404() {
    let app = TestApp::start().await;
    let ada = app.account(4).await;
    for path in ["/nowhere", "/pages/one/two", "/me/", "/pages/none/pdf"] {
        ada.get(path).await.expect_error(404, "not_found");
    }
    app.anonymous().get("/api/v2/me").await.expect_error(404, "not_found");
}

#[tokio::test]
async fn a_method_that_is_not_allowed_is_405_with_an_allow_header() {
    let app = TestApp::start().await;
    let ada = app.account(4).await;
    for (method, path, allowed) in [
        ("DELETE", "/me", &["GET"][..]),
        ("PATCH", "/pages", &["GET", "POST"]),
        ("POST", "/books/book_1", &["GET", "PATCH", "PUT", "DELETE"]),
        ("PUT", "/books/book_1/pages/order", &["PATCH"]),
    ] {
        let reply = ada.send(method, path, &[], Body::empty()).await;
        reply.expect_error(405, "method_not_allowed");
        for allowed in allowed {
            assert!(
                reply.header("allow").contains(allowed),
                "{method} {path}: {}",
                reply.header("allow")
            );
        }
    }
}

#[tokio::test]
async fn a_body_that_is_too_large_is_413() {
    let app = TestApp::start().await;
    let ada = app.account(4).await;
    send_page(&ada, "application/json", &" ".repeat(4 * 1024 * 1024 + 1))
        .await
        .expect_error(413, "payload_too_large");
}

#[tokio::test]
async fn a_body_that_is_not_json_is_415() {
    let app = TestApp::start().await;
    let ada = app.account(4).await;
    for kind in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
    ] {
        send_page(&ada, kind, r#"{"page": {"title": "A fox"}}"#)
            .await
            .expect_error(415, "unsupported_media_type");
    }
    assert_eq!(ada.credits().await, 4);
}

#[tokio::test]
async fn a_request_that_fails_validation_is_422_and_details_name_the_fields() {
    let app = TestApp::start().await;
    let ada = app.account(4).await;
    let error = send_page(&ada, "application/json", r#"{"page": {"title": "", "caption": "\n"}}"#)
        .await
        .expect_error(422, "validation_failed");
    for detail in error["details"].as_array().unwrap() {
        assert!(detail["field"].as_str().unwrap().starts_with("page."));
        assert!(!detail["message"].as_str().unwrap().is_empty());
    }
}

#[tokio::test]
async fn an_account_limit_is_422() {
    let app = TestApp::builder()
        .config(|config| config.limits.uploads = 1)
        .start()
        .await;
    let ada = app.account(4).await;
    ada.post("/artwork_uploads", &json!({})).await.expect(201);
    ada.post("/artwork_uploads", &json!({}))
        .await
        .expect_error(422, "account_limit_reached");
}

#[tokio::test]
async fn an_image_that_cannot_be_used_is_422() {
    let app = TestApp::start().await;
    let ada = app.account(4).await;
    let form = Form::image(pictures::SVG).text("title", "A fox");
    ada.import(form).await.expect_error(422, "unsupported_image");
}

#[tokio::test]
async fn a_pdf_format_of_another_aspect_is_422() {
    let app = TestApp::start().await;
    let ada = app.account(4).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    ada.get(&format!("/books/{book}/pdf?format=square"))
        .await
        .expect_error(422, "format_mismatch");
}

#[tokio::test]
async fn a_pdf_of_a_book_that_is_not_ready_is_422() {
    let app = TestApp::start().await;
    let ada = app.account(4).await;
    let body = json!({"book": {"title": "B", "pages": [{"title": "A fox"}]}});
    let book = app.accepted(&ada, "/books", &body).await.book_id();
    ada.get(&format!("/books/{book}/pdf"))
        .await
        .expect_error(422, "book_not_ready");
}

#[tokio::test]
async fn too_many_planning_requests_are_429_with_retry_after() {
    let app = TestApp::builder()
        .config(|config| config.limits.plans_per_minute = 1)
        .start()
        .await;
    let ada = app.account(4).await;
    let wish = json!({"book_plan": {"theme": "Woods", "page_count": 1}});
    ada.post("/book_plans", &wish).await.expect(200);
    let refused = ada.post("/book_plans", &wish).await;
    refused.expect_error(429, "rate_limited");
    assert_eq!(refused.header("retry-after"), "60");
}

#[tokio::test]
async fn an_internal_error_is_500_and_reveals_only_the_request_id() {
    let app = TestApp::start().await;
    let ada = app.account(4).await;
    let page = app.ready_page(&ada, "A fox").await;
    for key in app.objects() {
        app.server.storage.delete(&key).await.unwrap();
    }
    let reply = ada.get(&format!("/pages/{page}/image")).await;
    let error = reply.expect_error(500, "internal_error");
    assert_eq!(
        error["message"],
        "Something went wrong on our side. The operator can find the cause in the log by the request id."
    );
    assert_eq!(error.get("details"), None);
    assert_eq!(reply.header("x-service-credits-available"), "3");
}

#[tokio::test]
async fn planning_that_is_temporarily_unavailable_is_503_with_retry_after() {
    for planner in ["acme.absent", "testbed.babbler"] {
        let app = TestApp::builder()
            .config(|config| config.planner = planner.into())
            .all_plugins()
            .start()
            .await;
        let ada = app.account(1).await;
        let reply = ada
            .post(
                "/book_plans",
                &json!({"book_plan": {"theme": "Woods", "page_count": 3}}),
            )
            .await;
        reply.expect_error(503, "planning_unavailable");
        assert_eq!(reply.header("retry-after"), "30");
    }
}

#[tokio::test]
async fn a_providers_error_text_reaches_no_client() {
    let app = TestApp::builder()
        .image_provider("testbed.flaky", json!({"fail": "other", "seeds": "all"}))
        .start()
        .await;
    let ada = app.account(4).await;
    let body = app.new_page(&ada, "A fox").await;
    app.draw_everything().await;
    let operation = ada.operation(&body).await;
    let page = ada.get(&format!("/pages/{}", body.page_id())).await.expect(200);
    let error = json!({
        "code": "generation_failed",
        "message": "The image could not be generated. Its credit was given back; try again."
    });
    assert_eq!(json!(operation.error), error);
    assert_eq!(json!(operation.items[0].error), error);
    assert_eq!(page["page"]["error"], error);
    assert_eq!(page["page"]["status"], "failed");
}

#[tokio::test]
async fn the_codes_of_the_document_are_those_of_the_table() {
    let app = TestApp::start().await;
    let document = app.openapi_document().await;
    let mut enumerations = Vec::new();
    find_enumerations(&document["components"]["schemas"], &mut enumerations);
    let codes: BTreeSet<String> = [
        "invalid_request",
        "invalid_pagination",
        "idempotency_key_required",
        "unauthorized",
        "insufficient_credits",
        "credit_cap_reached",
        "insufficient_scope",
        "plan_required",
        "operator_required",
        "not_found",
        "method_not_allowed",
        "idempotency_conflict",
        "generation_active",
        "page_locked",
        "settings_not_writable",
        "payload_too_large",
        "unsupported_media_type",
        "validation_failed",
        "account_limit_reached",
        "unsupported_image",
        "format_mismatch",
        "book_not_ready",
        "rate_limited",
        "internal_error",
        "planning_unavailable",
        "generation_unavailable",
        "printing_unavailable",
        "maintenance",
        "overloaded",
    ]
    .map(str::to_owned)
    .into();
    assert!(enumerations.contains(&codes), "{enumerations:?}");
}

/// Collects every `enum` within a schema as a set.
fn find_enumerations(schema: &Value, found: &mut Vec<BTreeSet<String>>) {
    match schema {
        Value::Object(fields) => {
            if let Some(Value::Array(words)) = fields.get("enum") {
                found.push(
                    words
                        .iter()
                        .filter_map(|word| word.as_str().map(str::to_owned))
                        .collect(),
                );
            }
            fields.values().for_each(|value| find_enumerations(value, found));
        }
        Value::Array(items) => items.iter().for_each(|value| find_enumerations(value, found)),
        _ => {}
    }
}

//! Section 9 of the specification: versions and caching.
use axum::body::Body;
use serde_json::json;

use crate::test_app::{TestApp, pictures};

#[tokio::test]
async fn every_response_carries_the_version_and_is_never_cached() {
    let app = TestApp::start().await;
    let ada = app.account(4).await;
    let pip = app.ready_character(&ada, "Pip").await;
    let shared = json!({"character": {"public_preview": true}});
    let shared = ada.patch(&format!("/characters/{pip}"), &shared).await.expect(200);
    let preview = shared["character"]["public_preview_url"].as_str().unwrap().to_owned();
    let upload = ada.new_upload().await.url;
    let image = format!("/characters/{pip}/reference_image");
    for (actor, method, path, status) in [
        (ada.clone(), "GET", "/me", 200),
        (ada.clone(), "GET", &image, 200),
        (ada.clone(), "GET", "/pages?limit=0", 400),
        (ada.clone(), "GET", "/pages/none", 404),
        (ada.clone(), "GET", "/nowhere", 404),
        (ada.clone(), "DELETE", "/me", 405),
        (ada.clone(), "POST", "/pages", 415),
        (app.anonymous(), "GET", "/me", 401),
        (app.anonymous(), "GET", "/openapi.json", 200),
        (app.anonymous(), "GET", "/api/v2/me", 404),
        (app.anonymous(), "GET", &preview, 200),
        (app.anonymous(), "GET", "/preview/none", 404),
        (app.anonymous(), "GET", "/review/none", 404),
        (app.anonymous(), "PUT", &upload, 204),
        (app.anonymous(), "PUT", "/uploads/none", 404),
    ] {
        let body = if method == "PUT" {
            pictures::png(576, 768).into()
        } else {
            Body::empty()
        };
        let reply = actor.send(method, path, &[], body).await;
        assert_eq!(reply.status, status, "{method} {path}");
        assert_eq!(reply.header("x-service-api-version"), "v1", "{method} {path}");
        assert_eq!(reply.header("cache-control"), "private, no-store", "{method} {path}");
        assert!(reply.header("x-request-id").starts_with("req_"));
    }
}

#[tokio::test]
async fn the_version_is_part_of_the_base_path() {
    let app = TestApp::start().await;
    let ada = app.account(4).await;
    ada.get("/api/v1/me").await.expect(200);
    for other in ["/api/v2/me", "/api/me"] {
        ada.get(other).await.expect_error(404, "not_found");
    }
    let document = app.openapi_document().await;
    assert_eq!(document["servers"][0]["url"], "http://linepress.test/api/v1");
    assert_eq!(document["info"]["version"], "v1");
}

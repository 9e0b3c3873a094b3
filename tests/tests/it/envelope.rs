//! What every answer has in common: headers, the error envelope, request ids.
use axum::body::Body;
use serde_json::json;

use crate::house::House;

#[tokio::test]
async fn every_answer_names_its_request_and_is_never_cached() {
    let house = House::open().await;
    let ada = house.account(4).await;
    for path in ["/me", "/print_formats", "/pages", "/pages/none", "/nowhere"] {
        let reply = ada.get(path).await;
        assert!(reply.header("x-request-id").starts_with("req_"));
        assert_eq!(reply.header("x-service-api-version"), "v1");
        assert_eq!(reply.header("cache-control"), "private, no-store");
        assert_eq!(reply.header("x-service-credits-available"), "4");
        assert_eq!(reply.header("x-service-credits-consumed"), "0");
    }
}

#[tokio::test]
async fn a_clients_own_request_id_is_kept_when_it_is_fit_for_a_log() {
    let house = House::open().await;
    let ada = house.account(4).await;
    let with_id = async |id: &str| {
        ada.send("GET", "/pages/none", &[("x-request-id", id)], Body::empty())
            .await
    };
    let reply = with_id("Trace-1.2_3").await;
    assert_eq!(reply.header("x-request-id"), "Trace-1.2_3");
    reply.expect_error(404, "not_found");
    for bad in ["", "two words", "semi;colon", &"x".repeat(129)] {
        assert!(with_id(bad).await.header("x-request-id").starts_with("req_"), "{bad}");
    }
}

#[tokio::test]
async fn the_brand_names_the_headers() {
    let house = House::open_with(|config| config.brand = "Acme".into()).await;
    let reply = house.account(4).await.get("/me").await;
    assert_eq!(reply.header("x-acme-api-version"), "v1");
    assert_eq!(reply.header("x-acme-credits-available"), "4");
    assert!(!reply.headers.contains_key("x-service-api-version"));
}

#[tokio::test]
async fn an_unknown_route_and_a_wrong_method_use_the_envelope() {
    let house = House::open().await;
    let ada = house.account(4).await;
    ada.get("/nowhere").await.expect_error(404, "not_found");
    house.stranger().get("/api/v2/me").await.expect_error(404, "not_found");
    let reply = ada.send("DELETE", "/me", &[], Body::empty()).await;
    reply.expect_error(405, "method_not_allowed");
    assert!(reply.header("allow").contains("GET"));
}

#[tokio::test]
async fn a_body_that_is_not_json_is_refused() {
    let house = House::open().await;
    let ada = house.account(4).await;
    let send = async |kind: &str, body: &str| {
        let headers = [("content-type", kind), ("idempotency-key", "k1")];
        ada.send("POST", "/pages", &headers, Body::from(body.to_owned())).await
    };
    send("application/json", "{").await.expect_error(400, "invalid_request");
    send("application/json", r#"{"page": {"title": "A fox"}} {}"#)
        .await
        .expect_error(400, "invalid_request");
    send("application/json", "").await.expect_error(400, "invalid_request");
    send("text/plain", "{}")
        .await
        .expect_error(415, "unsupported_media_type");
    send("application/json", &" ".repeat(4 * 1024 * 1024 + 1))
        .await
        .expect_error(413, "payload_too_large");
    send("application/json; charset=utf-8", r#"{"page": {"title": "A fox"}}"#)
        .await
        .expect(202);
}

#[tokio::test]
async fn a_providers_words_reach_no_client() {
    let house = House::open_with(|config| {
        config.image_provider = "testbed.flaky".into();
        config
            .plugins
            .insert("testbed.flaky".into(), json!({"fail": "other", "seeds": "all"}));
    })
    .await;
    let ada = house.account(4).await;
    let body = ada
        .generate("/pages", "k1", &json!({"page": {"title": "A fox"}}))
        .await
        .expect(202);
    house.draw_everything().await;
    let operation = ada.get(body["operation"]["url"].as_str().unwrap()).await.expect(200);
    let page = ada
        .get(&format!("/pages/{}", body["page"]["id"].as_str().unwrap()))
        .await
        .expect(200);
    let error = json!({
        "code": "generation_failed",
        "message": "The image could not be generated. Its credit was given back; try again."
    });
    assert_eq!(operation["operation"]["error"], error);
    assert_eq!(operation["operation"]["items"][0]["error"], error);
    assert_eq!(page["page"]["error"], error);
    assert_eq!(page["page"]["status"], "failed");
}

#[tokio::test]
async fn the_document_describes_every_operation() {
    let house = House::open().await;
    let document = house.stranger().get("/openapi.json").await.expect(200);
    insta::assert_json_snapshot!("openapi", document);
}

#[tokio::test]
async fn health_and_readiness_tell_themselves_apart() {
    let house = House::open().await;
    let router = linepress::rest::router(house.app.clone());
    let status = async |path: &str| {
        use tower::ServiceExt as _;
        let request = axum::http::Request::get(path).body(Body::empty()).unwrap();
        router.clone().oneshot(request).await.unwrap().status().as_u16()
    };
    assert_eq!((status("/healthz").await, status("/readyz").await), (200, 200));
    house.app.database.close().await;
    assert_eq!((status("/healthz").await, status("/readyz").await), (200, 503));
}

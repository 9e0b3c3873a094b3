//! `POST /characters/{id}/regenerate`.
use serde_json::json;

use crate::test_app::TestApp;

#[tokio::test]
async fn a_regenerated_character_gets_another_look_only_once() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let pip = app.ready_character(&ada, "Pip").await;
    let path = format!("/characters/{pip}");
    let before = ada.get(&format!("{path}/reference_image")).await.body;

    let again = ada
        .generate(
            &format!("{path}/regenerate"),
            "k2",
            &json!({"character": {"description": "Taller"}}),
        )
        .await
        .expect(202);
    assert_eq!(again["operation"]["type"], "character.regenerate");
    ada.generate(&format!("{path}/regenerate"), "k3", &json!({}))
        .await
        .expect_error(409, "generation_active");
    app.draw_everything().await;
    let after = ada.get(&path).await.expect(200);
    assert_eq!(after["character"]["description"], "Taller");
    assert_eq!(after["character"]["reference_image"]["revision"], 2);
    assert_ne!(ada.get(&format!("{path}/reference_image")).await.body, before);
    assert_eq!(ada.credits().await, 3);
}

#[tokio::test]
async fn a_regeneration_needs_no_body() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let pip = app.ready_character(&ada, "Pip").await;
    let path = format!("/characters/{pip}/regenerate");
    let reply = ada
        .send("POST", &path, &[("idempotency-key", "k2")], axum::body::Body::empty())
        .await;
    reply.expect(202);
}

#[tokio::test]
async fn a_regeneration_costs_a_credit_and_keeps_the_image_until_it_is_drawn() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let pip = app.ready_character(&ada, "Pip").await;
    let path = format!("/characters/{pip}");
    let before = ada.get(&format!("{path}/reference_image")).await.body;
    let reply = ada.generate(&format!("{path}/regenerate"), "k1", &json!({})).await;
    let body = reply.expect(202);
    assert_eq!(reply.header("x-service-credits-consumed"), "1");
    assert_eq!(reply.header("location"), body["operation"]["url"]);
    assert_eq!(body["character"]["status"], "generating");
    assert_eq!(ada.get(&format!("{path}/reference_image")).await.body, before);
    app.draw_what_is_due().await;
    assert_ne!(ada.get(&format!("{path}/reference_image")).await.body, before);
    assert_eq!(ada.credits().await, 1);
}

#[tokio::test]
async fn a_wrong_regeneration_is_refused_by_the_fields_name() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let pip = app.ready_character(&ada, "Pip").await;
    let path = format!("/characters/{pip}/regenerate");
    for (body, field) in [
        (json!({"character": {"name": "Pippa"}}), "character.name"),
        (json!({"character": {"description": "\u{7}"}}), "character.description"),
        (
            json!({"character": {"description": "x".repeat(2001)}}),
            "character.description",
        ),
        (json!({"page": {}}), "page"),
    ] {
        let error = ada
            .generate(&path, "k1", &body)
            .await
            .expect_error(422, "validation_failed");
        assert_eq!(error["details"][0]["field"], field, "{body}");
    }
    ada.generate("/characters/char_none/regenerate", "k1", &json!({}))
        .await
        .expect_error(404, "not_found");
    assert_eq!(ada.credits().await, 2);
}

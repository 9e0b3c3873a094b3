//! `POST /characters/{id}/restore`.
use serde_json::json;

use crate::test_app::TestApp;

#[tokio::test]
async fn a_restored_character_is_what_it_was_for_nothing() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let pip = app.ready_character(&ada, "Pip").await;
    let path = format!("/characters/{pip}");
    let before = ada.look(&path, "character").await;
    let image = ada.get(&format!("{path}/reference_image")).await.body;
    ada.delete(&path).await.expect_no_content();

    let reply = ada.post_nothing(&format!("{path}/restore")).await;
    reply.expect_free();
    assert_eq!(reply.expect(200)["character"], before);
    assert_eq!(ada.look(&path, "character").await, before);
    assert_eq!(ada.get(&format!("{path}/reference_image")).await.body, image);
    assert_eq!(ada.get("/characters").await.expect(200)["characters"], json!([before]));
    let body = json!({"page": {"title": "Pip", "character_ids": [pip]}});
    app.accepted(&ada, "/pages", &body).await;
}

#[tokio::test]
async fn an_active_character_stays_as_it_is() {
    let app = TestApp::start().await;
    let ada = app.account(2).await;
    let pip = app.ready_character(&ada, "Pip").await;
    let path = format!("/characters/{pip}");
    let before = ada.look(&path, "character").await;
    let reply = ada.post_nothing(&format!("{path}/restore")).await;
    assert_eq!(reply.expect(200)["character"], before);
    ada.post_nothing("/characters/char_none/restore")
        .await
        .expect_error(404, "not_found");
}

#[tokio::test]
async fn there_must_be_room_for_a_restored_character() {
    let app = TestApp::builder()
        .config(|config| config.limits.characters = 1)
        .start()
        .await;
    let ada = app.account(3).await;
    let pip = app.ready_character(&ada, "Pip").await;
    ada.delete(&format!("/characters/{pip}")).await.expect_no_content();
    let kit = app.ready_character(&ada, "Kit").await;
    let restore = format!("/characters/{pip}/restore");
    ada.post_nothing(&restore)
        .await
        .expect_error(422, "account_limit_reached");
    ada.get(&format!("/characters/{pip}"))
        .await
        .expect_error(404, "not_found");
    ada.delete(&format!("/characters/{kit}")).await.expect_no_content();
    ada.post_nothing(&restore).await.expect(200);
}

#[tokio::test]
async fn a_restored_character_keeps_its_public_preview() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let pip = app.ready_character(&ada, "Pip").await;
    let path = format!("/characters/{pip}");
    let shown = ada.patch(&path, &json!({"character": {"public_preview": true}})).await;
    let url = shown.expect(200)["character"]["public_preview_url"].clone();
    ada.delete(&path).await.expect_no_content();
    let look = async || app.anonymous().get(url.as_str().unwrap()).await.status;
    assert_eq!(look().await, 404);
    let restored = ada.post_nothing(&format!("{path}/restore")).await.expect(200);
    assert_eq!(restored["character"]["public_preview_url"], url);
    assert_eq!(look().await, 200);
}

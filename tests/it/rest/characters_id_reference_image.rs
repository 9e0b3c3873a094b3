//! `GET /characters/{id}/reference_image`.
use serde_json::json;

use crate::test_app::TestApp;

#[tokio::test]
async fn the_reference_image_is_downloaded_for_nothing() {
    let app = TestApp::start().await;
    let ada = app.account(2).await;
    let pip = app.ready_character(&ada, "Pip").await;
    let image = ada.get(&format!("/characters/{pip}/reference_image")).await;
    assert_eq!(image.status, 200);
    image.expect_free();
    assert_eq!(image.header("content-type"), "image/png");
    assert_eq!(image.header("cache-control"), "private, no-store");
    let told = &ada.look(&format!("/characters/{pip}"), "character").await["reference_image"];
    assert_eq!(
        told["url"],
        format!("http://linepress.test/api/v1/characters/{pip}/reference_image")
    );
    assert_eq!(told["byte_size"], image.body.len());
    assert_eq!((&told["width"], &told["height"]), (&json!(1024), &json!(1024)));
}

#[tokio::test]
async fn a_character_that_was_never_drawn_has_none() {
    let app = TestApp::start().await;
    let ada = app.account(2).await;
    let pip = app.new_character(&ada, "Pip").await.character_id();
    for path in [&pip, "char_none"] {
        ada.get(&format!("/characters/{path}/reference_image"))
            .await
            .expect_error(404, "not_found");
    }
}

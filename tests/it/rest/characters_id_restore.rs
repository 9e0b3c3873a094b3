//! `POST /characters/{id}/restore`.
use axum::body::Body;
use serde_json::json;

use crate::house::House;

#[tokio::test]
async fn a_restored_character_is_what_it_was_for_nothing() {
    let house = House::open().await;
    let ada = house.account(3).await;
    let pip = house.ready_character(&ada, "Pip").await;
    let path = format!("/characters/{pip}");
    let before = ada.look(&path, "character").await;
    let image = ada.get(&format!("{path}/reference_image")).await.body;
    ada.delete(&path).await.expect_gone();

    let reply = ada.send("POST", &format!("{path}/restore"), &[], Body::empty()).await;
    reply.expect_free();
    assert_eq!(reply.expect(200)["character"], before);
    assert_eq!(ada.look(&path, "character").await, before);
    assert_eq!(ada.get(&format!("{path}/reference_image")).await.body, image);
    assert_eq!(ada.get("/characters").await.expect(200)["characters"], json!([before]));
    let body = json!({"page": {"title": "Pip", "character_ids": [pip]}});
    house.accepted(&ada, "/pages", &body).await;
}

#[tokio::test]
async fn an_active_character_stays_as_it_is() {
    let house = House::open().await;
    let ada = house.account(2).await;
    let pip = house.ready_character(&ada, "Pip").await;
    let path = format!("/characters/{pip}");
    let before = ada.look(&path, "character").await;
    let reply = ada.send("POST", &format!("{path}/restore"), &[], Body::empty()).await;
    assert_eq!(reply.expect(200)["character"], before);
    ada.send("POST", "/characters/char_none/restore", &[], Body::empty())
        .await
        .expect_error(404, "not_found");
}

#[tokio::test]
async fn there_must_be_room_for_a_restored_character() {
    let house = House::open_with(|config| config.limits.characters = 1).await;
    let ada = house.account(3).await;
    let pip = house.ready_character(&ada, "Pip").await;
    ada.delete(&format!("/characters/{pip}")).await.expect_gone();
    let kit = house.ready_character(&ada, "Kit").await;
    let restore = format!("/characters/{pip}/restore");
    ada.send("POST", &restore, &[], Body::empty())
        .await
        .expect_error(422, "account_limit_reached");
    ada.get(&format!("/characters/{pip}"))
        .await
        .expect_error(404, "not_found");
    ada.delete(&format!("/characters/{kit}")).await.expect_gone();
    ada.send("POST", &restore, &[], Body::empty()).await.expect(200);
}

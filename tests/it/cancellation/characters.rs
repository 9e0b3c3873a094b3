//! Characters: archived ones may come back.
use axum::body::Body;
use linepress::drawing;
use serde_json::json;

use super::{check_canceled, delete_while_it_is_drawn, operation, slow_house};
use crate::house::{House, id};

#[tokio::test]
async fn a_character_archived_while_it_waits_is_canceled_and_comes_back_without_an_image() {
    let house = House::open().await;
    let ada = house.account(5).await;
    let accepted = house
        .accepted(&ada, "/characters", &json!({"character": {"name": "Pip"}}))
        .await;
    let path = format!("/characters/{}", id(&accepted, "character"));
    ada.delete(&path).await.expect_gone();
    check_canceled(&operation(&ada, &accepted).await, 1);
    assert_eq!(house.draw_everything().await, 0);
    assert_eq!(ada.credits().await, 5);

    let restored = ada
        .send("POST", &format!("{path}/restore"), &[], Body::empty())
        .await
        .expect(200);
    assert_eq!(restored["character"]["status"], "failed");
    assert_eq!(restored["character"]["active_operation_id"], json!(null));
    house.accepted(&ada, &format!("{path}/regenerate"), &json!({})).await;
    house.draw_what_is_due().await;
    assert_eq!(ada.look(&path, "character").await["status"], "ready");
    house.check_books().await;
}

#[tokio::test]
async fn a_ready_character_archived_while_its_regeneration_waits_keeps_its_image() {
    let house = House::open().await;
    let ada = house.account(5).await;
    let pip = house.ready_character(&ada, "Pip").await;
    let path = format!("/characters/{pip}");
    let before = ada.look(&path, "character").await;
    let accepted = house.accepted(&ada, &format!("{path}/regenerate"), &json!({})).await;
    ada.delete(&path).await.expect_gone();
    check_canceled(&operation(&ada, &accepted).await, 1);
    let restored = ada
        .send("POST", &format!("{path}/restore"), &[], Body::empty())
        .await
        .expect(200);
    assert_eq!(restored["character"], before);
    assert_eq!(ada.credits().await, 4);
    house.check_books().await;
}

#[tokio::test]
async fn a_character_archived_while_it_is_drawn_keeps_what_was_drawn() {
    let house = slow_house(1500).await;
    let ada = house.account(5).await;
    let accepted = house
        .accepted(&ada, "/characters", &json!({"character": {"name": "Pip"}}))
        .await;
    let path = format!("/characters/{}", id(&accepted, "character"));
    delete_while_it_is_drawn(&house, &ada, &path).await;
    let ended = operation(&ada, &accepted).await;
    assert_eq!(
        (&ended["status"], &ended["credits"]["refunded"]),
        (&json!("succeeded"), &json!(0))
    );
    ada.get(&path).await.expect_error(404, "not_found");
    let restored = ada
        .send("POST", &format!("{path}/restore"), &[], Body::empty())
        .await
        .expect(200);
    assert_eq!(restored["character"]["status"], "ready");
    assert_eq!(restored["character"]["reference_image"]["revision"], 1);
    house.check_books().await;
}

#[tokio::test]
async fn a_character_archived_and_restored_while_a_worker_holds_it_is_drawn() {
    let house = House::open().await;
    let ada = house.account(5).await;
    let accepted = house
        .accepted(&ada, "/characters", &json!({"character": {"name": "Pip"}}))
        .await;
    let path = format!("/characters/{}", id(&accepted, "character"));
    let claimed = drawing::claim(&house.app).await.unwrap().unwrap();
    ada.delete(&path).await.expect_gone();
    let restored = ada
        .send("POST", &format!("{path}/restore"), &[], Body::empty())
        .await
        .expect(200);
    assert_eq!(restored["character"]["status"], "generating");
    assert_eq!(
        restored["character"]["active_operation_id"],
        accepted["operation"]["id"]
    );
    ada.generate(&format!("{path}/regenerate"), "k9", &json!({}))
        .await
        .expect_error(409, "generation_active");
    drawing::attempt(&house.app, &claimed).await;
    let shown = ada.look(&path, "character").await;
    assert_eq!(
        (&shown["status"], &shown["active_operation_id"]),
        (&json!("ready"), &json!(null))
    );
    assert_eq!(operation(&ada, &accepted).await["status"], "succeeded");
    assert_eq!(ada.credits().await, 4);
    house.check_books().await;
}

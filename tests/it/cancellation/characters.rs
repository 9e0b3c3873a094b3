//! Archived characters, which may be restored.
use crate::testing;
use linepress_core::operations::OperationStatus;
use serde_json::json;

use super::{check_canceled, delete_while_it_is_drawn};
use crate::test_app::TestApp;

#[tokio::test]
async fn a_character_archived_while_it_waits_is_canceled_and_comes_back_without_an_image() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let accepted = app.new_character(&ada, "Pip").await;
    let path = format!("/characters/{}", accepted.character_id());
    ada.delete(&path).await.expect_no_content();
    check_canceled(&ada.operation(&accepted).await, 1);
    assert_eq!(app.draw_everything().await, 0);
    assert_eq!(ada.credits().await, 5);

    let restored = ada.post_nothing(&format!("{path}/restore")).await.expect(200);
    assert_eq!(restored["character"]["status"], "failed");
    assert_eq!(restored["character"]["active_operation_id"], json!(null));
    app.accepted(&ada, &format!("{path}/regenerate"), &json!({})).await;
    app.draw_what_is_due().await;
    assert_eq!(ada.look(&path, "character").await["status"], "ready");
    app.check_books().await;
}

#[tokio::test]
async fn a_ready_character_archived_while_its_regeneration_waits_keeps_its_image() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let pip = app.ready_character(&ada, "Pip").await;
    let path = format!("/characters/{pip}");
    let before = ada.look(&path, "character").await;
    let accepted = app.accepted(&ada, &format!("{path}/regenerate"), &json!({})).await;
    ada.delete(&path).await.expect_no_content();
    check_canceled(&ada.operation(&accepted).await, 1);
    let restored = ada.post_nothing(&format!("{path}/restore")).await.expect(200);
    assert_eq!(restored["character"], before);
    assert_eq!(ada.credits().await, 4);
    app.check_books().await;
}

#[tokio::test]
async fn a_character_archived_while_it_is_drawn_keeps_what_was_drawn() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let accepted = app.new_character(&ada, "Pip").await;
    let path = format!("/characters/{}", accepted.character_id());
    delete_while_it_is_drawn(&app, &ada, &path).await;
    let ended = ada.operation(&accepted).await;
    assert_eq!((ended.status, ended.credits.refunded), (OperationStatus::Succeeded, 0));
    ada.get(&path).await.expect_error(404, "not_found");
    let restored = ada.post_nothing(&format!("{path}/restore")).await.expect(200);
    assert_eq!(restored["character"]["status"], "ready");
    assert_eq!(restored["character"]["reference_image"]["revision"], 1);
    app.check_books().await;
}

#[tokio::test]
async fn a_character_archived_and_restored_while_a_worker_holds_it_is_drawn() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let accepted = app.new_character(&ada, "Pip").await;
    let path = format!("/characters/{}", accepted.character_id());
    let claimed = testing::claim(&app.server).await.unwrap().unwrap();
    ada.delete(&path).await.expect_no_content();
    let restored = ada.post_nothing(&format!("{path}/restore")).await.expect(200);
    assert_eq!(restored["character"]["status"], "generating");
    assert_eq!(
        restored["character"]["active_operation_id"],
        json!(accepted.operation.id)
    );
    ada.generate(&format!("{path}/regenerate"), "k9", &json!({}))
        .await
        .expect_error(409, "generation_active");
    testing::attempt(&app.server, &claimed).await;
    let shown = ada.look(&path, "character").await;
    assert_eq!(
        (&shown["status"], &shown["active_operation_id"]),
        (&json!("ready"), &json!(null))
    );
    assert_eq!(ada.operation(&accepted).await.status, OperationStatus::Succeeded);
    assert_eq!(ada.credits().await, 4);
    app.check_books().await;
}

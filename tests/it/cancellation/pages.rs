//! Deleted pages.

use crate::testing;
use linepress_core::operations::OperationStatus;
use serde_json::json;

use super::{check_canceled, delete_while_it_is_drawn};
use crate::test_app::{TestApp, id};

#[tokio::test]
async fn a_page_deleted_while_it_waits_is_canceled_and_refunded_once() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let accepted = app.new_page(&ada, "A fox").await;
    let path = format!("/pages/{}", accepted.page_id());
    let reply = ada.delete(&path).await;
    reply.expect_no_content();
    assert_eq!(reply.header("x-service-credits-available"), "5");
    check_canceled(&ada.operation(&accepted).await, 1);
    assert_eq!(app.draw_everything().await, 0);
    ada.get(&path).await.expect_error(404, "not_found");
    assert_eq!(ada.credits().await, 5);
    app.check_books().await;
}

#[tokio::test]
async fn a_page_deleted_while_its_regeneration_waits_is_canceled_and_refunded() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let page = app.ready_page(&ada, "A fox").await;
    let accepted = app
        .accepted(&ada, &format!("/pages/{page}/regenerate"), &json!({}))
        .await;
    ada.delete(&format!("/pages/{page}")).await.expect_no_content();
    check_canceled(&ada.operation(&accepted).await, 1);
    assert_eq!(app.draw_everything().await, 0);
    assert_eq!(ada.credits().await, 4);
    ada.delete("/bin").await.expect_no_content();
    app.check_books().await;
    assert!(app.objects().is_empty());
}

#[tokio::test]
async fn a_page_deleted_before_its_worker_began_to_draw_is_canceled_and_refunded() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let accepted = app.new_page(&ada, "A fox").await;
    let claimed = testing::claim(&app.server).await.unwrap().unwrap();
    ada.delete(&format!("/pages/{}", accepted.page_id()))
        .await
        .expect_no_content();
    assert_eq!(ada.operation(&accepted).await.status, OperationStatus::Running);
    testing::attempt(&app.server, &claimed).await;
    check_canceled(&ada.operation(&accepted).await, 1);
    assert_eq!(ada.credits().await, 5);
    app.check_books().await;
    assert!(app.objects().is_empty());
}

#[tokio::test]
async fn a_page_deleted_while_it_is_drawn_stays_paid_and_has_its_picture_in_the_bin() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let accepted = app.new_page(&ada, "A fox").await;
    let path = format!("/pages/{}", accepted.page_id());
    delete_while_it_is_drawn(&app, &ada, &path).await;
    let operation = ada.operation(&accepted).await;
    assert_eq!(operation.status, OperationStatus::Succeeded);
    assert_eq!((operation.credits.charged, operation.credits.refunded), (1, 0));
    ada.get(&path).await.expect_error(404, "not_found");
    assert_eq!(app.draw_everything().await, 0);
    assert_eq!(ada.credits().await, 4);
    assert_eq!(app.referred().await.len(), 2);
    app.check_books().await;
    ada.delete("/bin").await.expect_no_content();
    app.check_books().await;
    assert!(app.objects().is_empty());
}

#[tokio::test]
async fn a_page_deleted_for_good_while_it_is_drawn_stays_paid_and_leaves_nothing_behind() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let accepted = app.new_page(&ada, "A fox").await;
    let claimed = testing::claim(&app.server).await.unwrap().unwrap();
    let deletion = async {
        app.until_reads_have_ended().await;
        ada.delete(&format!("/pages/{}", accepted.page_id()))
            .await
            .expect_no_content();
        ada.delete("/bin").await.expect_no_content();
    };
    testing::attempt_while(&app.server, &claimed, deletion).await;
    let operation = ada.operation(&accepted).await;
    assert_eq!(operation.status, OperationStatus::Succeeded);
    assert_eq!((operation.credits.charged, operation.credits.refunded), (1, 0));
    assert_eq!(ada.credits().await, 4);
    assert!(app.referred().await.is_empty());
    app.check_books().await;
    assert!(app.objects().is_empty());
}

#[tokio::test]
async fn a_drawing_that_fails_after_its_page_was_deleted_is_refunded_and_not_retried() {
    // The provider computes until its deadline of one second: a failure that would otherwise be retried.
    let app = TestApp::builder()
        .config(|config| config.image_providers = vec!["testbed.spin".into()])
        .start()
        .await;
    let ada = app.account(5).await;
    let accepted = app.new_page(&ada, "A fox").await;
    delete_while_it_is_drawn(&app, &ada, &format!("/pages/{}", accepted.page_id())).await;
    check_canceled(&ada.operation(&accepted).await, 1);
    assert_eq!(app.draw_everything().await, 0);
    assert_eq!(ada.credits().await, 5);
    app.check_books().await;
}

#[tokio::test]
async fn a_page_that_waits_for_another_attempt_is_canceled_and_refunded() {
    let app = TestApp::builder()
        .image_provider("testbed.flaky", json!({"fail": "unavailable", "seeds": "all"}))
        .start()
        .await;
    let ada = app.account(5).await;
    let accepted = app.new_page(&ada, "A fox").await;
    assert!(testing::work_once(&app.server).await.unwrap());
    assert_eq!(ada.operation(&accepted).await.status, OperationStatus::Running);
    ada.delete(&format!("/pages/{}", accepted.page_id()))
        .await
        .expect_no_content();
    check_canceled(&ada.operation(&accepted).await, 1);
    assert_eq!(app.draw_everything().await, 0);
    assert_eq!(ada.credits().await, 5);
    app.check_books().await;
}

#[tokio::test]
async fn a_worker_that_lost_its_lease_does_not_restore_a_deleted_page() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let accepted = app.new_page(&ada, "A fox").await;
    let silent = testing::claim(&app.server).await.unwrap().unwrap();
    app.expire_leases();
    ada.delete(&format!("/pages/{}", accepted.page_id()))
        .await
        .expect_no_content();
    app.draw_everything().await;
    check_canceled(&ada.operation(&accepted).await, 1);
    let path = format!("/operations/{}", accepted.operation.id);
    let ended = ada.look(&path, "operation").await;
    testing::attempt(&app.server, &silent).await;
    assert_eq!(ada.look(&path, "operation").await, ended);
    assert_eq!(ada.credits().await, 5);
    app.check_books().await;
}

#[tokio::test]
async fn a_replay_returns_the_page_as_it_was_accepted_even_after_its_deletion() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let body = json!({"page": {"title": "A fox"}});
    let first = ada.generate("/pages", "k1", &body).await;
    ada.delete(&format!("/pages/{}", id(&first.expect(202), "page")))
        .await
        .expect_no_content();
    let replay = ada.generate("/pages", "k1", &body).await;
    assert_eq!(replay.expect(202), first.json());
    replay.expect_free();
    assert_eq!(ada.credits().await, 5);
    assert_eq!(ada.count("pages").await, 0);
}

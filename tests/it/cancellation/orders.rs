//! Orders that their account cancels: what has not begun is refunded, and what has begun is drawn.
use crate::testing;
use linepress_core::artwork::Status;
use linepress_core::books::BookStatus;
use linepress_core::operations::OperationStatus;
use serde_json::json;

use super::is_canceled;
use crate::test_app::TestApp;

#[tokio::test]
async fn the_drawings_of_an_order_that_have_not_begun_are_canceled_and_refunded() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let body = json!({"book": {"title": "B", "pages": [{"title": "A"}, {"title": "B"}, {"title": "C"}]}});
    let accepted = app.accepted(&ada, "/books", &body).await;
    let book = accepted.book_id();
    let path = format!("/operations/{}/cancel", accepted.operation.id);
    assert!(testing::work_once(&app.server).await.unwrap());
    let held = testing::claim(&app.server).await.unwrap().unwrap();

    let reply = ada.post(&path, &json!({})).await;
    reply.expect_free();
    assert_eq!(reply.header("retry-after"), "2", "one drawing is under way");
    let operation = ada.operation(&accepted).await;
    assert_eq!(operation.status, OperationStatus::Running);
    let progress = operation.progress;
    assert_eq!((progress.completed, progress.failed, progress.total), (1, 2, 4));
    assert_eq!((operation.credits.charged, operation.credits.refunded), (3, 2));
    assert_eq!(ada.credits().await, 4);
    assert_eq!(operation.items.iter().filter(|item| is_canceled(item)).count(), 2);

    testing::attempt(&app.server, &held).await;
    assert!(!testing::work_once(&app.server).await.unwrap(), "nothing else is drawn");
    let operation = ada.operation(&accepted).await;
    assert_eq!(operation.status, OperationStatus::PartiallySucceeded);
    let shown = ada.book(&book).await;
    assert_eq!((shown.status, shown.page_count), (BookStatus::Incomplete, 3));

    // A second request changes nothing, and a canceled page can be drawn again.
    let again = ada.post(&path, &json!({})).await;
    assert_eq!(
        again.expect(200)["operation"]["credits"],
        json!({"charged": 3, "refunded": 2})
    );
    assert_eq!(ada.credits().await, 4);
    let canceled = shown.pages.iter().find(|page| page.status == Status::Failed).unwrap();
    app.accepted(&ada, &format!("/pages/{}/regenerate", canceled.id), &json!({}))
        .await;
    app.draw_what_is_due().await;
    let page = ada.look(&format!("/pages/{}", canceled.id), "page").await;
    assert_eq!(page["status"], "ready");
    app.check_books().await;
    app.check_ledger().await;
}

#[tokio::test]
async fn a_canceled_redraw_leaves_the_picture_and_can_be_ordered_again_with_its_key() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let page = app.ready_page(&ada, "A fox").await;
    let before = ada.look(&format!("/pages/{page}"), "page").await["image"].clone();
    let redraw = format!("/pages/{page}/regenerate");
    let accepted = ada.generate(&redraw, "k1", &json!({})).await.accepted();
    let path = format!("/operations/{}/cancel", accepted.operation.id);
    let canceled = ada.post(&path, &json!({})).await;
    let operation = &canceled.expect(200)["operation"];
    assert_eq!(operation["status"], "failed");
    assert_eq!(operation["error"]["code"], "generation_canceled");
    assert!(!canceled.headers.contains_key("retry-after"));
    let page = ada.look(&format!("/pages/{page}"), "page").await;
    assert_eq!((&page["status"], &page["image"]), (&json!("ready"), &before));
    assert_eq!(ada.credits().await, 4);
    // The key belongs to the canceled order: a new one needs a new key.
    let replayed = ada.generate(&redraw, "k1", &json!({})).await;
    assert_eq!(replayed.expect(202)["operation"]["id"], operation["id"]);
    let new = ada.generate(&redraw, "k2", &json!({})).await;
    assert_ne!(new.expect(202)["operation"]["id"], operation["id"]);
    app.draw_what_is_due().await;
    assert_eq!(ada.credits().await, 3);
    app.check_ledger().await;
}

#[tokio::test]
async fn credits_of_a_canceled_order_return_to_the_budget_of_its_app() {
    let app = TestApp::start().await;
    app.account(5).await;
    let agent = app.agent("ada@example.com").await;
    let order = json!({"title": "A fox", "idempotency_key": "k1", "confirm_credits": 1});
    let ordered = agent.call("create_page", order).await;
    let operation = json!({"operation_id": ordered.expect()["operation"]["id"]});
    let canceled = agent.call("cancel_operation", operation.clone()).await;
    assert_eq!(
        canceled.expect()["operation"]["credits"],
        json!({"charged": 1, "refunded": 1})
    );
    assert_eq!(canceled.expect()["operation"]["status"], "failed");
    let again = agent.call("cancel_operation", operation).await;
    assert_eq!(again.expect()["operation"], canceled.expect()["operation"]);
    app.check_ledger().await;
}

//! What is stored of replies and requests: how much, and for how long.
use std::time::Duration;

use linepress_core::operations::OperationStatus;
use serde_json::json;

use crate::test_app::TestApp;
use crate::testing;

#[tokio::test]
async fn a_long_reply_to_a_free_change_is_not_saved_but_replayed_all_the_same() {
    let app = TestApp::start().await;
    let ada = app.account(50).await;
    let titles = vec!["A fox in the woods, which looks at the moon for as long as it shines"; 30];
    let book = app.ready_book(&ada, &titles).await;
    let page = app.imported_page(&ada, "A fox").await;
    let path = format!("/books/{book}/pages");
    let first = ada.generate(&path, "a1", &json!({"page_id": page})).await;
    let first = first.expect(200);
    assert!(first.to_string().len() > 4096);
    let kept: i64 = sqlx::query_scalar("SELECT CAST(length(body) AS BIGINT) FROM idempotency_keys WHERE key = 'a1'")
        .fetch_one(&app.server.database.read)
        .await
        .unwrap();
    assert_eq!(kept, 0);
    let again = ada.generate(&path, "a1", &json!({"page_id": page})).await;
    assert_eq!(again.header("idempotency-replayed"), "true");
    assert_eq!(again.expect(200), first);
    let other = ada
        .generate(&path, "a1", &json!({"page_id": page, "position": 1}))
        .await;
    other.expect_error(409, "idempotency_conflict");
    ada.delete(&format!("/books/{book}")).await.expect_no_content();
    let gone = ada.generate(&path, "a1", &json!({"page_id": page})).await;
    // The key remains used even though the book is gone.
    gone.expect_error(409, "idempotency_conflict");
}

/// Returns the number of drawings that still contain their request.
async fn stored_requests(app: &TestApp) -> i64 {
    sqlx::query_scalar("SELECT COUNT(*) FROM drawings WHERE request <> ''")
        .fetch_one(&app.server.database.read)
        .await
        .unwrap()
}

#[tokio::test]
async fn the_request_of_a_drawing_is_deleted_a_month_after_its_end() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    app.ready_page(&ada, "A fox").await;
    let deleted = app.new_page(&ada, "An owl").await;
    let canceled = app.new_page(&ada, "A bat").await;
    assert_eq!(stored_requests(&app).await, 3);
    let path = format!("/pages/{}", deleted.page_id());
    ada.delete(&path).await.expect_no_content();
    let path = format!("/operations/{}/cancel", canceled.operation.id);
    ada.post(&path, &json!({})).await.expect_free();
    // They were never drawn, so no complaint can refer to them.
    assert_eq!(stored_requests(&app).await, 1);
    for ended in [&deleted, &canceled] {
        assert_eq!(ada.status(ended).await, OperationStatus::Failed);
    }
    app.server.clock.advance(Duration::from_secs(29 * 24 * 3600));
    let waiting = app.new_page(&ada, "A hare").await;
    assert_eq!(testing::forget_requests(&app.server).await.unwrap(), 0);
    app.server.clock.advance(Duration::from_secs(2 * 24 * 3600));
    assert_eq!(testing::forget_requests(&app.server).await.unwrap(), 1);
    app.draw_what_is_due().await;
    assert_eq!(ada.status(&waiting).await, OperationStatus::Succeeded);
    app.check_books().await;
}

//! `DELETE /books/{book_id}/pages/{id}`: detaching a page.
use linepress_core::artwork::Status;
use linepress_core::operations::OperationStatus;
use serde_json::json;

use crate::test_app::TestApp;

#[tokio::test]
async fn a_detached_page_is_not_deleted_and_the_others_move_up() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let book = app.ready_book(&ada, &["A", "B", "C"]).await;
    let pages = ada.page_ids(&book).await;
    let reply = ada.delete(&format!("/books/{book}/pages/{}", pages[1])).await;
    reply.expect_no_content();
    assert_eq!(ada.page_ids(&book).await, [pages[0].clone(), pages[2].clone()]);
    let page = ada.look(&format!("/pages/{}", pages[1]), "page").await;
    assert_eq!((&page["status"], &page["book_ids"]), (&json!("ready"), &json!([])));
    assert_eq!(ada.get(&format!("/pages/{}/image", pages[1])).await.status, 200);
    // A detached page can be attached again.
    ada.post(
        &format!("/books/{book}/pages"),
        &json!({"page_id": pages[1], "position": 2}),
    )
    .await
    .expect(200);
    assert_eq!(ada.page_ids(&book).await, pages);
}

#[tokio::test]
async fn what_is_not_in_the_book_cannot_be_detached() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let book = app.ready_book(&ada, &["A"]).await;
    let alone = app.imported_page(&ada, "Alone").await;
    let page = ada.page_ids(&book).await[0].clone();
    for path in [
        format!("/books/{book}/pages/{alone}"),
        format!("/books/{book}/pages/page_none"),
        format!("/books/book_none/pages/{page}"),
    ] {
        ada.delete(&path).await.expect_error(404, "not_found");
    }
    assert_eq!(ada.page_ids(&book).await, [page]);
}

#[tokio::test]
async fn a_page_that_is_being_drawn_can_be_detached_and_is_drawn_all_the_same() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let body = json!({"book": {"title": "B", "pages": [{"title": "A"}, {"title": "B"}]}});
    let accepted = app.accepted(&ada, "/books", &body).await;
    let book = accepted.book_id();
    let page = ada.page_ids(&book).await[0].clone();
    ada.delete(&format!("/books/{book}/pages/{page}"))
        .await
        .expect_no_content();
    app.draw_what_is_due().await;
    assert_eq!(ada.page(&page).await.status, Status::Ready);
    let operation = ada.operation(&accepted).await;
    assert_eq!(operation.status, OperationStatus::Succeeded);
    app.check_books().await;
}

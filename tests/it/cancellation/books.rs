//! Books: their covers go with them, their pages stay.
use serde_json::json;

use super::{check_canceled, delete_while_it_is_drawn, with_a_slow_provider};
use crate::test_app::{TestApp, id};

#[tokio::test]
async fn a_page_of_a_book_deleted_while_the_book_waits_is_refunded_with_the_books_operation() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let body = json!({"book": {"title": "B", "pages": [{"title": "A"}, {"title": "B"}]}});
    let accepted = app.accepted(&ada, "/books", &body).await;
    let book = id(&accepted, "book");
    let pages = ada.page_ids(&book).await;
    ada.delete(&format!("/pages/{}", pages[0])).await.expect_no_content();
    app.draw_what_is_due().await;
    let operation = ada.operation(&accepted).await;
    assert_eq!(operation["status"], "partially_succeeded");
    assert_eq!(operation["progress"], json!({"completed": 2, "failed": 1, "total": 3}));
    assert_eq!(operation["credits"], json!({"charged": 2, "refunded": 1}));
    assert_eq!(operation["items"][1]["error"]["code"], "generation_canceled");
    let shown = ada.look(&format!("/books/{book}"), "book").await;
    assert_eq!((&shown["status"], &shown["page_count"]), (&json!("ready"), &json!(1)));
    assert_eq!(ada.credits().await, 4);
    app.check_books().await;
}

#[tokio::test]
async fn a_book_deleted_while_it_waits_loses_its_cover_and_its_pages_are_drawn() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let body = json!({"book": {"title": "B", "pages": [{"title": "A"}, {"title": "B"}]}});
    let accepted = app.accepted(&ada, "/books", &body).await;
    let pages = ada.page_ids(&id(&accepted, "book")).await;
    ada.delete(&format!("/books/{}", id(&accepted, "book")))
        .await
        .expect_no_content();
    app.draw_what_is_due().await;
    for page in pages {
        let shown = ada.look(&format!("/pages/{page}"), "page").await;
        assert_eq!((&shown["status"], &shown["book_ids"]), (&json!("ready"), &json!([])));
    }
    let operation = ada.operation(&accepted).await;
    assert_eq!(operation["status"], "partially_succeeded");
    // The cover costs nothing, so nothing comes back for it.
    assert_eq!(operation["credits"], json!({"charged": 2, "refunded": 0}));
    assert_eq!(operation["items"][0]["error"]["code"], "generation_canceled");
    assert_eq!(ada.credits().await, 3);
    app.check_books().await;
}

#[tokio::test]
async fn a_book_deleted_while_its_cover_is_drawn_keeps_nothing_of_it() {
    let app = with_a_slow_provider(1500).await;
    let ada = app.account(5).await;
    let page = app.imported_page(&ada, "A fox").await;
    let body = json!({"book": {"title": "B", "pages": [{"page_id": page}]}});
    let accepted = app.accepted(&ada, "/books", &body).await;
    let kept = app.objects();
    delete_while_it_is_drawn(&app, &ada, &format!("/books/{}", id(&accepted, "book"))).await;
    assert_eq!(ada.operation(&accepted).await["status"], "succeeded");
    app.check_books().await;
    assert_eq!(app.objects(), kept);
}

#[tokio::test]
async fn a_book_deleted_while_a_new_page_of_it_waits_leaves_that_page_to_be_drawn() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let body = json!({"page": {"title": "An owl"}});
    let accepted = app.accepted(&ada, &format!("/books/{book}/pages"), &body).await;
    ada.delete(&format!("/books/{book}")).await.expect_no_content();
    app.draw_what_is_due().await;
    let page = ada.look(&format!("/pages/{}", id(&accepted, "page")), "page").await;
    assert_eq!((&page["status"], &page["book_ids"]), (&json!("ready"), &json!([])));
    assert_eq!(ada.operation(&accepted).await["status"], "succeeded");
    assert_eq!(ada.credits().await, 3);
    app.check_books().await;
}

#[tokio::test]
async fn a_new_page_deleted_while_it_waits_frees_its_book() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let path = format!("/books/{book}/pages");
    let accepted = app.accepted(&ada, &path, &json!({"page": {"title": "An owl"}})).await;
    ada.delete(&format!("/pages/{}", id(&accepted, "page")))
        .await
        .expect_no_content();
    check_canceled(&ada.operation(&accepted).await, 1);
    let shown = ada.look(&format!("/books/{book}"), "book").await;
    assert_eq!(
        (&shown["status"], &shown["active_operation_id"]),
        (&json!("ready"), &json!(null))
    );
    app.accepted(&ada, &path, &json!({"page": {"title": "A wolf"}})).await;
    app.draw_what_is_due().await;
    assert_eq!(ada.page_ids(&book).await.len(), 2);
    assert_eq!(ada.credits().await, 3);
    app.check_books().await;
}

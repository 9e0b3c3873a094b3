//! `PATCH /books/{id}/pages/order`.
use serde_json::json;

use crate::test_app::TestApp;

#[tokio::test]
async fn the_ordered_list_is_replaced_for_nothing() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let book = app.ready_book(&ada, &["A", "B", "C"]).await;
    let path = format!("/books/{book}/pages/order");
    let mut order = ada.page_ids(&book).await;
    order.rotate_left(1);
    let reply = ada.patch(&path, &json!({"page_ids": order})).await;
    reply.expect_free();
    let titles: Vec<_> = reply.expect(200)["book"]["pages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|page| page["title"].clone())
        .collect();
    assert_eq!(titles, ["B", "C", "A"]);
    assert_eq!(ada.page_ids(&book).await, order);
    // The same order again changes nothing.
    ada.patch(&path, &json!({"page_ids": order})).await.expect(200);
    assert_eq!(ada.page_ids(&book).await, order);
}

#[tokio::test]
async fn an_order_names_exactly_the_books_pages_each_once() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let book = app.ready_book(&ada, &["A", "B"]).await;
    let alone = app.imported_page(&ada, "Alone").await;
    let path = format!("/books/{book}/pages/order");
    let pages = ada.page_ids(&book).await;
    let (a, b) = (&pages[0], &pages[1]);
    for (body, field) in [
        (json!({"page_ids": [b]}), "page_ids"),
        (json!({"page_ids": []}), "page_ids"),
        (json!({"page_ids": [b, a, b]}), "page_ids[2]"),
        (json!({"page_ids": [b, b]}), "page_ids[1]"),
        (json!({"page_ids": [b, a, alone]}), "page_ids[2]"),
        (json!({"page_ids": [b, "page_none"]}), "page_ids[1]"),
        (json!({"page_ids": [b, 3]}), "page_ids[1]"),
        (json!({"page_ids": null}), "page_ids"),
        (json!({"pages": [b, a]}), "pages"),
    ] {
        let error = ada.patch(&path, &body).await.expect_error(422, "validation_failed");
        assert_eq!(error["details"][0]["field"], field, "{body}");
    }
    assert_eq!(ada.page_ids(&book).await, pages);
    ada.patch("/books/book_none/pages/order", &json!({"page_ids": []}))
        .await
        .expect_error(404, "not_found");
}

#[tokio::test]
async fn pages_keep_their_order_when_some_were_taken_away_before() {
    let app = TestApp::start().await;
    let ada = app.account(4).await;
    let book = app.ready_book(&ada, &["A", "B", "C", "D"]).await;
    let pages = ada.page_ids(&book).await;
    ada.delete(&format!("/books/{book}/pages/{}", pages[1]))
        .await
        .expect_no_content();
    ada.delete(&format!("/pages/{}", pages[2])).await.expect_no_content();
    let order = [pages[3].clone(), pages[0].clone()];
    ada.patch(&format!("/books/{book}/pages/order"), &json!({"page_ids": order}))
        .await
        .expect(200);
    assert_eq!(ada.page_ids(&book).await, order);
}

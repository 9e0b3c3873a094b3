//! `GET /books/{id}/cover_image`.
use serde_json::json;

use crate::test_app::TestApp;

#[tokio::test]
async fn the_covers_image_is_downloaded_for_nothing() {
    let app = TestApp::start().await;
    let ada = app.account(2).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let image = ada.get(&format!("/books/{book}/cover_image")).await;
    assert_eq!(image.status, 200);
    image.expect_free();
    assert_eq!(image.header("content-type"), "image/png");
    let told = &ada.look(&format!("/books/{book}"), "book").await["cover"]["image"];
    assert_eq!(
        told["url"],
        format!("http://linepress.test/api/v1/books/{book}/cover_image")
    );
    assert_eq!(told["byte_size"], image.body.len());
}

#[tokio::test]
async fn a_cover_that_was_never_drawn_has_none() {
    let app = TestApp::start().await;
    let ada = app.account(2).await;
    let body = json!({"book": {"title": "B", "pages": [{"title": "A fox"}]}});
    let book = app.accepted(&ada, "/books", &body).await.book_id();
    for path in [&book, "book_none"] {
        ada.get(&format!("/books/{path}/cover_image"))
            .await
            .expect_error(404, "not_found");
    }
}

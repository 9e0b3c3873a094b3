//! `GET /books/{id}/print_check`.
use serde_json::json;

use crate::test_app::TestApp;

#[tokio::test]
async fn a_book_is_checked_for_each_printer() {
    let app = TestApp::start().await;
    let ada = app.account(20).await;
    let book = app.ready_book(&ada, &["A fox"; 13]).await;
    let path = format!("/books/{book}/print_check");
    for (query, edition, part) in [
        ("", "home", "book"),
        ("?edition=kdp", "kdp", "interior"),
        ("?edition=lulu&format=us_letter", "lulu", "interior"),
    ] {
        let reply = ada.get(&format!("{path}{query}")).await.expect(200);
        let expected = json!({"edition": edition, "part": part, "page_count": 32, "findings": []});
        assert_eq!(reply["print_check"], expected);
    }
}

#[tokio::test]
async fn a_book_without_a_pdf_has_no_check() {
    let app = TestApp::start().await;
    let ada = app.account(20).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let check = async |query: &str| ada.get(&format!("/books/{book}/print_check{query}")).await;
    check("?edition=kdp&format=us_letter")
        .await
        .expect_error(422, "format_mismatch");
    check("?edition=ingram").await.expect_error(400, "invalid_request");
    check("?page=1").await.expect_error(400, "invalid_request");
    ada.get("/books/book_none/print_check")
        .await
        .expect_error(404, "not_found");
}

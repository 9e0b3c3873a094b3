//! Imports, pages of the library, the bin, and review links.
use std::time::Duration;

use serde_json::json;

use crate::test_app::{Actor, Form, TestApp, pictures};
use crate::testing;

pub(super) async fn look_at_page(app: &TestApp, ada: &Actor) {
    let page = app.new_page(ada, "A cat").await;
    let page = format!("/pages/{}", page.page_id());
    let caption = json!({"page": {"caption": "Who sleeps here?"}});
    ada.patch(&page, &caption).await.expect(200);
    let mut browser = app.browser_of("ada@example.com").await;
    browser.get(&format!("/library{page}")).await.expect(200, "A cat");
    ada.delete(&page).await.expect_no_content();
    let book = app.ready_book(ada, &["A dog"]).await;
    browser
        .get(&format!("/library/books/{book}"))
        .await
        .expect(200, "A dog");
    ada.delete(&format!("/books/{book}")).await.expect_no_content();
}

/// Restores a page and a book, and deletes pages for good in every way.
pub(super) async fn use_bin(app: &TestApp, ada: &Actor) {
    let book = app.ready_book(ada, &["A dog"]).await;
    let page = ada.page_ids(&book).await.remove(0);
    ada.delete(&format!("/pages/{page}")).await.expect_no_content();
    ada.get("/bin").await.expect(200);
    // It takes the place to which the page returns.
    let other = app.imported_page(ada, "A cow").await;
    ada.post(&format!("/books/{book}/pages"), &json!({"page_id": other}))
        .await
        .expect(200);
    ada.post_nothing(&format!("/bin/{page}/restore")).await.expect(200);
    app.accepted(ada, &format!("/pages/{page}/regenerate"), &json!({}))
        .await;
    let claimed = testing::claim(&app.server).await.unwrap().unwrap();
    ada.delete(&format!("/pages/{page}")).await.expect_no_content();
    ada.post_nothing(&format!("/bin/{page}/restore")).await.expect(200);
    testing::attempt(&app.server, &claimed).await;
    // Drawings that end in the bin.
    for (kind, id, again, change) in [
        (
            "pages",
            &page,
            "regenerate",
            json!({"page": {"prompt": "A dog at night"}}),
        ),
        (
            "books",
            &book,
            "cover/regenerate",
            json!({"cover": {"prompt": "A cat"}}),
        ),
    ] {
        let path = format!("/{kind}/{id}");
        app.accepted(ada, &format!("{path}/{again}"), &change).await;
        let claimed = testing::claim(&app.server).await.unwrap().unwrap();
        ada.delete(&path).await.expect_no_content();
        testing::attempt(&app.server, &claimed).await;
        ada.post_nothing(&format!("/bin/{id}/restore")).await.expect(200);
    }
    app.accepted(
        ada,
        &format!("/books/{book}/pages"),
        &json!({"page": {"title": "A cat"}}),
    )
    .await;
    ada.delete(&format!("/books/{book}")).await.expect_no_content();
    ada.post_nothing(&format!("/bin/{book}/restore")).await.expect(200);
    for end in ["", "/bin", "old"] {
        let page = app.imported_page(ada, "A wolf").await;
        ada.delete(&format!("/pages/{page}")).await.expect_no_content();
        match end {
            "old" => {
                app.server.clock.advance(Duration::from_secs(31 * 24 * 3600));
                assert_eq!(testing::forget_deleted(&app.server).await.unwrap(), 1);
            }
            "" => ada.delete(&format!("/bin/{page}")).await.expect_no_content(),
            all => ada.delete(all).await.expect_no_content(),
        }
    }
    ada.post_nothing(&format!("/books/{book}/copy")).await.expect(201);
    let next = json!({"book_plan": {"theme": "Woods", "page_count": 1, "follows": book}});
    ada.post("/book_plans", &next).await.expect(200);
    let mut browser = app.browser_of("ada@example.com").await;
    browser
        .get(&format!("/library/books/new?follows={book}"))
        .await
        .expect(200, "The next volume");
    ada.delete(&format!("/books/{book}")).await.expect_no_content();
    ada.delete(&format!("/bin/{book}")).await.expect_no_content();
}

/// Shows a book to a visitor, who comments on it and on its page, and ends both.
pub(super) async fn use_reviews(app: &TestApp, ada: &Actor) {
    let book = app.ready_book(ada, &["A dog"]).await;
    let page = ada.page_ids(&book).await.remove(0);
    let (link, shown) = app.review_link(ada, &book).await;
    let mut visitor = app.browser();
    visitor.get(&shown).await.expect(200, "A dog");
    for picture in [
        "cover",
        &format!("pages/{page}/image"),
        &format!("pages/{page}/thumbnail"),
    ] {
        let picture = visitor.open(&format!("{shown}/{picture}")).await;
        assert_eq!(picture.status(), 200);
    }
    for about in ["", page.as_str()] {
        let fields = [("page", about), ("name", "Grandma"), ("text", "A longer tail")];
        let sent = visitor.post(&format!("{shown}/comments"), &fields).await;
        assert_eq!(sent.status, 303, "{}", sent.text);
    }
    ada.get(&format!("/books/{book}/review_links")).await.expect(200);
    let comments = ada.get(&format!("/books/{book}/comments")).await.expect(200);
    let comment = format!("/comments/{}", comments["comments"][0]["id"].as_str().unwrap());
    let done = json!({"comment": {"resolved": true}});
    ada.patch(&comment, &done).await.expect(200);
    ada.delete(&comment).await.expect_no_content();
    ada.delete(&format!("/review_links/{link}")).await.expect_no_content();
    ada.delete(&format!("/books/{book}")).await.expect_no_content();
    ada.delete(&format!("/bin/{book}")).await.expect_no_content();
}

pub(super) async fn import(app: &TestApp, ada: &Actor) {
    let page = app.imported_page(ada, "A bear").await;
    let form = Form::image(&pictures::png(576, 768));
    ada.send_form("PUT", &format!("/pages/{page}/image"), form)
        .await
        .expect(200);
    let upload = ada.new_upload().await;
    let url = upload.url.as_str();
    app.anonymous()
        .send_to(url, pictures::png(576, 768))
        .await
        .expect_no_content_at_all();
    let body = json!({"title": "A fox", "upload_id": upload.id});
    ada.post("/pages/import", &body).await.expect(201);
    ada.delete(&format!("/pages/{page}")).await.expect_no_content();
}

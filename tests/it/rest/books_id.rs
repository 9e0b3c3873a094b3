//! `GET`, `PATCH`, `PUT` and `DELETE /books/{id}`.
use linepress_core::artwork::Status;
use serde_json::{Value, json};

use crate::test_app::TestApp;

#[tokio::test]
async fn a_book_is_shown_with_its_pages_in_order_for_nothing() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let book = app.ready_book(&ada, &["A fox", "An owl"]).await;
    let reply = ada.get(&format!("/books/{book}")).await;
    reply.expect_free();
    let shown = &reply.expect(200)["book"];
    let pages = shown["pages"].as_array().unwrap();
    let told: Vec<_> = pages
        .iter()
        .map(|page| json!([page["position"], page["title"], page["status"]]))
        .collect();
    assert_eq!(told, [json!([1, "A fox", "ready"]), json!([2, "An owl", "ready"])]);
    assert_eq!(shown["page_count"], 2);
    assert!(pages[0]["image"]["url"].as_str().unwrap().ends_with("/image"));
    ada.get("/books/book_none").await.expect_error(404, "not_found");
}

#[tokio::test]
async fn metadata_and_characters_are_changed_for_nothing() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let pip = app.ready_character(&ada, "Pip").await;
    let kit = app.ready_character(&ada, "Kit").await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let path = format!("/books/{book}");
    let before = ada.look(&path, "book").await;

    let change = json!({"title": "Forest Friends", "subtitle": "To color", "author": "Ada", "description": "Animals\nand trees",
        "audience": "toddler", "character_ids": [kit, pip]});
    let reply = ada.patch(&path, &json!({"book": change})).await;
    reply.expect_free();
    let changed = reply.expect(200)["book"].clone();
    for field in ["title", "subtitle", "author", "description", "audience"] {
        assert_eq!(changed[field], change[field], "{field}");
    }
    assert_eq!(
        changed["characters"],
        json!([{"id": kit, "name": "Kit"}, {"id": pip, "name": "Pip"}])
    );
    for same in [
        "id",
        "aspect",
        "status",
        "cover",
        "pages",
        "created_at",
        "print_formats",
    ] {
        assert_eq!(changed[same], before[same], "{same}");
    }
    let emptied = json!({"subtitle": "", "author": "", "description": "", "character_ids": []});
    let emptied = ada.patch(&path, &json!({"book": emptied})).await.expect(200)["book"].clone();
    assert_eq!((&emptied["author"], &emptied["characters"]), (&json!(""), &json!([])));
    assert_eq!(emptied["title"], "Forest Friends");
    assert_eq!(ada.look(&path, "book").await, emptied);
}

#[tokio::test]
async fn new_pages_are_drawn_with_the_changed_characters() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let pip = app.ready_character(&ada, "Pip").await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let path = format!("/books/{book}");
    ada.patch(&path, &json!({"book": {"character_ids": [pip]}}))
        .await
        .expect(200);
    let accepted = app
        .accepted(&ada, &format!("{path}/pages"), &json!({"page": {"title": "An owl"}}))
        .await;
    assert_eq!(json!(accepted.page().characters), json!([{"id": pip, "name": "Pip"}]));
}

#[tokio::test]
async fn put_is_the_same_as_patch() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let path = format!("/books/{book}");
    let body = json!({"book": {"author": "Ada"}});
    let put = ada.put(&path, &body).await;
    put.expect_free();
    assert_eq!(put.expect(200), ada.patch(&path, &body).await.expect(200));
    ada.put(&path, &json!({"book": {"title": " "}}))
        .await
        .expect_fields(&["book.title"]);
    ada.put("/books/book_none", &body).await.expect_error(404, "not_found");
}

#[tokio::test]
async fn an_empty_change_changes_nothing() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let path = format!("/books/{book}");
    let before = ada.look(&path, "book").await;
    assert_eq!(ada.patch(&path, &json!({"book": {}})).await.expect(200)["book"], before);
}

#[tokio::test]
async fn a_wrong_change_is_refused_by_the_fields_name() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let path = format!("/books/{book}");
    let before = ada.look(&path, "book").await;
    for (field, value, named) in [
        ("title", json!(" "), "title"),
        ("title", json!("x".repeat(201)), "title"),
        ("title", Value::Null, "title"),
        ("subtitle", json!("two\nlines"), "subtitle"),
        ("subtitle", Value::Null, "subtitle"),
        ("author", json!(3), "author"),
        ("author", Value::Null, "author"),
        ("description", json!("x".repeat(2001)), "description"),
        ("description", Value::Null, "description"),
        ("audience", json!("cats"), "audience"),
        ("audience", Value::Null, "audience"),
        ("character_ids", json!(["char_none"]), "character_ids[0]"),
        ("character_ids", json!(["char_none"].repeat(9)), "character_ids"),
        ("character_ids", Value::Null, "character_ids"),
        ("aspect", json!("square"), "aspect"),
        ("pages", json!([]), "pages"),
        ("cover", json!({"prompt": " "}), "cover.prompt"),
        ("cover", json!({"image": "A fox"}), "cover.image"),
        ("cover", Value::Null, "cover"),
    ] {
        let body = json!({"book": {field: value, "description": "Changed"}});
        let body = if field == "description" {
            json!({"book": {field: value}})
        } else {
            body
        };
        let error = ada.patch(&path, &body).await.expect_error(422, "validation_failed");
        assert_eq!(error["details"][0]["field"], format!("book.{named}"), "{body}");
    }
    assert_eq!(ada.look(&path, "book").await, before);
}

#[tokio::test]
async fn a_deleted_book_leaves_its_pages() {
    let app = TestApp::start().await;
    let ada = app.account(4).await;
    let book = app.ready_book(&ada, &["A fox", "An owl"]).await;
    let other = app.ready_book(&ada, &["A bear"]).await;
    let path = format!("/books/{book}");
    let pages = ada.page_ids(&book).await;
    let body = json!({"page_id": pages[0]});
    ada.post(&format!("/books/{other}/pages"), &body).await.expect(200);

    let reply = ada.delete(&path).await;
    reply.expect_no_content();
    assert_eq!(reply.header("x-service-credits-available"), "1");
    for gone in [path.clone(), format!("{path}/cover_image"), format!("{path}/pdf")] {
        ada.get(&gone).await.expect_error(404, "not_found");
    }
    ada.delete(&path).await.expect_error(404, "not_found");
    assert_eq!(ada.count("books").await, 1);
    let shown = ada.page(&pages[0]).await;
    assert_eq!((shown.status, json!(shown.book_ids)), (Status::Ready, json!([other])));
    let shown = ada.page(&pages[1]).await;
    assert_eq!((shown.status, shown.book_ids), (Status::Ready, Vec::new()));
    assert_eq!(ada.get(&format!("/pages/{}/image", pages[1])).await.status, 200);
    app.check_books().await;
}

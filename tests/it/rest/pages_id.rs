//! `GET`, `PATCH`, `PUT` and `DELETE /pages/{id}`.
use linepress_core::books::BookStatus;
use serde_json::{Value, json};

use crate::test_app::TestApp;
use crate::testing;

#[tokio::test]
async fn a_page_is_shown_for_nothing() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let page = app.ready_page(&ada, "A fox").await;
    let reply = ada.get(&format!("/pages/{page}")).await;
    reply.expect_free();
    let shown = &reply.expect(200)["page"];
    assert_eq!(
        (&shown["id"], &shown["origin"], &shown["status"]),
        (&json!(page), &json!("generated"), &json!("ready"))
    );
    ada.get("/pages/page_none").await.expect_error(404, "not_found");
}

#[tokio::test]
async fn a_page_is_shown_with_the_balance_after_each_charge_and_refund() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let fox = format!("/pages/{}", app.ready_page(&ada, "A fox").await);
    let balance = async |path: &str| {
        let reply = ada.get(path).await;
        reply.expect(200);
        reply.header("x-service-credits-available").to_owned()
    };
    assert_eq!(balance(&fox).await, "2");
    let order = app.new_page(&ada, "An owl").await;
    let owl = format!("/pages/{}", order.page_id());
    assert_eq!((balance(&fox).await, balance(&owl).await), ("1".into(), "1".into()));
    let cancellation = format!("/operations/{}/cancel", order.operation_id());
    ada.post_nothing(&cancellation).await.expect(200);
    assert_eq!((balance(&fox).await, balance(&owl).await), ("2".into(), "2".into()));
    let account = app.account_of("ada@example.com").await;
    testing::grant(&app.server, &account, 5).await.unwrap();
    assert_eq!((balance(&fox).await, balance("/me").await), ("7".into(), "7".into()));
}

#[tokio::test]
async fn metadata_and_characters_are_changed_for_nothing_and_the_image_stays() {
    let app = TestApp::start().await;
    let ada = app.account(3).await;
    let pip = app.ready_character(&ada, "Pip").await;
    let page = app.ready_page(&ada, "A fox").await;
    let path = format!("/pages/{page}");
    let before = ada.look(&path, "page").await;
    let image = ada.get(&format!("{path}/image")).await.body;
    app.server.clock.advance(std::time::Duration::from_secs(60));

    let change = json!({
        "title": "A wolf", "prompt": "A wolf\nin the snow", "caption": "Hello, wolf!", "alternative_text": "A wolf howls",
        "character_ids": [pip],
    });
    let reply = ada.patch(&path, &json!({"page": change})).await;
    reply.expect_free();
    let changed = reply.expect(200)["page"].clone();
    assert_eq!(before["alternative_text"], Value::Null);
    for field in ["title", "prompt", "caption", "alternative_text"] {
        assert_eq!(changed[field], change[field], "{field}");
    }
    assert_eq!(changed["characters"], json!([{"id": pip, "name": "Pip"}]));
    assert_ne!(changed["updated_at"], before["updated_at"]);
    for same in ["id", "aspect", "origin", "status", "image", "created_at"] {
        assert_eq!(changed[same], before[same], "{same}");
    }
    assert_eq!(ada.get(&format!("{path}/image")).await.body, image);
    let emptied = json!({"page": {"caption": "", "alternative_text": "", "character_ids": []}});
    let emptied = ada.patch(&path, &emptied).await.expect(200)["page"].clone();
    assert_eq!((&emptied["caption"], &emptied["characters"]), (&json!(""), &json!([])));
    assert_eq!(emptied["alternative_text"], Value::Null);
    assert_eq!(ada.look(&path, "page").await, emptied);
}

#[tokio::test]
async fn put_is_the_same_as_patch() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let page = app.ready_page(&ada, "A fox").await;
    let path = format!("/pages/{page}");
    let body = json!({"page": {"caption": "Hello!"}});
    let put = ada.put(&path, &body).await;
    put.expect_free();
    assert_eq!(put.expect(200), ada.patch(&path, &body).await.expect(200));
    ada.put(&path, &json!({"page": {"title": " "}}))
        .await
        .expect_fields(&["page.title"]);
    ada.put("/pages/page_none", &body).await.expect_error(404, "not_found");
}

#[tokio::test]
async fn a_blank_text_that_may_be_empty_counts_as_none() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let page = app.imported_page(&ada, "A fox").await;
    let path = format!("/pages/{page}");
    let change = async |caption: &str, text: &str| {
        let body = json!({"page": {"caption": caption, "alternative_text": text}});
        ada.patch(&path, &body).await.expect(200);
        let shown = ada.look(&path, "page").await;
        [shown["caption"].clone(), shown["alternative_text"].clone()]
    };
    assert_eq!(change("Hello!", "A red fox").await, ["Hello!", "A red fox"]);
    assert_eq!(change("  ", "\u{3000} ").await, [json!(""), Value::Null]);
}

#[tokio::test]
async fn an_empty_change_changes_nothing() {
    let app = TestApp::start().await;
    let ada = app.account(1).await;
    let page = app.ready_page(&ada, "A fox").await;
    let path = format!("/pages/{page}");
    let before = ada.look(&path, "page").await;
    assert_eq!(ada.patch(&path, &json!({"page": {}})).await.expect(200)["page"], before);
}

#[tokio::test]
async fn a_wrong_change_is_refused_by_the_fields_name() {
    let app = TestApp::start().await;
    let ada = app.account(2).await;
    let page = app.ready_page(&ada, "A fox").await;
    let waiting = app.new_character(&ada, "Pip").await;
    let waiting = waiting.character_id();
    let path = format!("/pages/{page}");
    let before = ada.look(&path, "page").await;
    for (field, value, named) in [
        ("title", json!(""), "title"),
        ("title", json!("x".repeat(201)), "title"),
        ("title", Value::Null, "title"),
        ("prompt", json!(" "), "prompt"),
        ("prompt", Value::Null, "prompt"),
        ("caption", json!("two\nlines"), "caption"),
        ("caption", Value::Null, "caption"),
        ("alternative_text", json!("x".repeat(501)), "alternative_text"),
        ("alternative_text", json!("two\nlines"), "alternative_text"),
        ("alternative_text", Value::Null, "alternative_text"),
        ("character_ids", json!([waiting]), "character_ids[0]"),
        ("character_ids", json!(["char_none"]), "character_ids[0]"),
        ("character_ids", json!("char_none"), "character_ids"),
        ("character_ids", Value::Null, "character_ids"),
        ("aspect", json!("square"), "aspect"),
        ("image", json!({}), "image"),
    ] {
        let body = json!({"page": {field: value}});
        let error = ada.patch(&path, &body).await.expect_error(422, "validation_failed");
        assert_eq!(error["details"][0]["field"], format!("page.{named}"), "{body}");
    }
    // A change applies completely or not at all: the title stays if the characters are refused.
    let body = json!({"page": {"title": "A wolf", "character_ids": ["char_none"]}});
    ada.patch(&path, &body).await.expect_fields(&["page.character_ids[0]"]);
    assert_eq!(ada.look(&path, "page").await, before);
}

#[tokio::test]
async fn a_deleted_page_is_gone_from_its_books_and_the_others_move_up() {
    let app = TestApp::start().await;
    let ada = app.account(4).await;
    let book = app.ready_book(&ada, &["A", "B", "C"]).await;
    let pages = ada.page_ids(&book).await;
    let path = format!("/pages/{}", pages[1]);
    let reply = ada.delete(&path).await;
    reply.expect_no_content();
    assert_eq!(reply.header("x-service-credits-available"), "1");
    for gone in [path.clone(), format!("{path}/image")] {
        ada.get(&gone).await.expect_error(404, "not_found");
    }
    ada.delete(&path).await.expect_error(404, "not_found");
    ada.patch(&path, &json!({"page": {"title": "X"}}))
        .await
        .expect_error(404, "not_found");
    ada.generate(&format!("{path}/regenerate"), "k9", &json!({}))
        .await
        .expect_error(404, "not_found");
    assert_eq!(ada.page_ids(&book).await, [pages[0].clone(), pages[2].clone()]);
    assert_eq!(ada.book(&book).await.status, BookStatus::Ready);
    assert_eq!(ada.count("pages").await, 2);
    app.check_books().await;
}

#[tokio::test]
async fn a_deleted_page_is_gone_from_all_of_its_books() {
    let app = TestApp::start().await;
    let ada = app.account(2).await;
    let books = [
        app.ready_book(&ada, &["A fox"]).await,
        app.ready_book(&ada, &["An owl"]).await,
    ];
    let page = app.imported_page(&ada, "A bear").await;
    for book in &books {
        let body = json!({"page_id": page, "position": 1});
        ada.post(&format!("/books/{book}/pages"), &body).await.expect(200);
    }
    ada.delete(&format!("/pages/{page}")).await.expect_no_content();
    for book in &books {
        assert_eq!(ada.page_ids(book).await.len(), 1);
        assert_eq!(ada.book(book).await.status, BookStatus::Ready);
    }
    app.check_books().await;
}

#[tokio::test]
async fn a_page_can_be_saved_with_a_character_that_was_archived_since() {
    let app = TestApp::start().await;
    let ada = app.account(5).await;
    let pip = app.ready_character(&ada, "Pip").await;
    let kit = app.ready_character(&ada, "Kit").await;
    let body = json!({"page": {"title": "A fox", "character_ids": [pip, kit]}});
    let page = app.accepted(&ada, "/pages", &body).await.page_id();
    let body = json!({"book": {"title": "B", "character_ids": [pip, kit], "pages": [{"title": "A"}]}});
    let book = app.accepted(&ada, "/books", &body).await.book_id();
    app.draw_everything().await;
    ada.delete(&format!("/characters/{pip}")).await.expect_no_content();
    for (path, kind) in [(format!("/pages/{page}"), "page"), (format!("/books/{book}"), "book")] {
        let ids = |links: &Value| -> Vec<Value> {
            let links = links.as_array().unwrap().iter();
            links.map(|link| link["id"].clone()).collect()
        };
        let mut read = ids(&ada.look(&path, kind).await["characters"]);
        read.reverse();
        let written = ada.patch(&path, &json!({kind: {"character_ids": read}})).await;
        assert_eq!(ids(&written.expect(200)[kind]["characters"]), read);
        // The archived character cannot be added where it was not already shown.
        ada.patch(&path, &json!({kind: {"character_ids": [kit]}}))
            .await
            .expect(200);
        for wrong in [&pip, &kit] {
            let refused = ada.patch(&path, &json!({kind: {"character_ids": [kit, wrong]}})).await;
            refused.expect_fields(&[&format!("{kind}.character_ids[1]")]);
        }
    }
}

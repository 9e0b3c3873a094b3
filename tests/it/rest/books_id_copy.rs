//! `POST /books/{id}/copy`.
use futures::future::join_all;
use linepress_accounts::accounts;
use serde_json::{Value, json};

use crate::test_app::{Actor, TestApp, id};
use crate::testing;

async fn copy(ada: &Actor, book: &str, title: Value) -> Value {
    let path = format!("/books/{book}/copy");
    ada.post(&path, &json!({"book": {"title": title}})).await.expect(201)["book"].clone()
}

/// A drawn book with every text and a character.
async fn whole_book(app: &TestApp, ada: &Actor) -> String {
    let character = app.ready_character(ada, "Pip").await;
    let body = json!({"book": {
        "title": "Woods", "subtitle": "At night", "author": "Ada", "description": "Trees", "language": "de",
        "audience": "teen", "line_weight": "bold", "style": "Woodcut", "frame": "none", "character_ids": [character],
        "cover": {"prompt": "A wood"}, "pages": [{"title": "A fox"}, {"title": "An owl"}],
    }});
    let book = app.accepted(ada, "/books", &body).await.book_id();
    app.draw_what_is_due().await;
    book
}

#[tokio::test]
async fn a_copy_has_everything_of_its_original_and_costs_nothing() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let book = whole_book(&app, &ada).await;
    let credits = ada.credits().await;
    let before = ada.look(&format!("/books/{book}"), "book").await;
    let reply = ada.post_nothing(&format!("/books/{book}/copy")).await;
    reply.expect_free();
    let copy = reply.expect(201)["book"].clone();
    let path = format!("/books/{}", copy["id"].as_str().unwrap());
    assert!(reply.header("location").ends_with(&path));
    assert_eq!(ada.look(&path, "book").await, copy);
    for field in [
        "title",
        "subtitle",
        "author",
        "description",
        "language",
        "audience",
        "aspect",
        "line_weight",
        "detail",
        "style",
        "frame",
        "characters",
        "page_count",
        "status",
        "print_formats",
    ] {
        assert_eq!(copy[field], before[field], "{field}");
    }
    for field in ["prompt", "style", "status"] {
        assert_eq!(copy["cover"][field], before["cover"][field], "{field}");
    }
    let pages = |of: &Value| -> Vec<Value> {
        of["pages"]
            .as_array()
            .unwrap()
            .iter()
            .map(|page| page["id"].clone())
            .collect()
    };
    assert_eq!(pages(&copy), pages(&before));
    assert_eq!(
        ada.get(&format!("{path}/cover_image")).await.body,
        ada.get(&format!("/books/{book}/cover_image")).await.body
    );
    assert_eq!(ada.look(&format!("/books/{book}"), "book").await, before);
    assert_eq!((ada.credits().await, ada.count("books").await), (credits, 2));
    assert_eq!(accounts::miscounted(&app.server).await.unwrap(), []);
    app.check_books().await;
    assert_eq!(ada.get(&format!("{path}/pdf")).await.status, 200);
}

#[tokio::test]
async fn a_copy_remains_when_its_original_is_deleted_for_good() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let copy = id(&json!({"book": copy(&ada, &book, json!("Woods 2")).await}), "book");
    ada.delete(&format!("/books/{book}")).await.expect_no_content();
    ada.delete("/bin").await.expect_no_content();
    app.check_books().await;
    let shown = ada.look(&format!("/books/{copy}"), "book").await;
    assert_eq!(
        (&shown["title"], &shown["status"]),
        (&json!("Woods 2"), &json!("ready"))
    );
    assert_eq!(ada.get(&format!("/books/{copy}/cover_image")).await.status, 200);
    // Its cover has an attempt of its own.
    app.accepted(&ada, &format!("/books/{copy}/cover/regenerate"), &json!({}))
        .await;
    app.draw_what_is_due().await;
    let attempts = ada.get(&format!("/books/{copy}/cover/attempts")).await.expect(200);
    assert_eq!(attempts["attempts"].as_array().unwrap().len(), 2);
    assert_eq!(accounts::miscounted(&app.server).await.unwrap(), []);
    app.check_books().await;
}

#[tokio::test]
async fn a_repeated_request_makes_one_copy() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let path = format!("/books/{book}/copy");
    let body = json!({"book": {"title": "Woods"}});
    let all = join_all((0..4).map(|_| ada.generate(&path, "k1", &body))).await;
    let first = all[0].expect(201)["book"]["id"].clone();
    for reply in &all {
        assert_eq!(reply.expect(201)["book"]["id"], first);
    }
    assert_eq!(
        ada.generate(&path, "k1", &body).await.header("idempotency-replayed"),
        "true"
    );
    assert_eq!(ada.count("books").await, 2);
    ada.generate(&path, "k1", &json!({}))
        .await
        .expect_error(409, "idempotency_conflict");
    app.check_books().await;
}

#[tokio::test]
async fn a_book_that_is_being_drawn_is_not_copied() {
    let app = TestApp::start().await;
    let ada = app.account(9).await;
    let body = json!({"book": {"title": "B", "pages": [{"title": "A"}]}});
    let book = app.accepted(&ada, "/books", &body).await.book_id();
    let path = format!("/books/{book}/copy");
    ada.post_nothing(&path).await.expect_error(409, "generation_active");
    let claimed = testing::claim(&app.server).await.unwrap().unwrap();
    ada.post_nothing(&path).await.expect_error(409, "generation_active");
    testing::attempt(&app.server, &claimed).await;
    app.draw_everything().await;
    ada.post_nothing(&path).await.expect(201);
}

#[tokio::test]
async fn a_copy_needs_room_for_a_book_and_its_cover() {
    let app = TestApp::builder()
        .config(|config| config.limits.books = 1)
        .start()
        .await;
    let ada = app.account(9).await;
    let book = app.ready_book(&ada, &["A fox"]).await;
    let objects = app.objects();
    let path = format!("/books/{book}/copy");
    ada.post_nothing(&path).await.expect_error(422, "account_limit_reached");
    for title in ["", &"x".repeat(300)] {
        ada.post(&path, &json!({"book": {"title": title}}))
            .await
            .expect_fields(&["book.title"]);
    }
    ada.post_nothing("/books/book_01KAFMYG00000000000000000A/copy")
        .await
        .expect_error(404, "not_found");
    assert_eq!(ada.count("books").await, 1);
    app.check_books().await;
    assert_eq!(app.objects(), objects);
}
